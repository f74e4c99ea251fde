package program

import (
	"os/exec"
	"runtime"
	"strings"
)

// Editor is the command of VISUAL or EDITOR: a program, whose path may have spaces in it, or a program and its arguments.
func Editor(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		text := strings.TrimSpace(getenv(name))
		if text == "" {
			continue
		}
		if _, err := exec.LookPath(text); err == nil {
			return []string{text}
		}
		return strings.Fields(text)
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"vi"}
}
