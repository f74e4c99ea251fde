package render

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

const templateDocument = `{"orders":[{"id":"a","qty":2,"total":12345678901234567890.10,"at":"2027-03-12T12:00:00Z","tags":["x","y"]},` +
	`{"id":"bcd","qty":10,"total":0.1000,"at":"2027-03-15T11:59:30Z","tags":[]}],"next":null,"evil":"\u001b[31mred","url":"https://shop.example/"}`

func TestTemplate(t *testing.T) {
	terminal := TemplateOptions{Terminal: true, Color: true}
	for name, test := range map[string]struct {
		text, want string
		o          TemplateOptions
	}{
		"digits are kept":             {"{{range .orders}}{{.total}} {{end}}", "12345678901234567890.10 0.1000 ", TemplateOptions{}},
		"numbers are compared":        {"{{range .orders}}{{if gt .qty 9}}{{.id}}{{end}}{{if eq .total 0.1}}!{{end}}{{end}}", "bcd!", TemplateOptions{}},
		"text is compared":            {`{{range .orders}}{{if eq .id "a"}}yes{{end}}{{if ne .id "a"}}no{{end}}{{end}}`, "yesno", TemplateOptions{}},
		"one of several":              {`{{range .orders}}{{if eq .id "x" "a"}}yes{{end}}{{if eq .qty 1 2}}2{{end}}{{end}}`, "yes2", TemplateOptions{}},
		"numbers are formatted":       {`{{with index .orders 0}}{{printf "%03d|%x|%.1f|%8.3f|%v|%s|%q|%d" .qty .qty .total .qty .total .qty .qty .total}}{{end}}`, `002|2|12345678901234567890.1|   2.000|12345678901234567890.10|2|"2"|%!d(string=12345678901234567890.10)`, TemplateOptions{}},
		"join and pluck":              {`{{.orders | pluck "id" | join ", "}}`, "a, bcd", TemplateOptions{}},
		"join numbers":                {`{{join "+" (pluck "qty" .orders)}}`, "2+10", TemplateOptions{}},
		"a table aligns itself":       {`{{range .orders}}{{tablerow .id .qty}}{{end}}`, "a    2\nbcd  10\n", TemplateOptions{}},
		"a table in the middle":       {`{{tablerow "x" "y"}}{{tablerender}}end`, "x  y\nend", TemplateOptions{}},
		"colours do not shift tables": {`{{range .orders}}{{tablerow (autocolor "red" .id) .qty}}{{end}}`, "\x1b[31ma\x1b[0m    2\n\x1b[31mbcd\x1b[0m  10\n", terminal},
		"times":                       {`{{range .orders}}{{timeago .at}}; {{timefmt "Jan 2" .at}}; {{end}}`, "3 days ago; Mar 12; just now; Mar 15; ", TemplateOptions{}},
		"truncate":                    {`{{truncate 4 "popcorn"}}|{{truncate 2 "漢字"}}|{{truncate 9 "corn"}}|{{truncate 3 nil}}`, "pop…|…|corn|", TemplateOptions{}},
		"color always paints":         {`{{color "green+b" "x"}}`, "\x1b[32;1mx\x1b[0m", TemplateOptions{}},
		"autocolor not in a pipe":     {`{{autocolor "green" "x"}}`, "x", TemplateOptions{}},
		"hyperlink":                   {`{{hyperlink .url "shop"}}`, "\x1b]8;;https://shop.example/\x1b\\shop\x1b]8;;\x1b\\", terminal},
		"hyperlink in a pipe":         {`{{hyperlink .url "shop"}}`, "shop", TemplateOptions{}},
		"json":                        {`{{json (index .orders 0).tags}}`, `["x","y"]`, TemplateOptions{}},
		"no escapes on a terminal":    {`{{.evil}}`, "red", terminal},
		"cut characters on one":       {`{{slice "é" 0 1}}`, "\ufffd", terminal},
		"as it came in a pipe":        {`{{.evil}}`, "\x1b[31mred", TemplateOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := CompileTemplate(test.text)
			if err != nil {
				t.Fatal(err)
			}
			test.o.Now = time.Date(2027, 3, 15, 12, 0, 0, 0, time.UTC)
			var out bytes.Buffer
			if err := parsed.Run(t.Context(), &out, []byte(templateDocument), test.o); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got %q, want %q", out.String(), test.want)
			}
		})
	}
}

func TestTemplatesThatAreRefused(t *testing.T) {
	for _, text := range []string{"{{", "{{nothing .a}}", "{{range}}"} {
		_, err := CompileTemplate(text)
		if e := fault.From(err); e == nil || e.Code != "invalid_template" || e.Kind != fault.Usage {
			t.Errorf("%q: got %v", text, err)
		}
	}
	for _, text := range []string{`{{join "," 3}}`, `{{timeago "soon"}}`, `{{color "ultraviolet" "x"}}`, `{{lt "a" 1}}`, `{{.a.b.c}}`, `{{template "x"}}`} {
		parsed, err := CompileTemplate(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		err = parsed.Run(t.Context(), new(bytes.Buffer), []byte(`{"a":"text"}`), TemplateOptions{})
		if e := fault.From(err); e == nil || e.Code != "template_failed" || e.Kind != fault.Internal {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestTemplatesThatDoNotEnd(t *testing.T) {
	for name, text := range map[string]string{
		"a table":  `{{range 100000000000}}{{tablerow "x"}}{{end}}`,
		"printing": `{{range 100000000000}}` + strings.Repeat("x", 1<<16) + `{{end}}`,
		"rows":     `{{range 100000000000}}{{tablerow "x"}}{{end}}`,
		"silent":   `{{range 100000}}{{end}}`,
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := CompileTemplate(text)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if name != "printing" && name != "a table" {
				cancel()
			}
			err = parsed.Run(ctx, new(bytes.Buffer), []byte(`{}`), TemplateOptions{})
			cancel()
			if !errors.Is(err, errTooMuchOutput) && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}
