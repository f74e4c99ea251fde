package cli

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/render"
)

// exchange takes a call through credential, approval and sending, and gives its answer to use.
func (a *published) exchange(ctx context.Context, c *call.Call, use func(context.Context, *call.Result) error) error {
	account, err := a.accountOf(a.conn.origin)
	if err != nil {
		return err
	}
	var credentials []carried
	if err := a.conn.timed(ctx, func(ctx context.Context) (err error) {
		credentials, err = a.credentials(ctx, account)
		return err
	}); err != nil {
		return err
	}
	done, err := a.clear(ctx, c) // the time that a person takes does not count
	if err != nil {
		return err
	}
	return a.sendCleared(ctx, c, account, credentials, done, use)
}

// sendCleared sends a call that may go out.
func (a *published) sendCleared(ctx context.Context, c *call.Call, account auth.Account, credentials []carried, done func(*call.Result, error), use func(context.Context, *call.Result) error) error {
	var secrets []fetch.Secret
	var err error
	if len(credentials) > 0 {
		err = a.conn.timed(ctx, func(ctx context.Context) (err error) { // after the question: no secret goes anywhere before a yes
			defer a.holdCredentials()()
			secrets, err = a.secretsOf(ctx, a.conn.client, credentials)
			return err
		})
	}
	if err == nil && a.sending != nil {
		err = a.sending()
	}
	if err != nil {
		done(nil, err)
		return err
	}
	hint := a.refusedHint(credentials)
	if a.action.Grant {
		hint = a.refusedGrantHint(account)
	}
	caller := call.Caller{
		Client: a.conn.client, Secrets: secrets, Redact: a.redact, Hint: hint, Now: a.Now, Protocols: a.protocols,
		Digest: func() string { return a.facts(c).Digest() },
		Seen:   func(seen []challenge.Seen) { a.showed(c.Origin, seen) },
	}
	return a.conn.timed(ctx, func(ctx context.Context) error {
		result, err := a.send(ctx, caller, c)
		done(result, err)
		if err != nil {
			a.forgetRefused(ctx, credentials, err)
			return err
		}
		defer result.Body.Close()
		return served(result, use(ctx, result))
	})
}

// holdCredentials keeps other calls of the same run from the credentials until they are let go.
func (a *published) holdCredentials() (letGo func()) {
	if a.renewing == nil {
		return func() {}
	}
	a.renewing.Lock()
	return a.renewing.Unlock
}

// forgetRefused has the next call get another token where the site did not take this one, if another can be had.
func (a *published) forgetRefused(ctx context.Context, credentials []carried, err error) {
	if fault.From(err).Status != http.StatusUnauthorized {
		return
	}
	defer a.holdCredentials()()
	store, err := a.store()
	for _, each := range credentials {
		if err == nil {
			err = store.Refused(ctx, each.Credential)
		}
	}
	a.warnIf(err)
}

// show prints the answer of a call, or saves it.
func (a *published) show(ctx context.Context, result *call.Result, output render.Options) error {
	if a.Save != "" {
		body := render.Body{ContentType: result.ContentType, Reader: result.Body, Length: result.Length}
		return render.Save(ctx, a.Streams, body, a.Save, a.Quiet)
	}
	stop := a.spin("reading the answer of " + a.target(string(a.conn.origin)))
	content, err := result.Content() // whole or not at all: what breaks off or is over the limit prints nothing
	stop()
	if err != nil {
		return err
	}
	if result.Summary != "" && !a.raw() && output.Format == "" {
		return a.showBody(ctx, "text/markdown", []byte(result.Summary), output)
	}
	return a.showBody(ctx, result.ContentType, content, output)
}

// showBody prints a body in the form that is wanted.
func (r *run) showBody(ctx context.Context, contentType string, body []byte, output render.Options) error {
	return r.paged(func() error {
		return render.Result(ctx, r.Streams, render.Body{ContentType: contentType, Reader: bytes.NewReader(body), Length: int64(len(body))}, output)
	})
}

// served marks a failure that came after an answer, and tells with it of a payment: who calls again pays again.
func served(result *call.Result, err error) error {
	err = answered(err)
	if err == nil || errors.Is(err, render.ErrOutputClosed) || result.Paid == nil {
		return err
	}
	f := *fault.From(err)
	f.Details = maps.Clone(f.Details)
	if f.Details == nil {
		f.Details = map[string]any{}
	}
	f.Details["paid"] = result.Paid
	if id, ok := result.Paid["id"].(string); ok && f.Hint == "" {
		f.Hint = "agentctl receipts show " + id + " tells of the payment; ask the site before paying again"
	}
	return &f
}

// answered marks a failure that came after the site's answer: the request has had its effect.
func answered(err error) error {
	if err == nil || errors.Is(err, render.ErrOutputClosed) {
		return err
	}
	after := *fault.From(err)
	after.Sent = fault.SentYes
	return &after
}
