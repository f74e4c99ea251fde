package render

import (
	"errors"
	"io"
	"syscall"
)

func isClosedPipe(err error) bool {
	const errorNoData syscall.Errno = 232 // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errorNoData) || errors.Is(err, io.ErrClosedPipe)
}
