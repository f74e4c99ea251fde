package atomicfile

import (
	"os"
	"runtime"
)

// SyncDir waits until the names in a directory are on the disk, so that a file that was just made, replaced or removed
// there is so after a power cut, too. On Windows directories cannot be synced, and it does nothing.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}
