package render

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUIStylerTellsTheProgramAboutTheTerminal(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "agentctl-ui")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\"; cat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, out, errs := screen()
	s.Width = 40
	if err := Result(t.Context(), s, body("text/markdown", "# Hi"), Options{Style: UIStyler(path, "--style=light")}); err != nil {
		t.Fatal(err)
	}
	if want := "markdown --width=40 --style=light\n# Hi"; out.String() != want || errs.Len() > 0 {
		t.Errorf("got %q and %q, want %q", out, errs, want)
	}
	out.Reset()
	if err := Result(t.Context(), s, body("text/html", "<p>Hi"), Options{Style: UIStyler(path)}); err != nil {
		t.Fatal(err)
	}
	if want := "html --width=40\n<p>Hi"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestUIStylerWithoutItsProgram(t *testing.T) {
	s, out, errs := screen()
	style := UIStyler(filepath.Join(t.TempDir(), "agentctl-ui"))
	if err := Result(t.Context(), s, body("text/markdown", "# Hi"), Options{Style: style}); err != nil {
		t.Fatal(err)
	}
	want := "hint: markdown is shown as it came: agentctl-ui, which styles it, is not beside this program\n"
	if out.String() != "# Hi\n" || errs.String() != want {
		t.Errorf("got %q and %q", out, errs)
	}
}
