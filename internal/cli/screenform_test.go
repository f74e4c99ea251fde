package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/input"
)

// onAction gives the action of a site to use, as the screen's requests have it.
func (p *puppet) onAction(site string, use func(context.Context, *published) error) {
	p.Helper()
	if _, failure := p.session.onAction(p.Context(), explore.Request{Site: site, Command: []string{"put"}, Width: 80}, use); failure != nil {
		p.Fatalf("%+v", failure)
	}
}

const manyKinds = `{"command":["put"],"method":"POST","endpoint":"/put","args":["name"],"params":[
	{"name":"name","required":true,"type":{"type":"string"}},{"name":"tags","type":{"type":"array","items":{"type":"string"}}},
	{"name":"objects","type":{"type":"array","items":{"type":"object"}}},{"name":"qty","type":{"type":"integer"}},
	{"name":"address","type":{"type":"object","properties":{"city":{"type":"string"},"geo":{"type":"object","properties":{"lat":{"type":"number"}}}}}}]}`

// A form begins with all that its line gives.
func TestAFormBeginsWithWhatTheLineGives(t *testing.T) {
	type flag = input.Flag
	value := func(text, name string, path ...string) explore.Value {
		return explore.Value{Name: name, Path: path, Text: text}
	}
	p := newPuppet(t, explore.Hello{}, nil)
	p.onAction(serveAction(t, manyKinds), func(ctx context.Context, a *published) error {
		for _, test := range []struct {
			flags []flag
			want  []explore.Value
		}{
			{[]flag{{Name: "tags", Text: "a"}, {Name: "tags", Text: "b"}}, []explore.Value{value("a", "tags"), value("b", "tags")}},
			{[]flag{{Name: "tags", Text: "a,b"}, {Name: "tags", Text: "c"}}, []explore.Value{value(`["a,b","c"]`, "tags")}},
			{[]flag{{Name: "tags", Text: "[]"}}, []explore.Value{value("[]", "tags")}},
			{[]flag{{Name: "objects", Text: `{"a":1,"b":2}`}}, []explore.Value{value(`[{"a":1,"b":2}]`, "objects")}},
			{[]flag{{Name: "address", Text: `{"city":"Paris","geo":{"lat":1.50},"floor":3}`}}, []explore.Value{value(`{"city":"Paris","geo":{"lat":1.50},"floor":3}`, "address")}},
			{[]flag{{Name: "address", Text: `{}`}}, []explore.Value{value(`{}`, "address")}},
			{[]flag{{Name: "address", Path: []string{"geo", "lat"}, Text: "2"}}, []explore.Value{value(`{"geo":{"lat":2}}`, "address")}},
			{[]flag{{Name: "qty", Text: "many"}, {Name: "name", Text: "a\nb"}}, []explore.Value{value("a\nb", "name"), value("many", "qty")}},
		} {
			a.typed.flags = test.flags
			given, err := a.prefilled(ctx)
			if diff := cmp.Diff(test.want, given.Values); diff != "" || err != nil {
				t.Errorf("%+v: %v\n%s", test.flags, err, diff)
			}
		}
		a.typed = actionOptions{words: []string{"a", "b"}}
		if _, err := a.prefilled(ctx); err == nil {
			t.Error("a surplus word is lost")
		}
		a.typed, a.Args = actionOptions{}, []string{"address.city=Rome", "nothing=5"}
		given, err := a.prefilled(ctx)
		if diff := cmp.Diff([]explore.Value{value(`{"city":"Rome"}`, "address"), value("5", "nothing")}, given.Values); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
		return nil
	})
}

// What was given and is not declared is told like on the command line.
func TestAFormChecksWhatHasNoField(t *testing.T) {
	site := serveAction(t, manyKinds)
	p := newPuppet(t, explore.Hello{}, nil)
	r := p.ask(explore.Request{Op: explore.Check, Site: site, Command: []string{"put"}, Given: values("name", "x", "nothing", "5")})
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "nothing") {
		t.Errorf("%+v", r)
	}
}
