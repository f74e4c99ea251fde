package render

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// NDJSON prints each element of a list, or of the list that an object wraps as [Table] has it, on a line: compact, with digits
// and order as they were. Any other value is one line. What must not reach a terminal is escaped. When raw is not acceptable to
// [strictjson.Check] its error is returned and nothing printed.
func NDJSON(w io.Writer, raw []byte) error {
	document, err := checked(raw)
	if err != nil {
		return err
	}
	out := newSink(w)
	var line, safe []byte
	print := func(value jsontext.Value) {
		line = strictjson.AppendCompact(line[:0], value)
		safe, _ = appendClean(safe[:0], line, escapeUnsafe, true)
		out.bytes(append(safe, '\n'))
	}
	list, ok := listed(document)
	if !ok {
		print(document)
		return out.flush()
	}
	for _, element := range strictjson.SharedElements(list) {
		print(element)
	}
	return out.flush()
}
