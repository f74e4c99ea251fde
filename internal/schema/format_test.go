package schema

import (
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	for format, test := range map[string]struct{ valid, invalid []string }{
		"date": {
			[]string{"2026-01-31", "2024-02-29", "2000-02-29", "0000-01-01"},
			[]string{"", "2026-1-31", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-00", "2026-01-31 ", "২০২৬-01-31", "20260131", "+026-01-01"},
		},
		"time": {
			[]string{"00:00:00Z", "23:59:59.999z", "12:00:00+01:30", "12:00:00-23:59", "23:59:60Z", "01:29:60+01:30", "15:59:60-08:00"},
			[]string{"", "12:00Z", "12:00:00", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00.Z", "12:00:00+1:00", "12:00:00+24:00", "12:00:00+01:60", "12:00:00Z+01:00", "1২:00:00Z"},
		},
		"date-time": {
			[]string{"2026-01-31T15:04:05Z", "2026-01-31t15:04:05.1+01:00", "2016-12-31T23:59:60Z"},
			[]string{"2026-01-31", "2026-01-31 15:04:05Z", "2026-01-31T15:04:05", "2026-02-31T15:04:05Z", "T"},
		},
		"duration": {
			[]string{"P3D", "PT15M", "P1Y2M3DT4H5M6S", "P1W", "PT36H"},
			[]string{"", "P", "PT", "P1", "1D", "P1DT", "P1S", "PT1D", "P2D1Y", "P1Y2W", "P1WT1H", "P-1D", "P১D", "PT1HT1M"},
		},
		"email": {
			[]string{"a@b.example", "a.b+c@d", `"a b"@c.example`, `"a\"b"@c`, "a@[127.0.0.1]", "a@[IPv6:::1]"},
			[]string{"", "a", "@b", "a@", "a@@b", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b c", "a@[1.2.3]", "a@[::1]", `"a"b"@c`, "é@b.example", "a@-b", strings.Repeat("a", 65) + "@b", `"@b`},
		},
		"idn-email": {
			[]string{"é@b.example", "a@é.example", "실례@실례.테스트"},
			[]string{"é", "é@", "@é", "a b@c"},
		},
		"hostname": {
			[]string{"a", "a-b.example", "1.2.3.4", "xn--4gbwdl.xn--wgbh1c", strings.Repeat("a", 63)},
			[]string{"", ".", "a.", ".a", "-a", "a-", "a_b", "a..b", "é.example", strings.Repeat("a", 64), strings.Repeat("aa.", 85) + "a", "ab--c"},
		},
		"ipv4": {[]string{"0.0.0.0", "192.168.0.255"}, []string{"", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1.2.3.4/8", "0x1.2.3.4", "::1"}},
		"ipv6": {[]string{"::", "::1", "fe80::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"}, []string{"", "1.2.3.4", ":", "1::2::3", "fe80::1%eth0", "12345::", "[::1]", "1:2:3:4:5:6:7"}},
		"uri": {
			[]string{"https://a.example/b?c=d#e", "urn:isbn:1", "mailto:a@b", "http://[::1]:80/", "http://u:p@h", "file:///a", "a:", "http://a.example/%20", "http://[v1.a:b]/"},
			[]string{"", "/a", "//a", "a", ":a", "1a:b", "http://a b", "http://a/ b", "http://a/%2", "http://[::1", "http://a:b", "http://é.example", "http://a/<>", "http://[1.2.3.4]", `a:\b`, "http://a@b@c", "a:#b#c"},
		},
		"uri-reference": {[]string{"", "/a", "//h/a", "a/b:c", "?q", "#f", "a:b"}, []string{`\a`, "1:b", "/é", "#f#", "//a b"}},
		"iri":           {[]string{"http://é.example/ü?ß#ä"}, []string{"/é", "http://a b", "é:a", "http://a/\u0080"}},
		"iri-reference": {[]string{"/é", "é"}, []string{"/é é", "é:a", `\é`}},
		"uri-template": {
			[]string{"", "http://a/{b}", "{+a,b}/{?c*}{&d:3}", "{a.b}", "{%41}", "é"},
			[]string{"{", "}", "{}", "{a", "a}", "{a b}", "{a:0}", "{a:10000}", "{a:}", "{a,}", "{a{b}}", "a b", "%2", "<a>", "{a-b}"},
		},
		"uuid":                  {[]string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"}, []string{"", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g", "2eb8aa08-aa98-11ea-b4aa73b441d16380-"}},
		"json-pointer":          {[]string{"", "/", "/a~0b~1c", "/é"}, []string{"a", "/~", "/~2", "#/a"}},
		"relative-json-pointer": {[]string{"0", "1/a", "10#", "0#"}, []string{"", "/a", "-1", "01", "1a", "0##", "1/~"}},
		"regex":                 {[]string{"", "^a+$", "(?=a)", `\u0041`, strings.Repeat("(", MaxPatternBytes+1)}, []string{"(", "[", "a**", "(?<=a"}},
	} {
		t.Run(format, func(t *testing.T) {
			valid := formatNamed(format)
			for _, text := range test.valid {
				if !valid(text) {
					t.Errorf("%q is refused", text)
				}
			}
			for _, text := range test.invalid {
				if valid(text) {
					t.Errorf("%q is taken", text)
				}
			}
		})
	}
}

func FuzzFormats(f *testing.F) {
	for _, seed := range []string{"", "2026-01-31T15:04:05Z", "PT1H", "a@[IPv6:::1]", "http://u@[::1]:80/%20?#", "{+a:3,b*}", "1/~0", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []string{
			"date", "time", "date-time", "duration", "email", "idn-email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
			"iri", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
		} {
			formatNamed(format)(text)
		}
		if isURI(text) && !isIRI(text) || isIRI(text) && !isIRIReference(text) || isURI(text) && !isURIReference(text) || isEmail(text) && !isIDNEmail(text) {
			t.Errorf("%q: of two formats, the wider one refuses it", text)
		}
	})
}
