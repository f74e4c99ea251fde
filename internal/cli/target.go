package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

const (
	schemaFlag      = "schema"      // has an action described to a program
	interactiveFlag = "interactive" // has it filled in and called on a screen
)

// targetOptions are the flags that an action has for the way in which it is reached.
type targetOptions struct {
	binding text // the kind of binding to take (AM-14)
	open    bool // show the page to the person
	all     bool // follow the pages of a list
	schema  bool // describe it to a program

	interactive bool // fill it in and call it on a screen
}

// bindingFlags are those that decide what an action takes, so they are read before everything else.
func (p *place) bindingFlags(args []string) *targetOptions {
	o := &targetOptions{}
	if p.node.Action.Format != agentmanifest.Format {
		return o
	}
	set := newFlagSet()
	p.register(set)
	o.register(set, p.node.Action.Format, site.Target{})
	for _, flag := range readLine(args, set, nil).flags {
		if kind, ok := strings.CutPrefix(flag, "--binding="); ok {
			o.binding = text(kind)
		}
	}
	return o
}

// register declares the flags that have a meaning for the target.
func (o *targetOptions) register(set *pflag.FlagSet, format string, target site.Target) {
	if format == agentmanifest.Format {
		set.Var(&o.binding, "binding", "reach it by the binding of the `KIND`: http, openapi, mcp, static, html or hosted-checkout")
	}
	o.registerSchema(set)
	set.BoolVar(&o.interactive, interactiveFlag, false, "fill it in on a screen, which shows the request before it is sent")
	if target.HandOver {
		set.BoolVar(&o.open, "open", false, "open the page in the browser")
	}
	if target.Pages {
		set.BoolVar(&o.all, "all", false, "get all pages of the list, as one")
	}
}

func (o *targetOptions) registerSchema(set *pflag.FlagSet) {
	set.BoolVar(&o.schema, schemaFlag, false, "print what it takes, gives and does, as JSON; nothing is sent")
}

// aim points a call at its target: at another origin it goes without a credential, and whoever approves is told.
func (a *published) aim(ctx context.Context) (release func(), err error) {
	target := a.action.Target.Origin
	if target == "" || target == a.conn.origin {
		return func() {}, nil
	}
	at := *a.place
	if at.conn, err = a.connect(ctx, target, site.Alias{}); err != nil {
		return nil, err
	}
	a.place, a.anonymous = &at, true
	return at.conn.close, nil
}

// signedIn refuses a call that has to carry a credential and would not (AM-12).
func (a *published) signedIn() error {
	if !a.action.Target.SignIn {
		return nil
	}
	account, err := a.accountOf(a.conn.origin)
	if err != nil {
		return err
	}
	if parts, err := a.carries(); len(parts) > 0 || err != nil {
		return err
	}
	return auth.Missing(account).WithHint("agentctl auth login %s", a.siteWord)
}

// handedOver is a page that a person has to open, as a document.
type handedOver struct {
	Status  string   `json:"status"`
	Command []string `json:"command"`
	URL     string   `json:"url"`
}

// handOver tells which page the person has to open; nothing is submitted (AM-15).
func (a *published) handOver(ctx context.Context, request *call.Request) error {
	if a.reach.open {
		if a.OpenURL == nil {
			return fault.New(fault.Internal, "no_browser", "there is no browser to open %s", request.URL)
		}
		if err := a.OpenURL(ctx, request.URL); err != nil {
			return fault.New(fault.Internal, "no_browser", "opening %s: %w", request.URL, err)
		}
	}
	document := handedOver{"handed_over", a.node.Command, request.URL}
	return a.print(document, func() error {
		h := a.newHelp()
		h.paragraph("This goes on at a page of the site's; nothing was sent.")
		h.line(a.strong(render.CleanLine(request.URL)))
		return h.write(a.Out)
	})
}

// send makes the call in the way of its target, and has its format read the answer.
func (a *published) send(ctx context.Context, caller call.Caller, c *call.Call) (*call.Result, error) {
	result, err := a.deliver(ctx, caller, c)
	if err != nil && a.action.Failed != nil {
		err = a.action.Failed(err)
	}
	if err != nil {
		return nil, err
	}
	if a.action.Answer != nil {
		if err := a.action.Answer(result); err != nil {
			_ = result.Body.Close()
			return nil, served(result, err)
		}
	}
	for _, warning := range result.Warnings {
		_ = a.say("warning: %s", render.CleanLine(a.redact(warning)))
	}
	return result, nil
}

func (a *published) deliver(ctx context.Context, caller call.Caller, c *call.Call) (*call.Result, error) {
	a.startSpinner()
	defer a.stopSpinner()
	if a.action.Target.Tool {
		return a.callTool(ctx, caller, c)
	}
	return caller.Do(ctx, c)
}

// startSpinner shows that the site takes its time.
func (a *published) startSpinner() {
	a.spinner = a.spin("waiting for " + a.target(string(a.conn.origin)))
}

func (a *published) stopSpinner() {
	if a.spinner != nil {
		a.spinner()
		a.spinner = nil
	}
}

// still runs a step that asks or tells the person something in the course of a call: a spinner would paint over it.
func (a *published) still(step func() error) error {
	if a.spinner == nil {
		return step()
	}
	a.stopSpinner()
	defer a.startSpinner()
	return step()
}

// nameOf reads {"name","arguments"}, the body that stands for the call of a tool.
func nameOf(body []byte) (name string, arguments json.RawMessage, err error) {
	var c struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	err = json.Unmarshal(body, &c)
	return c.Name, c.Arguments, err
}
