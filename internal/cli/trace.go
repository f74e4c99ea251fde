package cli

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/render"
)

// tracer prints what the client does, a line each, on standard error. Events hold no secrets.
func (r *run) tracer() func(fetch.Event) {
	var lock sync.Mutex
	return func(e fetch.Event) {
		text := traceLine(e)
		if text == "" {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		_, _ = fmt.Fprintln(r.Err, render.CleanLine(r.redact(text)))
	}
}

func traceLine(e fetch.Event) string {
	switch e.Kind {
	case fetch.EventRequest:
		return fmt.Sprintf("> %s %s", e.Method, e.URL)
	case fetch.EventResponse:
		reused := ""
		if e.Reused {
			reused = ", connection reused"
		}
		return fmt.Sprintf("< %d %s (%s%s)", e.Status, e.Proto, short(e.Duration), reused)
	case fetch.EventBody:
		return fmt.Sprintf("* %d bytes in %s%s", e.Bytes, short(e.Duration), because(e.Err))
	case fetch.EventFailure:
		return fmt.Sprintf("* no answer after %s%s", short(e.Duration), because(e.Err))
	case fetch.EventRetry:
		return fmt.Sprintf("* trying again in %s", short(e.Wait))
	case fetch.EventRedirect:
		return fmt.Sprintf("* redirected to %s", e.URL)
	case fetch.EventCache:
		return fmt.Sprintf("* cache %s: %s%s", e.State, e.URL, because(e.Err))
	}
	return ""
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// short rounds a duration to what a person reads.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// hide keeps a secret argument out of everything that is told about the call, in each form that a URL may have it in.
func (r *run) hide(secret string) {
	if secret == "" {
		return
	}
	for _, form := range []string{secret, url.PathEscape(secret), url.QueryEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")} {
		r.secrets = append(r.secrets, form, redacted)
	}
}

// redact takes the secret arguments out of a text.
func (r *run) redact(text string) string {
	if len(r.secrets) == 0 {
		return text
	}
	return strings.NewReplacer(r.secrets...).Replace(text)
}
