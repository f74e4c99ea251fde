//go:build !windows

package auth

import "io/fs"

// shared tells whether the group or everybody may read, change or enter a file.
func shared(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
