package render

import (
	"bufio"
	"io"
)

// sink buffers what is printed piece by piece. The first error of the writer below stays in it until flush, so that the
// many writes before need no check.
type sink struct{ buf *bufio.Writer }

func newSink(w io.Writer) sink { return sink{bufio.NewWriterSize(w, 32<<10)} }

func (s sink) text(t string)  { _, _ = s.buf.WriteString(t) }
func (s sink) bytes(p []byte) { _, _ = s.buf.Write(p) }
func (s sink) byte(b byte)    { _ = s.buf.WriteByte(b) }
func (s sink) rune(r rune)    { _, _ = s.buf.WriteRune(r) }

func (s sink) spaces(n int) {
	for range n {
		s.byte(' ')
	}
}

func (s sink) flush() error { return s.buf.Flush() }
