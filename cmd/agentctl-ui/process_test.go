package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain is the program itself when the tests start it as one.
func TestMain(m *testing.M) {
	if os.Getenv("AGENTCTL_UI_TEST_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestAReaderThatHasGoneIsNoFailure(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "markdown")
	cmd.Env = append(os.Environ(), "AGENTCTL_UI_TEST_PROGRAM=1")
	cmd.Stdin, cmd.Stdout = strings.NewReader("# Hi\n"), writer
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	err = cmd.Run()
	_ = writer.Close() // nobody is left to write
	if err != nil {
		t.Errorf("got %v", err)
	}
}
