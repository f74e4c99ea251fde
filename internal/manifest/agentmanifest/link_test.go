package agentmanifest

import (
	"net/url"
	"strings"
	"testing"
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
		"the first href of two":        {`<link rel=agent-manifest href=/a href=/b>`, "https://example.com/a"},

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
			if got := Link([]byte(test.html), page); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAHugePageIsLookedAtUpToALimit(t *testing.T) {
	link := `<link rel="agent-manifest" href="/m.json">`
	if got := Link([]byte(strings.Repeat("<meta a>", MaxPageBytes/8)+link), "https://example.com/"); got != "" {
		t.Errorf("got %q", got)
	}
	if got := Link([]byte(strings.Repeat("<meta a>", 1000)+link), "https://example.com/"); got == "" {
		t.Error("the link was not found")
	}
}

func FuzzLink(f *testing.F) {
	f.Add(`<base href=/x/><link rel=agent-manifest href=m.json>`, "https://example.com/")
	f.Add(`<template><template></template><link rel="agent-manifest" href="//x">`, "http://127.0.0.1:80/")
	f.Fuzz(func(t *testing.T, document, page string) {
		to := Link([]byte(document), page)
		if to == "" {
			return
		}
		u, err := url.Parse(to)
		if err != nil || u.User != nil || !SameOrigin(to, page) {
			t.Errorf("%q leads from %q to %q", document, page, to)
		}
	})
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
