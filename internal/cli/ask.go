package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
)

// Limits of what a question shows, so that it stays on one screen.
const (
	maxShownValue  = 200 // bytes of one value
	maxShownName   = 60  // bytes of a parameter's name
	maxShownFields = 30
	maxAskWidth    = 76 // columns; a terminal that breaks lines itself would put foreign text at the beginning of one
)

// ask puts a call to the person at the terminal.
func (r *run) ask(ctx context.Context, f *policy.Facts, v policy.Verdict) (bool, error) {
	answer, err := r.answer(ctx, r.question(f, v))
	if err == nil && f.Strong() {
		return answer == strings.Join(f.Command, " "), nil
	}
	return isYes(answer), err
}

// question lays a call out. The layout is fixed: the amount and the host come first, in words of our own. Text of the site
// and values of arguments are cleaned, cut, and stand behind a bar on every line that they take, so nothing in them can
// look like a part of the question.
func (r *run) question(f *policy.Facts, v policy.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This %s at %s.\n", f.Consequence(), r.target(f.Site))
	r.describe(&b, f, v)
	if len(f.Fields) > 0 {
		b.WriteString("  what is sent\n")
	}
	r.fieldsOf(&b, f)
	b.WriteString(goAhead(f.Command, f.Strong()))
	return b.String()
}

// describe tells what a call is: its command, and what the site and the rules say about it.
func (r *run) describe(b *strings.Builder, f *policy.Facts, v policy.Verdict) {
	fmt.Fprintf(b, "  command: %s\n", render.CleanLine(strings.Join(f.Command, " ")))
	fmt.Fprintf(b, "  effect:  %s\n", knownWord(string(f.Effect)))
	if f.Risk != "" {
		fmt.Fprintf(b, "  risk:    %s\n", knownWord(f.Risk))
	}
	if f.Consent != "" {
		fmt.Fprintf(b, "  consent: %s\n", knownWord(f.Consent))
	}
	if v.Rule != nil {
		fmt.Fprintf(b, "  rule %d:  %s\n", v.Rule.Number, v.Why)
	}
	if f.Note != "" {
		fmt.Fprintf(b, "  note:    %s\n", render.CleanLine(f.Note))
	}
	if f.Description != "" {
		b.WriteString("  the site says about it\n")
		r.barred(b, cutText(f.Description, maxShownValue))
	}
}

// fieldsOf shows the arguments of a call.
func (r *run) fieldsOf(b *strings.Builder, f *policy.Facts) {
	for i, field := range f.Fields {
		if i == maxShownFields {
			fmt.Fprintf(b, "  and %d more; --dry-run shows all\n", len(f.Fields)-i)
			return
		}
		r.barred(b, cutText(field.Name, maxShownName)+": "+cutText(field.Value, maxShownValue))
	}
}

// goAhead is the end of a question: what counts as a yes.
func goAhead(command []string, strong bool) string {
	if strong {
		return fmt.Sprintf("To go ahead type its command, %q: ", strings.Join(command, " "))
	}
	return "Go ahead? [y/N] "
}

// target names the host that the call goes to, and the site as it was typed where that differs.
func (r *run) target(origin string) string {
	host := strings.TrimPrefix(origin, "https://")
	if r.siteWord == "" || r.siteWord == host || r.siteWord == origin {
		return host
	}
	return host + " (" + render.CleanLine(r.siteWord) + ")"
}

// knownWord shows a word that a site chose among a few. Any other is quoted and cut.
func knownWord(word string) string {
	const longest = 20
	known := []string{
		"read", "write", "send", "spend", "delete", "low", "medium", "high", "critical",
		"none", "implicit", "explicit", "step_up", "human_review",
	}
	if slices.Contains(known, word) {
		return word
	}
	return fmt.Sprintf("%q, which agentctl does not know", cutText(word, longest))
}

// barred writes foreign text, broken into lines that begin with a bar.
func (r *run) barred(b *strings.Builder, text string) {
	const bar = "    | "
	width := max(min(r.Width, maxAskWidth)-len(bar), minTextWidth)
	line, used := "", 0
	for graphemes := uniseg.NewGraphemes(text); graphemes.Next(); {
		if used+graphemes.Width() > width {
			b.WriteString(bar + line + "\n")
			line, used = "", 0
		}
		line, used = line+graphemes.Str(), used+graphemes.Width()
	}
	b.WriteString(bar + line + "\n")
}

// cutText makes text of the site's or of an argument one line without runs of spaces, of at most limit bytes.
func cutText(text string, limit int) string {
	text = strings.Join(strings.Fields(render.CleanLine(text)), " ")
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "… (cut)"
	}
	return text
}

// shown is one value of the site's or of an argument in the middle of a line.
func shown(value string) string { return cutText(value, maxShownValue) }
