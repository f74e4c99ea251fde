package odp

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestIdentifiers(t *testing.T) {
	for id, valid := range map[string]bool{
		"a": true, "...": true, "A.b_c~d-9": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		"": false, ".": false, "..": false, "a/b": false, "a b": false, "a%20": false, "é": false, "a\n": false, "a\x00": false, "a+b": false,
	} {
		if ValidID(id) != valid {
			t.Errorf("ValidID(%q) is %v", id, !valid)
		}
	}
	for id, valid := range map[string]bool{".": true, "..": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "": false, "a:b": false} {
		if ValidCapabilityID(id) != valid {
			t.Errorf("ValidCapabilityID(%q) is %v", id, !valid)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, good := range []string{
		"https://a.example", "https://a.example:8443", "https://a", "https://xn--bcher-kva.example", "https://203.0.113.7", "https://[2001:db8::1]:8443",
		"https://localhost", "https://localhost:80", "http://localhost", "http://localhost:443", "http://127.0.0.1:3000", "http://[::1]:65535",
	} {
		if _, err := ParseOrigin(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"", "a.example", "HTTPS://a.example", "ftp://a.example", "https:/a.example", "https://", "https://A.example", "https://a.example/",
		"https://a.example?", "https://a.example#", "https://u@a.example", "https://a.example:443", "https://a.example:", "https://a.example:0",
		"https://a.example:65536", "https://a.example:08443", "https://a.example:+1", "https://a..example", "https://a.example.", "https://.a",
		"https://a b", "https://bücher.example", "https://a%2e.example", "https://[::1", "https://[2001:DB8::1]", "https://[2001:db8:0::1]",
		"https://[fe80::1%25eth0]", "https://1.2.3", "https://0x7f.1", "https://127.1", "https://a_b.example", "https://-a.example",
		"http://a.example", "http://127.0.0.2", "http://localhost.", "http://localhost:80", "http://[::1]:80", "http://127.1", "http://[::0:1]",
		"https://a.example\n", "https://a\\b", "https://::1", "https://" + strings.Repeat("a.", 130) + "a",
	} {
		if o, err := ParseOrigin(bad); err == nil {
			t.Errorf("%q is accepted as %q", bad, o)
		}
	}
	for o, local := range map[Origin]bool{"http://localhost:1": true, "https://127.0.0.1": true, "https://[::1]:9": true, "https://localhost.example": false, "": false} {
		if o.Local() != local {
			t.Errorf("%q: local is %v", o, !local)
		}
	}
}

func TestReferences(t *testing.T) {
	for _, good := range []string{
		"/", "/a", "/a//b", "/a?x=//y&z=@", "/a%20b", "/a:b@c;d=e,f!$&'()*+", "/../x", "/a?", "https://a.example", "https://A.Example/x?y",
		"https://a.example?x", "https://a.example:8443/x", "https://[2001:db8::1]/x", "http://localhost", "http://[::1]:1/x", "http://127.0.0.1/", "https://localhost/",
	} {
		if err := CheckReference(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"", "a", "./a", "../a", "?x", "//a.example/x", "///a", "/a#", "/a#b", "https://a.example/#x", "https://a.example#", "HTTPS://a.example", "Http://localhost/",
		"http://a.example/", "http://127.0.0.2/", "http://LOCALHOST/", "http://localhost.example/", "http://localhost@a.example/", "https://", "https:///x",
		"https://:8443/", "https://u:p@a.example/", "https://a.example:0/", "https://a.example:65536/", "https://a.example:/", "https://a.example:x/", "https:a.example",
		"/a b", "/a\tb", "/a\\b", "\\\\a", "/\\a.example", "/é", "https://bücher.example/", "/a%", "/a%2", "/a%zz", "/\x7f", "/\x00", "/a\"b", "/<a>", "/{a}", "/a|b", "/a^b", "/a`b", "/a[0]",
		"https://a.example\\@b.example/", "javascript:alert(1)", "data:,x", "ftp://a.example/", " /a", "/a ",
	} {
		if err := CheckReference(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestReferencesAreResolvedAgainstTheOrigin(t *testing.T) {
	const o = Origin("https://a.example:8443")
	for ref, want := range map[string]struct {
		url  string
		owns bool
	}{
		"/x?y":                          {"https://a.example:8443/x?y", true},
		"/a/../b%2F":                    {"https://a.example:8443/a/../b%2F", true}, // bytes stay
		"https://a.example:8443/x":      {"https://a.example:8443/x", true},
		"https://A.EXAMPLE:8443/x":      {"https://A.EXAMPLE:8443/x", true},
		"https://a.example/x":           {"https://a.example/x", false},
		"https://a.example:8443.b/x":    {"https://a.example:8443.b/x", false},
		"https://b.example:8443/x":      {"https://b.example:8443/x", false},
		"http://localhost:8443/":        {"http://localhost:8443/", false},
		"https://a.example:8443?next=2": {"https://a.example:8443?next=2", true},
	} {
		if got := o.Resolve(ref); got != want.url {
			t.Errorf("%q: got %q", ref, got)
		}
		if got := o.Owns(ref); got != want.owns {
			t.Errorf("%q: owns is %v", ref, got)
		}
	}
	for ref, want := range map[string]Origin{
		"https://A.example:443/x": "https://a.example", "https://a.example:0443": "https://a.example", "http://localhost:80/": "http://localhost",
		"https://[2001:DB8:0::1]:8443?x": "https://[2001:db8::1]:8443",
	} {
		if got := OriginOf(ref); got != want {
			t.Errorf("%q: got %q", ref, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for v, minor := range map[string]int{"1.0": 0, "1.7": 7, "1.10": 10, "1.99999999999999999999999": 1<<63 - 1} {
		if err := CheckVersion(v); err != nil || Minor(v) != minor {
			t.Errorf("%q: %v %d", v, err, Minor(v))
		}
	}
	for _, v := range []string{"", "1", "1.", ".1", "01.0", "1.00", "1.0.0", "1.0 ", "v1.0", "+1.0", "1.-1", "0.9", "2.0", "10.0", "1,0", "１.0"} {
		if err := CheckVersion(v); err == nil {
			t.Errorf("%q is accepted", v)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	for _, good := range []string{"application/odp+json", "Application/ODP+JSON", " application/odp+json ;charset=utf-8", "application/odp+json; version=2", "application/odp+json;"} {
		if err := CheckMediaType(good, MediaType); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"", " ", "application/json", "application/odp", "application/odp+json+x", "application /odp+json", "application/odp+json, text/html",
		"odp+json", "application/", "/odp+json", "application/odp+json/x", "application/odp+j\u017fon", "application/problem+json", ";application/odp+json",
	} {
		if err := CheckMediaType(bad, MediaType); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestWhatARequestAccepts(t *testing.T) {
	for accept, want := range map[string]bool{
		"application/odp+json": true, "APPLICATION/ODP+JSON;q=0.1": true, "*/*": true, "application/*": true, "text/html, */*;q=0.01": true,
		"application/odp+json;version=2.0": true, "application/json, application/odp+json": true,
		"application/odp+json; q=0.000, */*": false, "application/*;q=0, */*": false, "application/json": false, "text/*": false, "": false,
		"application/odp+json, */*;q=0": true, "application/*;Q=0, application/odp+json": true, "*/odp+json": false,
	} {
		if got := Acceptable([]string{accept}, MediaType); got != want {
			t.Errorf("%q: got %v", accept, got)
		}
	}
	if !Acceptable(nil, MediaType) || !Acceptable([]string{"text/html", "*/*"}, MediaType) || Acceptable([]string{"*/*", "application/*;q=0"}, MediaType) {
		t.Error("no field accepts anything, and several are one")
	}
}

func TestLanguageTags(t *testing.T) {
	for _, good := range []string{
		"en", "EN", "de-DE", "zh-Hant-TW", "es-419", "sr-Latn-RS", "sl-rozaj", "sl-rozaj-biske-1994", "de-CH-1901", "hy-Latn-IT-arevela", "zh-cmn-Hans-CN",
		"zh-min-nan", "art-lojban", "i-klingon", "I-Klingon", "en-GB-oed", "sgn-BE-FR", "de-DE-u-co-phonebk", "en-a-bbb-x-a", "x-a-a", "x-1", "en-x-a", "abcd", "abcdefgh",
		"aaa-bbb-ccc-ddd", "en-0-ab", "fr-a-aa-b-bb", "zz-ZZ", "en-1abc",
	} {
		if !ValidTag(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{
		"", "e", "1n", "en-", "-en", "en--US", "en_US", "en-a", "en-a-x", "en-x", "x", "x-", "x-123456789", "abcdefghi", "sl-rozaj-rozaj", "sl-ROZAJ-rozaj",
		"en-a-bb-a-cc", "en-a-bb-A-cc", "en-US-GB", "en-Latn-Cyrl", "aaa-bbb-ccc-ddd-eee", "abcd-bbb", "en-u", "en-a-b", "i-unknown", "en-abc-abcde-US", "é", "en-ü", "en us",
		"i", "i-", "a-bc", "en-123456789", "e\u212an", "en-\u017fxxxx", "en\n",
	} {
		if ValidTag(bad) {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// A second opinion: the grammar of RFC 5646, section 2.1, as one pattern, and its rules on repetition.
func FuzzTag(f *testing.F) {
	for _, seed := range []string{"en", "zh-cmn-Hans-CN", "sl-rozaj-biske-1994", "de-DE-u-co-phonebk", "x-a-a", "i-klingon", "en-a-bb-x-c", "sgn-BE-FR", "en-a-bb-a-cc"} {
		f.Add(seed)
	}
	grammar := regexp.MustCompile(`^(?i:(?:([a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-[a-z]{2}|-[0-9]{3})?` +
		`((?:-[a-z0-9]{5,8}|-[0-9][a-z0-9]{3})*)((?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*)(?:-x(?:-[a-z0-9]{1,8})+)?` +
		`|x(?:-[a-z0-9]{1,8})+|en-gb-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(?:be-fr|be-nl|ch-de)))$`)
	singleton := regexp.MustCompile(`-[0-9a-z](?:-|$)`)
	repeated := func(list []string) bool {
		slices.Sort(list)
		return len(slices.Compact(list)) != len(list)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		for i := range len(tag) {
			if tag[i] >= 0x80 { // (?i) folds more than ASCII
				return
			}
		}
		parts := grammar.FindStringSubmatch(tag)
		want := parts != nil && !repeated(strings.Split(strings.ToLower(parts[4]), "-")[min(1, len(parts[4])):]) &&
			!repeated(singleton.FindAllString(strings.ReplaceAll(strings.ToLower(parts[5])+"-", "-", "--")[min(1, len(parts[5])):], -1))
		if got := ValidTag(tag); got != want {
			t.Errorf("%q: got %v, want %v", tag, got, want)
		}
	})
}

// What is accepted is what net/url makes of it, on the host that we see.
func FuzzReference(f *testing.F) {
	for _, seed := range []string{"/a?b=%20", "https://a.example:8443/x", "http://[::1]:1/", "https://u@a.example/", "//a", "/\\a", "https://a.example?x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		if CheckReference(ref) == nil {
			checkAgainstURL(t, origin.Resolve(ref), origin.Owns(ref))
		}
	})
}

func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{"https://a.example:8443", "http://[::1]", "https://0x7f.1", "https://a.example:0443"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := ParseOrigin(s)
		if err != nil {
			return
		}
		if again := OriginOf(s + "/x"); again != o {
			t.Errorf("%q is the origin %q", s, again)
		}
		checkAgainstURL(t, s, o == origin)
	})
}

func TestDecodeCountsEveryValue(t *testing.T) {
	for doc, depth := range map[string]int{`5`: 1, `{}`: 1, `[]`: 1, `{"a":5}`: 2, `[[]]`: 2, `[[1]]`: 3, `{"a":{"b":[{}]}}`: 4} {
		if _, err := Decode([]byte(doc), Limits{100, depth}); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
		if _, err := Decode([]byte(doc), Limits{100, depth - 1}); !errors.Is(err, ErrTooDeep) {
			t.Errorf("%s is not deeper than %d: %v", doc, depth-1, err)
		}
	}
	if _, err := Decode([]byte(`[1,2]`), Limits{4, 9}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := Decode([]byte(`[1,2]`), Limits{5, 9}); err != nil {
		t.Error(err)
	}
}

func TestCursorKeepsTheFirstFault(t *testing.T) {
	c := cursor(t, `{"a~/b":[{"n":1.0},{"n":2.5},{"n":"x"}],"t":"é","o":{}}`)
	var numbers []int64
	for _, item := range c.Member("a~/b").Elements(1, 3) {
		numbers = append(numbers, item.Member("n").Integer(0, 9))
	}
	c.Member("gone").Member("deeper").Text(1, 2)
	requireIssue(t, c, "/a~0~1b/1/n")
	if len(numbers) != 3 || numbers[0] != 1 {
		t.Errorf("got %v", numbers)
	}
	part := c.Member("o").Scope("part_invalid")
	part.Member("x").Bool()
	requireIssue(t, part, "/o/x")
	requireIssue(t, c, "/a~0~1b/1/n")
	if part.Issue().Code != "part_invalid" {
		t.Error(part.Issue())
	}
	if text := c.Member("t").Text(1, 1); text != "é" {
		t.Errorf("one code point is %q", text)
	}
	for read, text := range map[string]func(*Cursor){
		"true":  func(c *Cursor) { _ = c.String() },
		"1":     func(c *Cursor) { c.Bool() },
		"2":     func(c *Cursor) { c.Integer(3, 4) },
		"false": func(c *Cursor) { c.True() },
		`"x"`:   func(c *Cursor) { c.OneOf("y", "z") },
		`{}`:    func(c *Cursor) { c.Elements(0, 1)(func(int, *Cursor) bool { return true }) },
		`[1]`:   func(c *Cursor) { c.Elements(2, 2)(func(int, *Cursor) bool { return true }) },
		`[]`:    func(c *Cursor) { c.Closed() },
		`null`:  func(c *Cursor) { c.Optional("x") },
	} {
		c := cursor(t, read)
		text(c)
		requireIssue(t, c, "")
	}
}

func TestAnAbsentMemberReadsAsZero(t *testing.T) {
	c := cursor(t, `{}`)
	gone := c.Optional("gone")
	gone.Fail("never")
	if gone.Text(1, 2) != "" || gone.ID() != "" || gone.Tag() != "" || gone.Reference() != "" || gone.Version() != "" || gone.OneOf("a") != "" || gone.Bool() || gone.True() ||
		gone.Integer(1, 2) != 0 || gone.Len() != 0 || gone.Raw() != nil || gone.Node() != nil || gone.Optional("x") != nil || gone.Member("x") != nil || gone.Scope("x") != nil || gone.Failed() {
		t.Error("an absent member is something")
	}
	for range gone.Elements(1, 2) {
		t.Error("an absent array has elements")
	}
	requireIssue(t, c, "-")
}
