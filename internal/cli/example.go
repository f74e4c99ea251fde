package cli

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// exampleLine is the published example as a command line that can be run, or "" when none is published.
func (a *published) exampleLine() string {
	if a.action.Example == nil || a.action.Example.Input.Kind() != '{' {
		return ""
	}
	words := a.lineOf(a.exampleInput(), nil)
	if files := a.action.Files; files != nil {
		name := "FILE"
		if len(files.Whitelist) > 0 {
			name += files.Whitelist[0]
		}
		words = append(words, "--"+fileFlag, shellWord(name))
	}
	return strings.Join(words, " ")
}

// exampleInput is the input of the published example, by name; empty where there is none.
func (a *published) exampleInput() map[string]jsontext.Value {
	given := map[string]jsontext.Value{}
	if a.action.Example == nil || a.action.Example.Input.Kind() != '{' {
		return given
	}
	for name, value := range strictjson.Members(a.action.Example.Input) {
		given[name] = strictjson.Compact(value)
	}
	return given
}

// lineOf is the command line for arguments, in words that are quoted for a shell. Of a secret it holds the variable that hidden
// has for it. It empties given.
func (a *published) lineOf(given map[string]jsontext.Value, hidden map[string]string) []string {
	words := []string{a.path()}
	positions := a.params.Positions()
	for i, name := range positions {
		value, ok := given[name]
		if !ok || hidden[name] != "" || strings.HasPrefix(plain(value), "-") {
			break // what follows a gap cannot be given by position, nor can what looks like a flag
		}
		delete(given, name)
		if value.Kind() == '[' && i == len(positions)-1 {
			for _, element := range strictjson.Elements(value) {
				words = append(words, shellWord(plain(element)))
			}
			continue
		}
		words = append(words, shellWord(plain(value)))
	}
	for _, param := range a.action.Params {
		value, ok := given[param.Name]
		switch {
		case ok && hidden[param.Name] == "":
			words = append(words, a.flagWords(param.Name, value)...)
		case ok && a.taken[param.Name]:
			words = append(words, "--arg", shellWord(param.Name+"=")+hidden[param.Name])
		case ok:
			words = append(words, "--"+shellWord(param.Name)+"="+hidden[param.Name])
		}
	}
	return words
}

// flagWords gives one value by name.
func (a *published) flagWords(name string, value jsontext.Value) []string {
	if a.taken[name] {
		return []string{"--arg", shellWord(name + "=" + plain(value))}
	}
	flag := "--" + shellWord(name)
	switch value.Kind() {
	case 't':
		if a.params.Describe(name).Boolean {
			return []string{flag}
		}
	case 'f':
		return []string{flag + "=false"}
	case '[':
		var words []string
		for _, element := range strictjson.Elements(value) {
			if k := element.Kind(); k == '{' || k == '[' {
				return []string{flag, shellWord(string(value))}
			}
			words = append(words, flag, shellWord(plain(element)))
		}
		return words
	}
	return []string{flag, shellWord(plain(value))}
}

// plain is a value as it is typed: strings without quotes, all else as compact JSON.
func plain(value jsontext.Value) string {
	if text, ok := strictjson.String(value); ok {
		return text
	}
	return string(strictjson.Compact(value))
}

// shellWord quotes a word for a POSIX shell where it needs it.
func shellWord(word string) string {
	safe := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !safe(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
