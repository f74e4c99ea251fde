package explore

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/agentctl/agentctl/internal/render"
)

// MaxLineBytes is the longest message that is read: an answer of [MaxBodyBytes] in base64, and its table.
const MaxLineBytes = 32 << 20

// ErrTooLong is the error of a message that is longer. It is not written.
var ErrTooLong = errors.New("that is too much to be shown")

// MaxBodyBytes is the most of an answer that is shown. All of it can be saved.
const MaxBodyBytes = 4 << 20

// Writer writes messages. It is safe for concurrent use.
type Writer struct {
	mu sync.Mutex
	to io.Writer
}

// NewWriter writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes one message, a [Request] or a [Reply].
func (w *Writer) Write(message any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // it would make "<" six times as long
	if err := e.Encode(message); err != nil {
		return err
	}
	if line.Len() > MaxLineBytes {
		return ErrTooLong
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.to.Write(line.Bytes())
	return err
}

// Reader reads the messages of one type. All texts in them come out clean, but for the bytes of a body, and what is marked as exact
// because it goes back to agentctl.
type Reader[T Request | Reply] struct{ lines *bufio.Scanner }

// NewReader reads from r.
func NewReader[T Request | Reply](r io.Reader) *Reader[T] {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxLineBytes)
	return &Reader[T]{lines}
}

// Read returns the next message, and io.EOF behind the last one.
func (r *Reader[T]) Read() (message T, err error) {
	if !r.lines.Scan() {
		return message, cmp.Or(r.lines.Err(), io.EOF)
	}
	if err := json.Unmarshal(r.lines.Bytes(), &message); err != nil {
		return message, fmt.Errorf("a message cannot be read: %w", err)
	}
	if reply, ok := any(&message).(*Reply); ok { // what a person typed stays as it is: it is checked like a command line
		clean(reflect.ValueOf(reply))
	}
	return message, nil
}

// clean cleans every string that can be reached, however new its member is: none can be forgotten.
func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(render.Clean(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			clean(v.Elem())
		}
	case reflect.Struct:
		for field, member := range v.Fields() {
			if field.Tag.Get("explore") != "exact" {
				clean(member)
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 { // a body, or JSON as it came
			return
		}
		for i := range v.Len() {
			clean(v.Index(i))
		}
	default: // numbers and truth; maps hold details as they came, and are never shown
	}
}
