package terms

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNamesComeApart(t *testing.T) {
	for text, want := range map[string]string{
		"create_order":          "create order",
		"createOrder":           "create order createorder",
		"list-orders":           "list orders listorders",
		"get-the-order":         "get the order",
		"HTTPServer":            "http server httpserver",
		"parsePDFs":             "parse pdfs parsepdfs",
		"PDF":                   "pdf",
		"oauth2":                "oauth 2 oauth2",
		"2fa":                   "2 fa 2fa",
		"iPhone":                "i phone iphone",
		"e-mail":                "e mail email",
		"Don't":                 "dont",
		"the customer’s orders": "the customers orders",
		"café ÅNGSTRÖM":         "cafe angstrom",
		"ｆｕｌｌ ﬁne":              "full fine",
		"東京の天気":                 "東 京 の 天 気",
		"заказ-билет":           "заказ билет заказбилет",
		"a/b.c:d":               "a b c d",
		"-- - --":               "",
		"--limit":               "limit",
		"x-":                    "x",
		"\x00\xff":              "",
		"":                      "",
	} {
		if got := strings.Join(Words(text, 100), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestEndingsDoNotMatter(t *testing.T) {
	for _, same := range [][]string{
		{"order", "orders", "ordered", "ordering"},
		{"ship", "ships", "shipped", "shipping"},
		{"booking", "book", "books"},
		{"delivery", "deliveries"},
		{"Über", "uber"},
	} {
		for _, word := range same {
			if got, want := Of(word, 5), Of(same[0], 5); !slices.Equal(got, want) {
				t.Errorf("%q: got %q, want %q", word, got, want)
			}
		}
	}
}

func TestLimitsHold(t *testing.T) {
	if got := Words(strings.Repeat("word ", 1000), 7); len(got) != 7 {
		t.Errorf("got %d words, want 7", len(got))
	}
	if got := Words(strings.Repeat("é", 10_000), 7); len(got) != 1 || len(got[0]) > maxWord {
		t.Errorf("got %d words, the first of %d bytes", len(got), len(got[0]))
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"createOrder", "e-mail", "AB", "ABc-d", "x\xffy", "東京", "É", "İstanbul", "a-B9c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range Words(text, 50) {
			if word == "" || len(word) > maxWord || !utf8.ValidString(word) {
				t.Errorf("%q has the word %q", text, word)
			}
			if strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) >= 0 {
				t.Errorf("%q has the word %q, with more than letters and digits", text, word)
			}
		}
		if got := len(Of(text, 50)); got > 50 {
			t.Errorf("%d terms", got)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	const text = "Place an order for one or more products and have them shipped to the customer's default address"
	b.ReportAllocs()
	for b.Loop() {
		Of(text, 100)
	}
}
