package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheGuideForAgentsRuns wants every command of the page for agents to be one that TestReadme runs: a command in the middle
// of a sentence could be wrong without anybody noticing. The page is for a model's context, so it stays short.
func TestTheGuideForAgentsRuns(t *testing.T) {
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```")
	commands := 0
	for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
		if block[1] != "console" {
			t.Errorf("a block of kind %q does not run", block[1])
		}
		commands += strings.Count("\n"+block[2], "\n$ ")
	}
	if commands < 10 {
		t.Errorf("only %d commands run", commands)
	}
	if prose := blocks.ReplaceAllString(string(text), ""); strings.Contains(prose, "`agentctl ") {
		t.Error("a command stands outside of the blocks that run")
	}
	if lines := strings.Count(string(text), "\n"); lines > 120 {
		t.Errorf("the page has %d lines; a model reads it with everything else", lines)
	}
}
