package input

import (
	"io/fs"
	"os"
)

// Disk is the access to files that [Upload] needs. Names are those of the platform.
type Disk interface {
	// Stat follows links.
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (fs.File, error)
	// Root opens a directory from which neither ".." nor links lead out. The function that it returns closes it.
	Root(dir string) (fs.FS, func() error, error)
}

// OSDisk is the [Disk] of the operating system.
type OSDisk struct{}

// Stat implements [Disk].
func (OSDisk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Open implements [Disk].
func (OSDisk) Open(name string) (fs.File, error) {
	return os.Open(name)
}

// Root implements [Disk].
func (OSDisk) Root(dir string) (fs.FS, func() error, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	return root.FS(), root.Close, nil
}
