package cli

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
)

// arguments turns words, flags, --arg and --input into typed values, and --file into an upload.
func (a *published) arguments(ctx context.Context) (*manifest.Values, jsontext.Value, error) {
	words, err := a.commonWords(ctx)
	if err != nil {
		return nil, nil, err
	}
	values, problems := a.values(words)
	upload, err := a.upload()
	if err != nil {
		e := *fault.From(err)
		e.Problems = slices.Concat(problems, e.Problems)
		return nil, nil, &e
	}
	if len(problems) > 0 {
		return nil, nil, a.perhapsCommand(ctx, invalidArguments(problems, a.path()))
	}
	return values, upload, nil
}

// commonWords is what the command line says about the arguments, --input read.
func (a *published) commonWords(ctx context.Context) (input.Words, error) {
	words := input.Words{Positional: a.typed.words, Flags: a.typed.flags, Pairs: a.Args, Read: func(name string) ([]byte, error) { return a.ReadFile(ctx, name) }}
	if a.Input == "" {
		return words, nil
	}
	content, err := a.ReadFile(ctx, a.Input)
	if err != nil {
		return words, fault.New(fault.Usage, "invalid_input", "--input: %w", err)
	}
	if a.takesBody {
		a.body = content
	} else {
		words.Object = content
	}
	return words, nil
}

// values types words and checks them.
func (a *published) values(words input.Words) (*manifest.Values, []fault.Problem) {
	values, problems := a.params.Values(words)
	for i, p := range problems {
		if a.taken[p.Param] { // "--json must be …" would be about another flag
			problems[i].Message += " (it is given as --arg " + p.Param + "=VALUE)"
		}
	}
	return values, problems
}

// upload reads what --file names; nil for nothing.
func (a *published) upload() (jsontext.Value, error) {
	if a.action.Files == nil || len(a.typed.files) == 0 {
		return nil, nil
	}
	return input.Upload(a.action.Files, a.typed.files, a.Disk)
}

// perhapsCommand adds to the problems of an action that is a group as well the command that a surplus word may stand for.
func (a *published) perhapsCommand(ctx context.Context, e *fault.Error) error {
	surplus := func(p fault.Problem) bool { return p.Keyword == "args" }
	isBoolean := func(word string) bool { return word == "true" || word == "false" }
	if slices.ContainsFunc(e.Problems, surplus) && slices.ContainsFunc(a.typed.words, isBoolean) {
		e.Hint = "a boolean flag takes its value in one word, as in --gift=false; " + e.Hint
	}
	if a.stray == "" || !slices.ContainsFunc(e.Problems, surplus) {
		return e
	}
	unknown := fault.From(a.unknown(ctx, a.stray))
	e.Message += "; " + unknown.Message
	e.Hint = unknown.Hint
	return e
}
