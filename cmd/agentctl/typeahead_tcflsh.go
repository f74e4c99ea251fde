//go:build aix || linux || solaris

package main

import "golang.org/x/sys/unix"

// dropTypeAhead is tcflush(fd, TCIFLUSH).
func dropTypeAhead(fd uintptr) error {
	return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH)
}
