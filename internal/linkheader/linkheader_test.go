package linkheader

import (
	"net/http"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		fields []string
		want   string
	}{
		"none":                           {nil, ""},
		"one":                            {[]string{`</items?page=2>; rel="next"`}, "/items?page=2"},
		"a token":                        {[]string{`<a>;rel=next`}, "a"},
		"several relations":              {[]string{`<a>; rel="prev  Next"`}, "a"},
		"the second link":                {[]string{`<a>; rel="last", <b>; rel="next"`}, "b"},
		"the second field":               {[]string{`<a>; rel="last"`, `<b>; rel="next"`}, "b"},
		"a comma in the target":          {[]string{`<a,b>; rel="next"`}, "a,b"},
		"a comma in a title":             {[]string{`<a>; title="x, <b>; rel=\"next\""; rel="last", <c>; rel="next"`}, "c"},
		"blanks everywhere":              {[]string{"< a > ;\trel = \"next\" , <b>"}, "a"},
		"the first rel counts":           {[]string{`<a>; rel="last"; rel="next"`}, ""},
		"the name ignores case":          {[]string{`<a>; REL="next"`}, "a"},
		"about something else":           {[]string{`<a>; rel="next"; anchor="#x"`}, ""},
		"a flag among parameters":        {[]string{`<a>; crossorigin; rel="next"`}, "a"},
		"what is no link is passed over": {[]string{`junk "a, b", <a>; rel="next"`}, "a"},
		"no end of the target":           {[]string{`<a; rel="next"`}, ""},
		"no end of a quote":              {[]string{`<a>; rel="next`}, "a"},
		"a longer relation":              {[]string{`<a>; rel="nextpage"`}, ""},
		"an empty target":                {[]string{`<>; rel="next"`}, ""},
		"too long":                       {[]string{`<` + strings.Repeat("a", MaxBytes) + `>; rel="next"`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Find(http.Header{"Link": test.fields}, "next"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add(`<a>; title="x, y"; rel="next", <b>`)
	f.Add(`<a>;rel=next;"`)
	f.Fuzz(func(t *testing.T, field string) {
		if got := Find(http.Header{"Link": {field}}, "next"); !strings.Contains(field, got) {
			t.Errorf("%q is not in %q", got, field)
		}
	})
}
