package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// aboutOneCall are global flags that decide about a call before the person has seen it.
func aboutOneCall() []string { return []string{"yes", "approve", "dry-run"} }

// inForm shows the form of the action, with what the line gives to it, and prints the answer when the person has left it.
func (a *published) inForm(ctx context.Context, output render.Options) error {
	given, err := a.prefilled(ctx)
	if err != nil {
		return err
	}
	flags, err := screenFlags(a.root.PersistentFlags(), aboutOneCall())
	if err != nil {
		return err
	}
	var own []string
	if a.reach.binding != "" {
		own = []string{"--binding=" + string(a.reach.binding)}
	}
	s, err := a.onScreen(ctx, explore.Hello{Site: a.siteWord, Command: a.node.Command, Given: given, Raw: a.raw()}, flags, own)
	if err != nil {
		return err
	}
	if s.answers.failure != nil {
		return s.answers.failure
	}
	last, ok := s.answers.last()
	switch {
	case !ok:
		return fault.New(fault.Approval, "declined", "the form was left; nothing was sent")
	case a.Save != "":
		return render.Save(ctx, a.Streams, last.asBody(), a.Save, a.Quiet)
	case last.summary != "" && !a.raw() && output.Format == "":
		return a.showBody(ctx, "text/markdown", []byte(last.summary), output)
	}
	return a.showBody(ctx, last.contentType, last.body, output)
}

// prefilled is what the line gives to the form.
func (a *published) prefilled(ctx context.Context) (explore.Given, error) {
	words, err := a.commonWords(ctx)
	if err != nil {
		return explore.Given{}, err
	}
	given := explore.Given{Files: a.typed.files}
	add := func(name string, path []string, text string) {
		given.Values = append(given.Values, explore.Value{Name: name, Path: path, Text: text})
	}
	if words.Object != nil && strictjson.Check(words.Object) == nil {
		for name, value := range strictjson.Members(words.Object) {
			add(name, nil, plain(value))
		}
	}
	positions := a.params.Positions()
	for i, word := range words.Positional {
		if len(positions) == 0 {
			return given, invalidArguments([]fault.Problem{{Keyword: "args", Message: "takes no arguments by position"}}, a.path())
		}
		add(positions[min(i, len(positions)-1)], nil, word)
	}
	for _, f := range words.Flags {
		add(f.Name, f.Path, f.Text)
	}
	for _, pair := range words.Pairs {
		name, text, _ := strings.Cut(pair, "=")
		add(name, nil, text)
	}
	given.Values = slices.Clip(given.Values)
	return given, nil
}
