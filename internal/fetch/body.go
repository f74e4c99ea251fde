package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// body is an answer's body: decoded, limited, and with errors that say what happened.
type body struct {
	source io.ReadCloser
	ctx    context.Context // tells why a read failed
	host   string
	status int
	limit  int64 // bytes; negative: none
	cut    bool  // the body ends at the limit instead of being refused
	count  int64
	err    error                        // sticky; io.EOF at the end
	done   func(count int64, err error) // called once
}

// newBody wraps the body of an answer. net/http has undone gzip where it asked for it; the limit counts what comes out,
// so a small answer that unpacks to a huge one is stopped as well.
func newBody(ctx context.Context, answer *http.Response, p *prepared, done func(int64, error)) *body {
	b := &body{
		source: answer.Body, ctx: ctx, host: p.target.host, status: answer.StatusCode,
		limit: p.limit, done: done,
	}
	if p.discovery && (b.status < http.StatusOK || b.status >= http.StatusMultipleChoices) {
		b.limit, b.cut = maxErrorPage, true
	}
	if !b.cut && answer.ContentLength > b.limit && b.limit >= 0 && p.method != http.MethodHead {
		b.err = b.tooLarge()
	}
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") && p.method != http.MethodHead {
		b.err = b.failure(nil, codeHTTP, "the answer from %q has the content encoding %s, which was not asked for", b.host, quote(encoding))
	}
	return b
}

// Read reads at most one byte beyond the limit, and never hands it out.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.limit >= 0 && int64(len(p)) > b.limit-b.count {
		p = p[:b.limit-b.count+1]
	}
	n, err := b.source.Read(p)
	b.count += int64(n)
	switch {
	case b.limit >= 0 && b.count > b.limit:
		b.count--
		n--
		if b.cut {
			b.end(io.EOF)
		} else {
			b.end(b.tooLarge())
		}
	case err == io.EOF:
		b.end(io.EOF)
	case err != nil:
		b.end(b.explain(err))
	}
	return n, b.err
}

func (b *body) Close() error {
	err := b.source.Close()
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
	}
	b.finish()
	return err
}

func (b *body) end(err error) {
	b.err = err
	b.finish()
}

func (b *body) finish() {
	if b.done == nil {
		return
	}
	err := b.err
	if err == io.EOF || err == http.ErrBodyReadAfterClose { //nolint:errorlint // set above as they are
		err = nil
	}
	b.done(b.count, err)
	b.done = nil
}

func (b *body) tooLarge() *fault.Error {
	return b.failure(nil, codeLarge, "the answer from %q is larger than %s", b.host, size(b.limit))
}

// explain says why the body ended early.
func (b *body) explain(err error) error {
	if why := contextCause(b.ctx, err); why != nil {
		e := contextFault(why, b.host, fault.SentYes)
		e.Status = b.status
		if e.Code == "timeout" {
			e.Message = fmt.Sprintf("the answer from %q did not end within the time limit", b.host)
		}
		return e
	}
	if isReset(err) {
		return b.failure(err, codeReset, "%q closed the connection in the middle of its answer", b.host)
	}
	return b.failure(err, codeHTTP, "the answer from %q cannot be decoded", b.host)
}

func (b *body) failure(cause error, code, format string, args ...any) *fault.Error {
	e := unavailable(cause, code, format, args...)
	e.Status, e.Sent = b.status, fault.SentYes
	return e
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
