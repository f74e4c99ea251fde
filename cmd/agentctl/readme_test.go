package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changing are the parts of an example's output that differ from run to run: ids and times.
var changing = []struct {
	pattern *regexp.Regexp
	stand   string
}{
	{regexp.MustCompile(`ord_(?:[0-9A-Za-z]{4})\b`), "ord_XXXX"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC`), "TIME"},
	{regexp.MustCompile(`[0-9a-f]{64}`), "DIGEST"},
	{regexp.MustCompile(`--resume [a-z2-7]{10}`), "--resume RUN"},
	{regexp.MustCompile(`the grant [0-9a-f]{12}`), "the grant ID"},
	{regexp.MustCompile(` +\|`), " |"},
	{regexp.MustCompile(`-{3,}`), "---"},
}

// TestReadme runs every console example of the documents, in order and in one state, and holds what it prints against
// what they show.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for a POSIX shell")
	}
	bin := buildPrograms(t)
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append([]string{"../../README.md"}, documents...) {
		t.Run(filepath.Base(document), func(t *testing.T) {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			env := append(os.Environ(),
				"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "AGENTCTL_TOKEN=", "AGENTCTL_KEYRING=file", "AGENTCTL_RESOLVE=",
				"AGENTCTL_CONFIG_DIR="+dir+"/config", "AGENTCTL_CACHE_DIR="+dir+"/cache", "AGENTCTL_STATE_DIR="+dir+"/state")
			for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
				runExample(t, dir, env, block[1])
			}
		})
	}
}

// runExample runs the lines of a block that begin with "$ ", with the lines beginning with "> " that follow them at once, and
// compares all that they print with the rest of it.
func runExample(t *testing.T, dir string, env []string, block string) {
	t.Helper()
	var script, want strings.Builder
	typed := false
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok && typed {
			command, ok = strings.CutPrefix(line, "> ")
		}
		if typed = ok; ok {
			script.WriteString(command)
		} else {
			want.WriteString(line)
		}
	}
	shell := exec.Command("sh", "-c", script.String())
	shell.Dir, shell.Env = dir, env
	var got bytes.Buffer
	shell.Stdout, shell.Stderr = &got, &got
	_ = shell.Run() // examples of failures fail
	if diff := cmp.Diff(stable(want.String()), stable(got.String())); diff != "" {
		t.Errorf("%sprints something else (-document +program):\n%s", script.String(), diff)
	}
}

func stable(text string) string {
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.stand)
	}
	return text
}
