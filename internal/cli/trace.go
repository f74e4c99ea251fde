package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
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

// hide keeps a secret out of everything that is told about the call, in each form that a URL may have it in.
func (r *run) hide(secret string) {
	if secret == "" {
		return
	}
	for _, form := range []string{secret, url.PathEscape(secret), url.QueryEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")} {
		at := 0 // longer ones first: one secret may be the beginning of another
		for at < len(r.secrets) && len(r.secrets[at]) >= len(form) {
			at += 2
		}
		r.secrets = slices.Insert(r.secrets, at, form, redacted)
	}
}

// minHidden is the shortest credential that is taken out of texts, in bytes: shorter ones are no secret, and words of ours.
const minHidden = 8

// hideCredential keeps a token out of everything that is told, whoever repeats it.
func (r *run) hideCredential(token string) {
	if len(token) >= minHidden {
		r.hide(token)
	}
}

// hideCredentials keeps all secrets of a credential out of everything that is told. Nil has none.
func (r *run) hideCredentials(c *auth.Credential) {
	if c == nil {
		return
	}
	for _, secret := range c.Secrets() {
		r.hideCredential(secret)
	}
}

// redactFault takes the secrets out of a failure: a site or a command may repeat what it was given.
func (r *run) redactFault(e fault.Error) *fault.Error {
	e.Message, e.Hint, e.Code = r.redact(e.Error()), r.redact(e.Hint), r.redact(e.Code)
	if len(r.secrets) == 0 || e.Details == nil {
		return &e
	}
	details := make(map[string]any, len(e.Details))
	for name, value := range e.Details {
		details[r.redact(name)] = r.redactDetail(value)
	}
	e.Details = details
	return &e
}

// redactDetail redacts what a detail holds. A text alone is a word or a digest of ours.
func (r *run) redactDetail(value any) any {
	raw, ok := value.(json.RawMessage) // of the site
	if _, word := value.(string); word {
		return value
	}
	if !ok {
		var err error
		if raw, err = json.Marshal(value); err != nil {
			return nil
		}
	}
	return json.RawMessage(r.redactJSON(raw))
}

// redactJSON redacts the strings of a document as they are meant, not as they are escaped.
func (r *run) redactJSON(document []byte) []byte {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(document)), jsontext.NewEncoder(&out)
	for in.PeekKind() != 0 {
		var err error
		if in.PeekKind() == '0' { // digits stay as they are
			var number jsontext.Value
			if number, err = in.ReadValue(); err == nil {
				err = to.WriteValue(number)
			}
		} else {
			var token jsontext.Token
			if token, err = in.ReadToken(); err == nil {
				if token.Kind() == '"' {
					token = jsontext.String(r.redact(token.String()))
				}
				err = to.WriteToken(token)
			}
		}
		if err != nil { // two names became one, say: rather nothing than a secret
			return []byte("null")
		}
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// redact takes the secret arguments and credentials out of a text.
func (r *run) redact(text string) string {
	if len(r.secrets) == 0 {
		return text
	}
	return strings.NewReplacer(r.secrets...).Replace(text)
}
