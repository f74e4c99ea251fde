package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of what a screen is given of a site.
const (
	maxScreenItems  = 20_000
	maxScreenFields = 1000
	maxListedText   = 1000 // bytes of what a list says about an action
	maxMemberDepth  = 3    // of an object whose members have fields of their own
)

// sites are the sites that are known, the ones with a name first.
func (s *screenSession) sites() explore.Reply {
	list := []explore.Site{}
	for _, known := range s.knownSites() {
		list = append(list, explore.Site{Name: known[0], What: render.CleanLine(known[1])})
	}
	return explore.Reply{Sites: list}
}

// at does something at a site's command. What the cache has is used as it is, however old; only where it has nothing, or a
// refresh is wanted, the site is asked. For a preview it is asked whenever it is for a call: that is what is shown.
func (s *screenSession) at(ctx context.Context, q explore.Request, use func(context.Context, *place) error) (notes []string, failure *explore.Failure) {
	tries := []string{"--offline=true", "--offline=false"}
	switch {
	case q.Op == explore.Preview:
		tries = []string{"--refresh=false"}
	case q.Refresh:
		tries = []string{"--refresh=true"}
	case q.Cached:
		tries = tries[:1]
	}
	for _, flag := range tries {
		sub, captured, err := s.newRun(q.Site, q.Width, flag)
		if err == nil {
			err = sub.onSite(ctx, captured.root, q.Command, func(ctx context.Context, p *place) error {
				if _, err := p.walk(ctx, wordsOf(q.Command), len(q.Command)); err != nil {
					return err
				}
				return use(ctx, p)
			})
		}
		if notes, failure = captured.notes(), nil; err == nil {
			return notes, nil
		}
		failure = s.failure(ctx, sub, err)
		if failure.Kind != fault.Unavailable && failure.Kind != fault.Manifest || s.Offline || ctx.Err() != nil {
			break
		}
	}
	return notes, failure
}

// wordsOf are the words of a command, as if they stood alone on a line.
func wordsOf(command []string) []word {
	words := make([]word, len(command))
	for i, text := range command {
		words[i] = word{text, i}
	}
	return words
}

// openSite lists all that a site publishes.
func (s *screenSession) openSite(ctx context.Context, q explore.Request) explore.Reply {
	q.Command = nil
	listing := &explore.Listing{Site: q.Site, Items: []explore.Item{}}
	notes, failure := s.at(ctx, q, func(ctx context.Context, p *place) error {
		overview := p.site.Overview()
		listing.Name, listing.Description = cutText(overview.Name, maxListedText), cutText(p.node.Description, maxListedText)
		if err := p.listBelow(ctx, p.node, listing); err != nil {
			return err
		}
		entries, err := p.site.Children(ctx, p.node)
		for _, h := range p.helpersBelow(entries) {
			listing.Items = append(listing.Items, explore.Item{Command: []string{h.name}, Description: h.short, Helper: true, Note: "on the command line"})
		}
		return err
	})
	if failure != nil {
		return explore.Reply{Notes: notes, Failure: failure}
	}
	return explore.Reply{Notes: notes, Listing: listing}
}

