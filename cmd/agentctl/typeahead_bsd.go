//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

// dropTypeAhead is tcflush(fd, TCIFLUSH).
func dropTypeAhead(fd uintptr) error {
	const read = 1 // FREAD of sys/fcntl.h: what is still to be read
	return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, read)
}
