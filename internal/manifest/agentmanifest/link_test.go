package agentmanifest

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLink(t *testing.T) {
	const (
		page = "https://example.com/shop/"
		link = `<link rel="agent-manifest" href="/m.json">`
	)
	for name, test := range map[string]struct{ html, want string }{
		"in the head":                  {`<!doctype html><html><head><title>Shop</title>` + link + `</head>`, "https://example.com/m.json"},
		"the first of several":         {link + `<link rel=agent-manifest href=/n.json>`, "https://example.com/m.json"},
		"one of several relations":     {`<link rel="alternate Agent-Manifest" href=m.json>`, "https://example.com/shop/m.json"},
		"behind a large script":        {`<script>` + strings.Repeat("if (a<b) f();", 10_000) + `</script>` + link, "https://example.com/m.json"},
		"self-closing, entities":       {`<LINK REL='agent-manifest' HREF='/m.json?a=1&amp;b=2#x' />`, "https://example.com/m.json?a=1&b=2"},
		"relative to a base":           {`<base href="/other/"><base href="/third/">` + `<link rel=agent-manifest href=m.json>`, "https://example.com/other/m.json"},
		"the same origin, spelled out": {`<link rel=agent-manifest href=https://EXAMPLE.com:443/m.json>`, "https://EXAMPLE.com:443/m.json"},
		"a parameter like a reference": {`<link rel=agent-manifest href="/m?a=1&copy=2&amp;b=3&#x26;c">`, "https://example.com/m?a=1&copy=2&b=3&c"},
		"odd attributes":               {`<link / = a="b>" 'x rel = 'agent-manifest' href = /m.json >`, "https://example.com/m.json"},
		"behind odd comments":          {`<!--><!---><!-- a > b --!><!doctype html><?xml?></><!x>` + link, "https://example.com/m.json"},
		"behind a style":               {`<style>a::after{content:"</b><link>"}</styles></STYLE >` + link, "https://example.com/m.json"},
		"the first href of two":        {`<link rel=agent-manifest href=/a href=/b>`, "https://example.com/a"},

		"without an end":            {`<link rel="agent-manifest" href="/m.json"`, ""},
		"a quote without an end":    {`<link rel="agent-manifest" href="/m.json>`, ""},
		"a comment without an end":  {`<!-- ` + link, ""},
		"none":                      {`<link rel="stylesheet" href="/m.json"><link rel=icon>`, ""},
		"no page at all":            {"", ""},
		"in a comment":              {`<!-- ` + link + ` -->`, ""},
		"in a script":               {`<script>` + link + `</script>`, ""},
		"in a title":                {`<title>` + link + `</title>`, ""},
		"in a template":             {`<template>` + link + `<div></template>`, ""},
		"in the body":               {`<body>` + link, ""},
		"in a body without its tag": {`<p>A comment of a visitor: ` + link, ""},
		"behind the head":           {`<head></head>` + link, ""},
		"another origin":            {`<link rel=agent-manifest href=https://evil.example/m.json>`, ""},
		"another host":              {`<link rel=agent-manifest href=//evil.example/m.json>`, ""},
		"another port":              {`<link rel=agent-manifest href=https://example.com:8443/m.json>`, ""},
		"plain HTTP":                {`<link rel=agent-manifest href=http://example.com/m.json>`, ""},
		"a base elsewhere":          {`<base href="https://evil.example/">` + link, ""},
		"a script address":          {`<link rel=agent-manifest href="javascript:alert(1)">`, ""},
		"user information":          {`<link rel=agent-manifest href="https://me:you@example.com/m.json">`, ""},
		"no address":                {`<link rel=agent-manifest>`, ""},
		"an empty address":          {`<link rel=agent-manifest href="">`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Link([]byte(test.html), page)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			requireLibraryAgrees(t, test.html, page, got)
		})
	}
}

func TestAHugePageIsLookedAtUpToALimit(t *testing.T) {
	link := `<link rel="agent-manifest" href="/m.json">`
	if got := Link([]byte(strings.Repeat("<meta a>", MaxPageBytes/8)+link), "https://example.com/"); got != "" {
		t.Errorf("got %q", got)
	}
	for _, before := range []string{"<meta a>", "<!---->", "<!-- --!>", "<!-->", "<!x>", "</x", "<title>&</title>", "<script></scripts></script>", "<link href='&amp;&'>", "</>", "--"} {
		if got := Link([]byte(strings.Repeat(before, MaxPageBytes/len(before)-100)+link), "https://example.com/"); before != "</x" && got == "" {
			t.Errorf("the link was not found behind %q", before)
		}
	}
}

func FuzzLink(f *testing.F) {
	f.Add(`<base href=/x/><link rel=agent-manifest href=m.json>`, "https://example.com/")
	f.Add(`<title>a</title x><script>b</script/><link a='b'rel=agent-manifest / href=m>`, "https://example.com/x/")
	f.Add(`<template><template></template><link rel="agent-manifest" href="//x">`, "http://127.0.0.1:80/")
	f.Fuzz(func(t *testing.T, document, page string) {
		to := Link([]byte(document), page)
		requireLibraryAgrees(t, document, page, to)
		if to == "" {
			return
		}
		u, err := url.Parse(to)
		if err != nil || u.User != nil || !SameOrigin(to, page) {
			t.Errorf("%q leads from %q to %q", document, page, to)
		}
	})
}

// requireLibraryAgrees holds a link to the opinion of golang.org/x/net/html, where the two mean to agree: character references
// without a semicolon, and comments in scripts, are left to the library; NUL is no part of an honest page.
func requireLibraryAgrees(t *testing.T, document, page, got string) {
	t.Helper()
	base, err := url.Parse(page)
	if err != nil || strings.ContainsAny(document, "&\x00") || strings.Contains(document, "<!") || len(document) > MaxPageBytes || !utf8.ValidString(document) {
		return
	}
	if want := find(newLibraryHead(document), base, page); got != want {
		t.Errorf("%q: got %q, the library says %q", document, got, want)
	}
}

func BenchmarkLink(b *testing.B) {
	page := []byte(`<!doctype html><html><head>` + strings.Repeat(`<script>if (a<b) f();</script><meta name="x" content="y">`, 2000) + `<link rel=agent-manifest href=/m>`)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if Link(page, "https://example.com/") == "" {
			b.Fatal("not found")
		}
	}
}
