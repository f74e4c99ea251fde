package cli

import (
	"context"
	"io"

	"github.com/agentctl/agentctl/internal/render"
)

// lineFile is the file of --save that lines go to while they come. It appears whole or not at all.
type lineFile struct {
	save  func(lines io.Reader) error
	lines *io.PipeWriter // nil before the first line
	saved chan error
}

func (s *service) newLineFile(ctx context.Context) *lineFile {
	return &lineFile{save: func(lines io.Reader) error {
		return render.Save(ctx, s.Streams, render.Body{ContentType: "application/x-ndjson", Reader: lines, Length: -1}, s.Save, s.Quiet)
	}}
}

func (f *lineFile) open() {
	if f.lines != nil {
		return
	}
	out, in := io.Pipe()
	f.lines, f.saved = in, make(chan error, 1)
	go func() {
		err := f.save(out)
		_ = out.CloseWithError(err) // whoever writes learns why there is no use in it any more
		f.saved <- err
	}()
}

func (f *lineFile) write(lines []byte) error {
	f.open()
	_, err := f.lines.Write(lines)
	return err
}

// end makes the file of the lines that came, or with an error none.
func (f *lineFile) end(err error) error {
	f.open()
	_ = f.lines.CloseWithError(err)
	return <-f.saved
}
