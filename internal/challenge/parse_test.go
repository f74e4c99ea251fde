package challenge

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	p := func(pairs ...string) (list []Param) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, Param{pairs[i], pairs[i+1]})
		}
		return list
	}
	tests := []struct {
		name    string
		fields  []string
		want    []Challenge
		trouble string // a part of the error; "" for none
	}{
		{"none", nil, nil, ""},
		{"nothing in a field", []string{" , ,"}, nil, ""},
		{"a scheme alone", []string{"Negotiate"}, []Challenge{{Scheme: "Negotiate"}}, ""},
		{"parameters", []string{`Bearer realm="a", scope=read`}, []Challenge{{Scheme: "Bearer", Params: p("realm", "a", "scope", "read")}}, ""},
		{"several in a line", []string{`Basic realm="a", Bearer, AEP service_did="did:web:a", inspect="https://a/"`}, []Challenge{
			{Scheme: "Basic", Params: p("realm", "a")}, {Scheme: "Bearer"}, {Scheme: "AEP", Params: p("service_did", "did:web:a", "inspect", "https://a/")},
		}, ""},
		{"several lines", []string{`Basic realm=a`, `Bearer realm=b`}, []Challenge{{Scheme: "Basic", Params: p("realm", "a")}, {Scheme: "Bearer", Params: p("realm", "b")}}, ""},
		{"commas and schemes in quotes", []string{`Payment realm="a, Bearer b=\"c\", d", id=1`}, []Challenge{{Scheme: "Payment", Params: p("realm", `a, Bearer b="c", d`, "id", "1")}}, ""},
		{"escapes", []string{`A x="\a\\\"\,"`}, []Challenge{{Scheme: "A", Params: p("x", `a\",`)}}, ""},
		{"an empty value in quotes", []string{`A x=""`}, []Challenge{{Scheme: "A", Params: p("x", "")}}, ""},
		{"space around the equals sign", []string{"A x = 1 ,\ty\t=\t\"2\""}, []Challenge{{Scheme: "A", Params: p("x", "1", "y", "2")}}, ""},
		{"more spaces behind the scheme", []string{"A   x=1"}, []Challenge{{Scheme: "A", Params: p("x", "1")}}, ""},
		{"empty elements", []string{`,A x=1,, ,y=2,`}, []Challenge{{Scheme: "A", Params: p("x", "1", "y", "2")}}, ""},
		{"token68", []string{`NTLM abc/+~._-12==, Basic realm=a`}, []Challenge{{Scheme: "NTLM", Token68: "abc/+~._-12=="}, {Scheme: "Basic", Params: p("realm", "a")}}, ""},
		{"token68 without padding", []string{`NTLM abc`}, []Challenge{{Scheme: "NTLM", Token68: "abc"}}, ""},
		{"a parameter is no token68", []string{`A abc=d`}, []Challenge{{Scheme: "A", Params: p("abc", "d")}}, ""},
		{"a repeated parameter is kept", []string{`A x=1, X=2`}, []Challenge{{Scheme: "A", Params: p("x", "1", "X", "2")}}, ""},
		{"a scheme named like a parameter", []string{`A x=1, x y=2`}, []Challenge{{Scheme: "A", Params: p("x", "1")}, {Scheme: "x", Params: p("y", "2")}}, ""},
		{"letters of other scripts in quotes", []string{`A x="köln"`}, []Challenge{{Scheme: "A", Params: p("x", "köln")}}, ""},

		{"what stands before a fault is kept", []string{`A x=1, B y="`, `C z=3`}, []Challenge{{Scheme: "A", Params: p("x", "1")}, {Scheme: "C", Params: p("z", "3")}}, "does not end"},
		{"an escape at the end", []string{`A x="\`}, nil, "does not end"},
		{"a control character in quotes", []string{"A x=\"a\x01\""}, nil, "control characters"},
		{"an escaped control character", []string{"A x=\"\\\x00\""}, nil, "control characters"},
		{"no value", []string{`A y=1, x=, z=1`}, nil, "no value"},
		{"a value with a space", []string{`A x=1 2`}, nil, "follows the parameter"},
		{"text behind quotes", []string{`A x="1"y`}, nil, "follows the parameter"},
		{"no scheme", []string{`="1"`}, nil, "begins no challenge"},
		{"a scheme with a slash", []string{`A/B x=1`}, nil, "follows the scheme"},
		{"too many parameters", []string{"A " + strings.Repeat("x=1,", 65)}, nil, "more than 64"},
		{"too long", []string{"A x=1", "B y=" + strings.Repeat("y", 32<<10)}, []Challenge{{Scheme: "A", Params: p("x", "1")}}, "larger than 32 KiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.fields)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (test.trouble == "") || err != nil && !strings.Contains(err.Error(), test.trouble) {
				t.Errorf("the error is %v, want %q", err, test.trouble)
			}
		})
	}
}

func TestParseStopsAtManyChallenges(t *testing.T) {
	got, err := Parse([]string{strings.Repeat("A,", 1000)})
	if len(got) != maxChallenges || err == nil {
		t.Errorf("%d challenges, %v", len(got), err)
	}
}

func TestRepeated(t *testing.T) {
	for field, want := range map[string]string{`A x=1, y=2`: "", `A x=1, y=2, X=3`: "X", `A`: ""} {
		got, err := Parse([]string{field})
		if err != nil || got[0].Repeated() != want {
			t.Errorf("%s: %q, want %q", field, got[0].Repeated(), want)
		}
	}
}

// What is not known to any protocol is told of without what is meant for people.
func TestOthers(t *testing.T) {
	a := &Answer{Status: http.StatusUnauthorized}
	a.Challenges, _ = Parse([]string{`Bearer realm="give me your keys", scope="read write", error="invalid_token", error_description="x"`, `AEP a=1`, `Basic realm="b"`, `Bearer scope="send <script>"`})
	want := []Seen{
		{Protocol: "bearer", Step: SignIn, Offers: []map[string]any{{"scope": "read write", "error": "invalid_token"}}},
		{Protocol: "basic", Step: SignIn},
		{Protocol: "bearer", Step: SignIn},
	}
	if diff := cmp.Diff(want, Others(a, map[string]bool{"aep": true})); diff != "" {
		t.Error(diff)
	}
}

// However a field is broken, what comes out of it can be written down again, and read as the same.
func FuzzParse(f *testing.F) {
	f.Add(`Bearer realm="a", scope=read, NTLM abc==, Payment id = "x\"y", request="e30"`)
	f.Add(`A x="\`)
	f.Add(`,,A ,B x=1,y="", C`)
	f.Fuzz(func(t *testing.T, field string) {
		got, _ := Parse([]string{field})
		var again strings.Builder
		for i, c := range got {
			if i > 0 {
				again.WriteString(", ")
			}
			again.WriteString(c.Scheme)
			if c.Token68 != "" {
				again.WriteString(" " + c.Token68)
			}
			for j, p := range c.Params {
				if j > 0 {
					again.WriteString(",")
				}
				again.WriteString(" " + p.Name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.Value) + `"`)
			}
		}
		if again.Len() > MaxHeader {
			return
		}
		back, err := Parse([]string{again.String()})
		if diff := cmp.Diff(got, back); diff != "" || err != nil && len(got) < maxChallenges {
			t.Errorf("%q: %v\n%s", again.String(), err, diff)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	fields := []string{`Payment id="c-81", realm="shop.example", method="example", intent="charge", request="` + strings.Repeat("eyJhbW91bnQ", 300) + `"`, `Bearer realm="a"`}
	for b.Loop() {
		if _, err := Parse(fields); err != nil {
			b.Fatal(err)
		}
	}
}
