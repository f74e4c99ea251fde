package render

import "io"

// CleanWriter returns a writer that passes what is written to it on to w as [Clean] would make it, wherever the text is
// split. At most a few bytes wait for what follows them; Close writes those and leaves w open.
func CleanWriter(w io.Writer) *Cleaner { return &Cleaner{w: w, mode: removeUnsafe} }

// escapeWriter is [CleanWriter] for JSON: what is unsafe becomes a \u escape, so the document keeps its value.
func escapeWriter(w io.Writer) *Cleaner { return &Cleaner{w: w, mode: escapeUnsafe} }

// Cleaner is a writer made by [CleanWriter].
type Cleaner struct {
	w    io.Writer
	mode cleanMode
	rest []byte // what was written but not decided, at most maxTail bytes
	out  []byte // scratch space
}

// Write cleans p. It reports all of p as written unless the underlying writer fails.
func (c *Cleaner) Write(p []byte) (int, error) {
	if len(c.rest) == 0 && cleanPrefix(p) == len(p) {
		return c.w.Write(p)
	}
	if err := c.write(append(c.rest, p...), false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what was held back. The writer below stays open.
func (c *Cleaner) Close() error { return c.write(c.rest, true) }

func (c *Cleaner) write(src []byte, last bool) error {
	var rest []byte
	c.out, rest = appendClean(c.out[:0], src, c.mode, last)
	c.rest = append([]byte(nil), rest...)
	if len(c.out) == 0 {
		return nil
	}
	_, err := c.w.Write(c.out)
	return err
}
