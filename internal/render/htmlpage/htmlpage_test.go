package htmlpage

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func markdownOf(t testing.TB, page string) string {
	t.Helper()
	out, err := Markdown([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestMarkdownOfAPage(t *testing.T) {
	for name, test := range map[string]struct{ page, want string }{
		"paragraphs and emphasis": {"<h1>Tools</h1><p>One <b>bold</b>,\n <i>two</i>.<p>Three<br>four", "# Tools\n\nOne **bold**, *two*.\n\nThree  \nfour\n"},
		"the title where no heading is": {
			"<title>Tool *Shed* &amp; [co]\n</title><h2>Tools</h2>", "# Tool \\*Shed\\* &amp; \\[co]\n\n## Tools\n",
		},
		"no title beside a heading": {"<title>Shed</title><h1>Tools</h1>", "# Tools\n"},
		"lists":                     {"<ul><li>a<li>b</ul><ol start=3><li>c<li>d</ol>", "- a\n- b\n\n3. c\n4. d\n"},
		"tables":                    {"<table><tr><th>Tool<th>Price<tr><td>Saw<td>2</table>", "| Tool | Price |\n|---|---|\n| Saw | 2 |\n"},
		"code":                      {"<pre><code class='x language-go evil`'>a &lt; b\n</code></pre>", "```go\na < b\n```\n"},
		"code of an odd language":   {"<pre class='language-x`y language- lang-objective-c++'>a</pre>", "```objective-c++\na\n```\n"},
		"quotes and rules":          {"<blockquote>a</blockquote><hr><del>b</del>", "> a\n\n* * *\n\n~~b~~\n"},

		"links":                 {`<a href="/x?a=1&amp;b=2">one</a> <a href=https://a.example/ onclick=x title=y>two</a>`, "[one](/x?a=1&b=2) [two](https://a.example/)\n"},
		"links without a page":  {`<a href="#top">up</a> <a href="javascript:alert(1)">do</a> <a href="data:text/html,x">see</a> <a>plain</a>`, "up do see plain\n"},
		"links without a text":  {`a<a href="/x"></a>b`, "ab\n"},
		"images":                {`<p><img src=/p.png alt="A saw">`, "![A saw](/p.png)\n"},
		"images within a page":  {`<p><img src="data:image/png;base64,AAAA" alt="A [saw]">`, "A \\[saw]\n"},
		"images that say none":  {`<p>a<img src=/pixel.gif>b<img src=/x alt=" ">`, "ab\n"},
		"markdown in the text":  {`<p># no heading <p>*a* [b](c) <p>1. x`, "\\# no heading\n\n\\*a* \\[b](c)\n\n1\\. x\n"},
		"references in a text":  {`<p>&amp;lt;b&amp;gt; &amp;#27; &lt;b&gt; AT&T`, "&amp;lt;b&amp;gt; &amp;#27; &lt;b&gt; AT&amp;T\n"},
		"HTML in the text":      {`<p>&lt;script&gt;`, "&lt;script&gt;\n"},
		"a document of XHTML":   {"<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'><body><p>a</p></body></html>", "a\n"},
		"a span beyond a table": {"<table><tr><th colspan=1000000000>a<tr><td>b</table>", "| a |" + strings.Repeat("  |", maxSpan-1) + "\n|" + strings.Repeat("---|", maxSpan) + "\n| b |" + strings.Repeat("  |", maxSpan-1) + "\n"},

		"scripts and styles": {"a<script>b</script><style>c</style><noscript>d</noscript><template>e</template><svg><title>f</title><text>g</text></svg><!-- h -->", "a\n"},
		"navigation":         {"<nav><a href=/>b</a></nav><div role=navigation>c</div><form>d<input value=e><button>f</button></form>a", "a\n"},
		"what is hidden":     {"<p hidden>b</p><p style='color:red; DISPLAY : none'>c</p><p style='visibility:hidden'>d</p><p aria-hidden=true>e</p><dialog>f</dialog>a", "a\n"},
		"a dialog":           {"<dialog open>a</dialog>", "a\n"},
		"frames and players": {"<iframe src=/x>b</iframe><video>c</video><object>d</object><canvas>e</canvas>a", "a\n"},
		"a page in a form":   {"<form><nav>x</nav><h2>Order</h2><input value=secret><p>Two saws</form>", "x\n\n## Order\n\nTwo saws\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdownOf(t, test.page); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// hostile are pages beyond the limits of markdown, with their text.
func hostile() map[string]struct{ page, reason string } {
	return map[string]struct{ page, reason string }{
		"10,000 nested elements":    {strings.Repeat("<div>", 10_000) + "text", "exceeds 512 nodes"},
		"10,000 nested inline ones": {strings.Repeat("<b>", 10_000) + "text", "more than 20 formatting elements open"},
		"200 nested elements":       {strings.Repeat("<div>", 200) + "text", "deeper than 100"},
		"5 MB of elements":          {strings.Repeat("<p>a", 5<<20/4) + "<p>text", "more than 100000 tags"},
		"too many elements":         {strings.Repeat("<p>a", 30_000) + "<p>text", "more than 50000 elements"},
		"9 MB":                      {strings.Repeat(strings.Repeat("x", 999)+" ", 9<<20/1000) + "text", "more than 8388608 bytes"},
		"a table of a huge square":  {"<table><tr>" + strings.Repeat("<td>a", 5000) + strings.Repeat("<tr><td>a", 5000) + "<tr><td>text", "more than 20000 cells"},
		"a table widened by spans":  {"<table><tr>" + strings.Repeat("<td colspan=20>a", 500) + strings.Repeat("<tr><td>a", 500) + "<tr><td>text", "more than 20000 cells"},
		"nothing but scripts":       {"<script>a</script>", "no text"},
		"nothing":                   {"", "no text"},
		"formatting that goes on":   {"<p>" + strings.Repeat("<i class=a><i class=b>", 11) + strings.Repeat("</p><p>x", 10_000) + "<p>text", "formatting elements open"},
	}
}

func TestPagesBeyondTheLimitsHaveNoMarkdownButPlainText(t *testing.T) {
	for name, test := range hostile() {
		t.Run(name, func(t *testing.T) {
			if out, err := Markdown([]byte(test.page)); err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("got %.80q, %v", out, err)
			}
			var out strings.Builder
			if err := PlainText(&out, strings.NewReader(test.page)); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(test.page, "text") && !strings.HasSuffix(out.String(), "text\n") {
				t.Errorf("got %.80q", out.String())
			}
		})
	}
}

func TestPlainText(t *testing.T) {
	for name, test := range map[string]struct{ page, want string }{
		"blocks":               {"<title>Shed</title><h1>To<b>ol</b>s</h1>\n\n<p>One <i>two</i>\n three<p>four<br>five", "Shed\nTools\nOne two three\nfour\nfive\n"},
		"cells":                {"<table><tr><td>a<td>b</table>", "a\nb\n"},
		"references":           {"&lt;b&gt; &amp;amp;", "<b> &amp;\n"},
		"scripts and comments": {"a<script>b<i></script> <style>c</style><!-- d --><template><p>e</p></template><noscript>f</noscript>g", "a g\n"},
		"a script without end": {"a<script>b", "a\n"},
		"spaces of words":      {"a <b>b</b> c<b>d</b>", "a b cd\n"},
		"no tags":              {"a < b", "a < b\n"},
		"nothing":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := PlainText(&out, strings.NewReader(test.page)); err != nil || out.String() != test.want {
				t.Errorf("got %q, %v, want %q", out.String(), err, test.want)
			}
		})
	}
}

func TestPlainTextTellsOfFailures(t *testing.T) {
	broken := errors.New("broken")
	if err := PlainText(new(strings.Builder), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("reading: %v", err)
	}
	if err := PlainText(failing{broken}, strings.NewReader("text")); !errors.Is(err, broken) {
		t.Errorf("writing: %v", err)
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

func FuzzMarkdown(f *testing.F) {
	f.Add("<table><tr><td colspan=3>a<tr><td>b</table><pre><code class=language-x>`</code></pre>")
	f.Add("<ol start=7><li><blockquote><ul><li>a</ul></blockquote></ol><a href='x y'><img src=z alt=q></a>")
	f.Add("<svg><title>x</title></svg><math><mi>y</math><p>&#27;&#x9b;&amp;#27;")
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 4000 {
			return
		}
		out, err := Markdown([]byte(page))
		if err == nil && len(out) == 0 {
			t.Errorf("%q is empty", page)
		}
		if strings.Contains(string(out), "<script") {
			t.Errorf("%q has a script: %q", page, out)
		}
		if err := PlainText(new(strings.Builder), strings.NewReader(page)); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	page := []byte("<title>Shed</title>" + strings.Repeat(`<div class=x><h2>A tool</h2><p>It is <b>good</b>, see <a href="/x">here</a>.<ul><li>one<li>two</ul></div>`, 500))
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if _, err := Markdown(page); err != nil {
			b.Fatal(err)
		}
	}
}
