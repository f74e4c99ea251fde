package main

import "golang.org/x/sys/windows"

func dropTypeAhead(fd uintptr) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(fd))
}
