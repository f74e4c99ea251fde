// Package streams is what a run may write to and read from, and what is known about it. It is decided once, by the
// entry point; tests set it.
package streams

import "io"

// Streams are the three standard streams and their properties.
type Streams struct {
	In       io.Reader
	Out      io.Writer // the result, and nothing else
	Err      io.Writer // everything else
	InTTY    bool
	OutTTY   bool
	ErrTTY   bool
	Color    bool // whether Out may carry colours (NO_COLOR, CLICOLOR_FORCE and TERM=dumb are already considered)
	ErrColor bool // the same for Err
	Width    int  // columns of the terminal behind Out; 80 when there is none
	Height   int  // lines of the terminal behind Out; 0 when there is none, or nobody knows
}
