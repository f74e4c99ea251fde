package batch

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// The formats of lines.
const (
	JSONLines = "jsonl"
	CSV       = "csv"
)

// Reader reads lines, one at a time.
type Reader struct {
	Header []string // the names of a CSV's columns; nil for JSON Lines
	next   func() (*Input, error)
	count  int
}

// NewReader begins to read. format is [JSONLines], [CSV], or "" for what the first character that is no white space says: "{"
// begins JSON Lines. A byte order mark is skipped. Its error is of in, or the usage fault "invalid_input": a header that cannot
// be used.
func NewReader(in io.Reader, format string) (*Reader, error) {
	text := bufio.NewReaderSize(in, 64<<10)
	if mark, _ := text.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = text.Discard(3)
	}
	if format == "" {
		var err error
		if format, err = guess(text); err != nil {
			return nil, err
		}
	}
	if format == JSONLines {
		lines := &lineReader{in: text}
		return &Reader{next: lines.next}, nil
	}
	return newCSV(text)
}

// guess looks at the first character that is no white space, without consuming anything.
func guess(text *bufio.Reader) (string, error) {
	for n := 1; n <= text.Size(); n++ {
		switch first, err := text.Peek(n); {
		case errors.Is(err, io.EOF):
			return JSONLines, nil
		case err != nil:
			return "", err
		case first[n-1] == '{':
			return JSONLines, nil
		case !strings.ContainsRune(" \t\r\n", rune(first[n-1])):
			return CSV, nil
		}
	}
	return JSONLines, nil
}

// Next returns the next line; empty ones are left out. At the end its error is io.EOF; a [*LineError] is about one line, and
// reading can go on behind it, unless it is the last; others are of the source, or the usage fault "too_many_lines".
func (r *Reader) Next() (*Input, error) {
	input, err := r.next()
	if err == nil || isLineError(err) {
		if r.count++; r.count > MaxLines {
			return nil, unreadable("there are more than %d lines", MaxLines)
		}
	}
	return input, err
}

func isLineError(err error) bool {
	_, ok := errors.AsType[*LineError](err)
	return ok
}

// lineReader reads JSON Lines.
type lineReader struct {
	in     *bufio.Reader
	number int
}

func (l *lineReader) next() (*Input, error) {
	for {
		l.number++
		line, err := l.read()
		if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			if err != nil {
				return nil, io.EOF
			}
			continue
		}
		if err := strictjson.Check(line); err != nil {
			return nil, &LineError{l.number, fmt.Sprintf("is no JSON that can be used: %v", err)}
		}
		if line[0] != '{' {
			return nil, &LineError{l.number, "must be a JSON object"}
		}
		return &Input{Number: l.number, Object: strictjson.Compact(line)}, nil
	}
}

// read reads a line, which is no longer than allowed; of a longer one it skips the rest.
func (l *lineReader) read() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > maxLineText {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = l.in.ReadSlice('\n')
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, &LineError{l.number, fmt.Sprintf("is longer than %d bytes", maxLineText)}
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// csvReader reads records of CSV (RFC 4180).
type csvReader struct {
	in     *csv.Reader
	source *allowance
	header []string
	number int // of the line where the last record begins that could be read
}

func newCSV(text io.Reader) (*Reader, error) {
	source := &allowance{in: text}
	in := csv.NewReader(source)
	in.FieldsPerRecord = -1 // told by line, without an end to the reading
	r := &csvReader{in: in, source: source}
	source.left = maxRecord
	header, err := in.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, unreadable("the CSV has no header")
	case err != nil:
		return nil, r.fatal(err)
	}
	known := map[string]bool{}
	for i, name := range header {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return nil, unreadable("column %d of the CSV has no name", i+1)
		case known[name]:
			return nil, unreadable("two columns of the CSV have the name %q", name)
		case !utf8.ValidString(name):
			return nil, unreadable("the name of column %d of the CSV is not UTF-8", i+1)
		}
		known[name] = true
		header[i] = name
	}
	r.header = header
	return &Reader{Header: header, next: r.next}, nil
}

func (r *csvReader) next() (*Input, error) {
	r.source.left = maxRecord
	record, err := r.in.Read()
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, &LineError{syntax.StartLine, "is no CSV: " + syntax.Err.Error()}
	}
	if err != nil {
		return nil, r.fatal(err)
	}
	number, _ := r.in.FieldPos(0)
	r.number = number
	size := 0
	for _, cell := range record {
		if size += len(cell); !utf8.ValidString(cell) {
			return nil, &LineError{number, "is not UTF-8"}
		}
	}
	switch {
	case size > maxLineText:
		return nil, &LineError{number, fmt.Sprintf("is longer than %d bytes", maxLineText)}
	case len(record) != len(r.header):
		return nil, &LineError{number, fmt.Sprintf("has %d cells, and the header %d", len(record), len(r.header))}
	}
	return &Input{Number: number, Cells: record}, nil
}

func (r *csvReader) fatal(err error) error {
	if errors.Is(err, errTooLong) {
		return unreadable("a record of the CSV, behind line %d, never ends", r.number)
	}
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		return unreadable("the header of the CSV cannot be read: %w", syntax.Err)
	}
	return err
}

// maxRecord is how much may be read for one record: an open quote would take the whole file, however large. What the reader
// reads ahead is in it.
const maxRecord = 2*maxLineText + 128<<10

var errTooLong = errors.New("the record is too long")

// allowance is a reader that gives so many bytes and then fails.
type allowance struct {
	in   io.Reader
	left int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errTooLong
	}
	n, err := a.in.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}