// listBelow adds what is below a node, each group with what is in it.
func (p *place) listBelow(ctx context.Context, n *site.Node, to *explore.Listing) error {
	entries, err := p.site.Children(ctx, n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if len(to.Items) == maxScreenItems {
			to.Left++
			continue
		}
		command := append(slices.Clone(n.Command), e.Word)
		to.Items = append(to.Items, explore.Item{
			Command: command, Description: cutText(e.Description, maxListedText), Group: e.Group, Action: e.Action, Note: notes(e), Effect: string(e.Effect), Usable: e.Action && e.Issue == "",
		})
		if !e.Group {
			continue
		}
		below, err := p.site.Find(ctx, command)
		if err == nil && below != nil {
			err = p.listBelow(ctx, below, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onAction does something with one action, its parameters compiled.
func (s *screenSession) onAction(ctx context.Context, q explore.Request, use func(context.Context, *published) error) ([]string, *explore.Failure) {
	return s.at(ctx, q, func(ctx context.Context, p *place) error { return s.withAction(ctx, p, use) })
}

// withAction prepares an action for the screen.
func (s *screenSession) withAction(ctx context.Context, p *place, use func(context.Context, *published) error) error {
	if p.node.Action == nil {
		return fault.New(fault.Usage, "not_an_action", "%s is no action", p.path())
	}
	return p.withAction(ctx, s.own, func(ctx context.Context, a *published) error {
		a.command() // which parameters have a flag of their own
		return use(ctx, a)
	})
}

// describe tells all about an action that helps to fill in its form.
func (s *screenSession) describe(ctx context.Context, q explore.Request) explore.Reply {
	var d *explore.Description
	notes, failure := s.onAction(ctx, q, func(_ context.Context, a *published) error {
		d, s.described = a.forScreen(), a
		return nil
	})
	if failure != nil {
		return explore.Reply{Notes: notes, Failure: failure}
	}
	return explore.Reply{Notes: notes, Action: d}
}

// forScreen describes an action to the screen.
func (a *published) forScreen() *explore.Description {
	d := &explore.Description{
		Site: a.siteWord, Command: a.node.Command, Line: a.path(), Text: render.Clean(a.action.Description), Effect: string(a.action.Effect),
		Example: render.CleanLine(a.exampleLine()), HandOver: a.action.Target.HandOver,
	}
	for _, row := range a.effectRows() {
		d.Facts = append(d.Facts, [2]string{row[0], row[1]})
	}
	given := a.exampleInput()
	order := a.params.Positions()
	for _, param := range a.action.Params {
		if !slices.Contains(order, param.Name) {
			order = append(order, param.Name)
		}
	}
	for _, name := range order {
		param, _ := a.action.Param(name)
		d.Fields = a.fieldsFor(d.Fields, param, nil, given[name])
	}
	if len(d.Fields) > maxScreenFields {
		d.Fields = d.Fields[:maxScreenFields]
		d.Issues = append(d.Issues, fmt.Sprintf("a form has %d arguments at most; the others can be given on the command line alone", maxScreenFields))
	}
	if f := a.action.Files; f != nil {
		d.Files = &explore.Files{Multiple: f.Multiple, Max: f.MaxFiles, Only: f.Whitelist, Help: filesHelp(f)}
	}
	if e := a.action.Example; e != nil && e.Output != nil {
		d.Output = shown(string(e.Output))
	}
	for _, issue := range a.action.Issues {
		d.Issues = append(d.Issues, render.CleanLine(issue.Code+" "+issue.Pointer+": "+issue.Message))
	}
	return d
}

// fieldsFor adds the fields of a parameter, or of a member of one: an object of few levels has one for each of its members.
func (a *published) fieldsFor(to []explore.Field, param manifest.Param, path []string, example jsontext.Value) []explore.Field {
	if len(to) > maxScreenFields { // objects in objects can be many more than were published
		return to
	}
	name := param.Name
	if len(path) > 0 {
		name = path[0]
		path = path[1:]
	}
	d := a.params.DescribePath(name, path)
	if d.Object && len(d.Members) > 0 && len(path) < maxMemberDepth {
		for _, member := range d.Members {
			below := member
			below.Required = param.Required && member.Required
			value, _ := strictjson.Member(example, member.Name)
			to = a.fieldsFor(to, below, append(append([]string{name}, path...), member.Name), value)
		}
		return to
	}
	return append(to, fieldFor(name, path, param, d, example))
}

func fieldFor(name string, path []string, param manifest.Param, d input.Description, example jsontext.Value) explore.Field {
	f := explore.Field{
		Name: name, Path: path, Type: d.Type, Description: render.CleanLine(param.Description), Limits: render.CleanLine(d.Limits), Default: render.CleanLine(d.Default),
		Enum: d.Enum, Required: param.Required, Boolean: d.Boolean, List: d.Repeatable, Object: d.Object, Secret: d.Secret || policy.SecretName(fieldName(name, path)),
	}
	if f.Description == "" {
		f.Description = render.CleanLine(param.Label)
	}
	if example == nil {
		example = param.Example
	}
	if example != nil {
		f.Example = plain(example)
	}
	if f.Secret {
		f.Example, f.Default = "", ""
	}
	return f
}

// fieldName is the last word of what leads to a field.
func fieldName(name string, path []string) string {
	if len(path) > 0 {
		return path[len(path)-1]
	}
	return name
}
