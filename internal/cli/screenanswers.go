package cli

import (
	"bytes"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

// maxKeptBytes is what the answers of one screen may hold together; the oldest are forgotten first.
const maxKeptBytes = 64 << 20

// answer is what a call of the screen brought.
type answer struct {
	id          int
	contentType string
	summary     string // markdown for people, beside the body
	body        []byte
	raw         bool // whether the form for programs was asked for
}

func (a *answer) asBody() render.Body {
	return render.Body{ContentType: a.contentType, Reader: bytes.NewReader(a.body), Length: int64(len(a.body))}
}

// answers are those of one screen, in order, and how the last call ended.
type answers struct {
	list    []answer
	bytes   int
	failure *fault.Error // of the last call; nil where that brought an answer
}

func (as *answers) add(a answer) {
	as.list, as.bytes, as.failure = append(as.list, a), as.bytes+len(a.body), nil
	for as.bytes > maxKeptBytes && len(as.list) > 1 {
		as.bytes -= len(as.list[0].body)
		as.list = as.list[1:]
	}
}

func (as *answers) failed(e *fault.Error) { as.failure = e }

func (as *answers) get(id int) (*answer, bool) {
	for i := range as.list {
		if as.list[i].id == id {
			return &as.list[i], true
		}
	}
	return nil, false
}

// last is the answer of the last call, if that brought one.
func (as *answers) last() (*answer, bool) {
	if len(as.list) == 0 || as.failure != nil {
		return nil, false
	}
	return &as.list[len(as.list)-1], true
}
