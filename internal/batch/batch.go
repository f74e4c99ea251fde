// Package batch holds what calls for each line of a file have in common, whatever is called: reading the lines, keeping them
// between the pass that checks them and the one that sends them, running some at a time and giving the results in order, and
// the file by which a batch goes on where it ended. It knows neither HTTP nor the command line.
package batch

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/fault"
)

// Limits of what is read.
const (
	MaxLines    = 1_000_000
	maxLineText = 1 << 20 // bytes of one line, or of one record of CSV
	maxInMemory = 4 << 20 // bytes of lines that are kept in memory; more go to a file
)

// Input is one line: an object of JSON Lines, or the cells of a record of CSV.
type Input struct {
	Number int      // of the line where it begins, from 1
	Object []byte   // compact JSON; nil for a record
	Cells  []string // one for each name of the header; nil for an object
}

// LineError says what is wrong with one line. The others can still be read.
type LineError struct {
	Number  int
	Message string
}

func (p *LineError) Error() string { return fmt.Sprintf("line %d: %s", p.Number, p.Message) }

func unreadable(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "invalid_input", format, args...)
}
