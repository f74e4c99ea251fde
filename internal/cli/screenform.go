package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
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
	if err == nil && (a.reach.all || a.reach.open) {
		err = fault.New(fault.Usage, "invalid_flag", "--all and --open do not go with --interactive").WithHint("%s --help", a.path())
	}
	if err != nil {
		return err
	}
	if a.takesBody && a.Input != "" {
		flags = append(flags, "--input="+a.Input)
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

// prefilled is what the line gives to the form: what reads as a value, and all else as it was typed, for the form to tell what is
// wrong with it.
func (a *published) prefilled(ctx context.Context) (explore.Given, error) {
	words, err := a.commonWords(ctx)
	if err != nil {
		return explore.Given{}, err
	}
	values, problems := a.params.Values(words)
	if surplus := slices.DeleteFunc(problems, func(p fault.Problem) bool { return p.Keyword != "args" }); len(surplus) > 0 {
		return explore.Given{}, invalidArguments(surplus, a.path()) // a form has no place for them
	}
	given := explore.Given{Files: a.typed.files}
	if values == nil {
		values = &manifest.Values{}
	}
	for _, name := range values.Names() {
		value, _ := values.Get(name)
		texts := a.textsOf(name, value)
		if slices.ContainsFunc(texts, func(text string) bool {
			return strings.Contains(text, ",") || strings.TrimSpace(text) != text || text == ""
		}) {
			texts = []string{plain(value)} // commas part the elements in a form
		}
		for _, text := range texts {
			given.Values = append(given.Values, explore.Value{Name: name, Text: text})
		}
	}
	for _, v := range a.asTyped(words) {
		if _, ok := values.Get(v.Name); !ok {
			given.Values = append(given.Values, v)
		}
	}
	return given, nil
}

// asTyped are the words of the line as values for the form, whatever they are.
func (a *published) asTyped(words input.Words) (out []explore.Value) {
	add := func(name string, path []string, text string) {
		out = append(out, explore.Value{Name: name, Path: path, Text: text})
	}
	if words.Object != nil && strictjson.Check(words.Object) == nil {
		for name, value := range strictjson.Members(words.Object) {
			add(name, nil, plain(value))
		}
	}
	positions := a.params.Positions()
	for i, word := range words.Positional {
		add(positions[min(i, len(positions)-1)], nil, word)
	}
	for _, f := range words.Flags {
		add(f.Name, f.Path, f.Text)
	}
	for _, pair := range words.Pairs {
		name, text, _ := strings.Cut(pair, "=")
		words := strings.Split(name, ".")
		if _, declared := a.action.Param(name); !declared && len(words) > 1 {
			add(words[0], words[1:], text)
			continue
		}
		add(name, nil, text)
	}
	return out
}
