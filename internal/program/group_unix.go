//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a program as the first of a process group, and has the whole group killed where it would be alone: a wallet that
// a script has called must not go on when nobody waits for it any more.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
