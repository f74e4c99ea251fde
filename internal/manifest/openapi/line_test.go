package openapi

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLines(t *testing.T) {
	words := strings.Repeat("word ", 40)
	for name, c := range map[string]struct{ text, line, sentence string }{
		"one line":               {"List things", "List things", "List things"},
		"two sentences":          {"Lists things. At once.", "Lists things. At once.", "Lists things."},
		"words with a full stop": {"Lists v1.2 of e.g. Orders, etc. by name. Fast", "Lists v1.2 of e.g. Orders, etc. by name. Fast", "Lists v1.2 of e.g. Orders, etc. by name."},
		"paragraphs":             {"\n# About\r\n\r\nMore", "About", "About"},
		"a line that is broken":  {"Lists\n  all things", "Lists all things", "Lists all things"},
		"HTML":                   {`<p>Lists <a href="https://a.example">things</a> &amp; <b>more</b>.</p><p>Now.</p>`, "Lists things & more.", "Lists things & more."},
		"what is none":           {"a < b, <= c and <3 > d <", "a < b, <= c and <3 > d <", "a < b, <= c and <3 > d <"},
		"a long one":             {words, strings.TrimSpace(words[:100]) + "…", strings.TrimSpace(words[:100]) + "…"},
		"a long word":            {strings.Repeat("é", 200), strings.Repeat("é", 99) + "…", strings.Repeat("é", 99) + "…"},
		"nothing":                {" \n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := line(c.text); got != c.line {
				t.Errorf("got %q", got)
			}
			if got := sentence(c.text); got != c.sentence {
				t.Errorf("got %q", got)
			}
		})
	}
}

func FuzzLine(f *testing.F) {
	f.Add("<p>Lists\nthings. Now.</p>")
	f.Add(strings.Repeat("<a", 500) + ">")
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []string{line(text), sentence(text)} {
			if strings.Contains(got, "\n") || !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxLine+1 {
				t.Errorf("got %q", got)
			}
		}
	})
}

// What a listing has no room for, help tells.
func TestNothingOfADescriptionIsLost(t *testing.T) {
	const long = "Takes all of the things that there are in the shop, whoever wants to have them, and gives them to those who asked for them first. Then it rests."
	for name, c := range map[string]struct{ members, short, long string }{
		"both":               {`,"summary":"Grab","description":"Takes things."`, "Grab", "Grab\n\nTakes things."},
		"one that says both": {`,"summary":"Takes","description":"Takes things."`, "Takes", "Takes things."},
		"a long summary":     {`,"summary":"` + long + `"`, "Takes all of the things that there are in the shop, whoever wants to have them, and gives them to…", long},
		"no summary":         {`,"deprecated":true,"description":"Takes.\n\nNow."`, "(deprecated) Takes.", "(deprecated) Takes.\n\nNow."},
		"restish's":          {`,"summary":"Take","x-cli-description":"Grab"`, "Grab", "Grab"},
		"nothing":            {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, documentOf("3.1.0", "get", "/x", c.members, ""))
			if got := d.Site().Actions[0].Description; got != c.short {
				t.Errorf("listed as %q", got)
			}
			if got := action(t, d, "x").Description; got != c.long {
				t.Errorf("told as %q", got)
			}
		})
	}
}
