package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/render"
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
		texts := []string{plain(value)}
		if ok && i == len(positions)-1 {
			texts = a.textsOf(name, value)
		}
		if !ok || hidden[name] != "" || slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, "-") }) {
			break // what follows a gap cannot be given by position, nor can what looks like a flag
		}
		delete(given, name)
		for _, text := range texts {
			words = append(words, shellWord(text))
		}
	}
	names := make([]string, 0, len(given))
	for _, param := range a.action.Params {
		names = append(names, param.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) { // behind those that are declared
		if !slices.Contains(names, name) {
			names = append(names, name)
			a.taken[name] = true
		}
	}
	for _, name := range names {
		value, ok := given[name]
		switch {
		case ok && hidden[name] == "":
			words = append(words, a.flagWords(name, value)...)
		case ok && a.taken[name]:
			words = append(words, "--arg", shellWord(name+"=")+hidden[name])
		case ok:
			words = append(words, "--"+shellWord(name)+"="+hidden[name])
		}
	}
	return words
}

// flagWords gives one value by name.
func (a *published) flagWords(name string, value jsontext.Value) []string {
	flag := "--" + shellWord(name)
	if !a.taken[name] && a.params.Describe(name).Boolean { // its value is in the same word
		if value.Kind() == 't' {
			return []string{flag}
		}
		return []string{flag + "=" + shellWord(plain(value))}
	}
	var words []string
	for _, text := range a.textsOf(name, value) {
		if a.taken[name] {
			words = append(words, "--arg", shellWord(name+"="+text))
		} else {
			words = append(words, flag, shellWord(text))
		}
	}
	return words
}

// textsOf are the texts that give a value: one for each element of a list, or else one for all of it. Elements that would be read as
// something else, such as "@file" or a number in quotes, are only safe in the whole.
func (a *published) textsOf(name string, value jsontext.Value) []string {
	if value.Kind() != '[' {
		return []string{plain(value)}
	}
	words := input.Words{Read: func(string) ([]byte, error) { return nil, fs.ErrNotExist }}
	var texts []string
	for _, element := range strictjson.Elements(value) {
		text := plain(element)
		if element.Kind() == '{' || element.Kind() == '[' {
			return []string{plain(value)}
		}
		texts = append(texts, text)
		words.Flags = append(words.Flags, input.Flag{Name: name, Text: text})
	}
	if read, _ := a.params.Values(words); read != nil {
		if got, ok := read.Get(name); ok && bytes.Equal(got, strictjson.Compact(value)) {
			return texts
		}
	}
	return []string{plain(value)}
}

// plain is a value as it is typed: strings without quotes, all else as compact JSON.
func plain(value jsontext.Value) string {
	if text, ok := strictjson.String(value); ok {
		return text
	}
	return string(strictjson.Compact(value))
}

// shellWord quotes a word for a POSIX shell where it needs it. What cannot be shown on one line as it is comes as $'…'.
func shellWord(word string) string {
	if utf8.ValidString(word) && render.CleanLine(word) != word {
		return "$'" + escaped(word) + "'"
	}
	safe := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !safe(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// escaped is text for $'…': each byte of what must not be shown as \NNN, which needs no digits behind it to end it.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case render.CleanLine(string(r)) == string(r):
			b.WriteRune(r)
		default:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
	}
	return b.String()
}
