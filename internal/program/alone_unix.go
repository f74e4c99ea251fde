//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// alone starts a program as the first of a session, and so of a process group. Without a terminal it fails at once where it would ask
// there: in the background of ours it would be stopped, and what was typed for it, such as a PIN, would go to whoever reads next. The
// whole group is killed where it would be alone: a wallet that a script has called must not go on when nobody waits for it any more.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
