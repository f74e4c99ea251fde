package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
)

// The scripts ask "agentctl __complete" for what may follow, and run nothing else of what was typed. Those that Cobra makes
// evaluate the line.
//
//go:embed completion
var completionScripts embed.FS

// shellScripts are the scripts by shell.
func shellScripts() map[string]string {
	return map[string]string{"bash": "agentctl.bash", "zsh": "agentctl.zsh", "fish": "agentctl.fish", "powershell": "agentctl.ps1"}
}

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

const completionLong = `Scripts that complete commands, arguments and values in a shell. Only what is in the cache is offered:
completing never asks a site for anything.`

const completionInstallLong = `Put the script where the shell looks for it: for bash, zsh and fish into a directory of yours, for
PowerShell beside the other files of agentctl. No file that you wrote is changed: where a line of your
own is needed, it is printed. Without SHELL it is the one in the variable SHELL. With --dry-run it
tells the path and writes nothing.`

// newCompletion makes "agentctl completion".
func (r *run) newCompletion() *cobra.Command {
	var commands []*cobra.Command
	for _, shell := range shells() {
		plain := false
		cmd := &cobra.Command{
			Use: shell, Short: "Print the script for " + shell, Args: takes(),
			RunE: func(*cobra.Command, []string) error {
				script, err := completionScript(shell)
				if plain {
					script = strings.ReplaceAll(script, " "+cobra.ShellCompRequestCmd+" ", " "+cobra.ShellCompNoDescRequestCmd+" ")
				}
				if err == nil {
					_, err = r.Out.Write([]byte(script))
				}
				return err
			},
		}
		cmd.Flags().BoolVar(&plain, "no-descriptions", false, "complete without descriptions")
		commands = append(commands, cmd)
	}
	of := func(use, short, long string, do func(shell string) error) *cobra.Command {
		return &cobra.Command{
			Use: use + " [SHELL]", Short: short, Long: long,
			ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return shells(), cobra.ShellCompDirectiveNoFileComp
			},
			Args: func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}
				return takes("SHELL")(cmd, args)
			},
			RunE: func(_ *cobra.Command, args []string) error {
				shell, err := r.shell(args)
				if err != nil {
					return err
				}
				return do(shell)
			},
		}
	}
	commands = append(commands,
		of("install", "Put the script where the shell finds it", completionInstallLong, r.installCompletion),
		of("uninstall", "Take the script away again", "", r.uninstallCompletion))
	return group(&cobra.Command{Use: "completion", Short: "Complete commands in a shell: print the script, or install it", Long: completionLong}, commands...)
}

func completionScript(shell string) (string, error) {
	script, err := completionScripts.ReadFile(path.Join("completion", shellScripts()[shell]))
	return string(script), err
}

// shell is the one that is named, or the person's.
func (r *run) shell(args []string) (string, error) {
	name := strings.TrimSuffix(filepath.Base(r.Getenv("SHELL")), ".exe")
	if len(args) > 0 {
		name = args[0]
	} else if name == "." && runtime.GOOS == "windows" {
		name = "powershell"
	}
	if name == "pwsh" {
		name = "powershell"
	}
	if !slices.Contains(shells(), name) {
		return "", fault.New(fault.Usage, "unknown_shell", "%q is not one of %s", cutWord(name), orList(shells())).WithHint("agentctl completion install bash")
	}
	return name, nil
}

// completionPlace is where a shell finds the script, and what a person has to do besides; "" for nothing.
func (r *run) completionPlace(shell string) (file, besides string, err error) {
	home := r.Getenv("HOME")
	if home == "" {
		home = r.Getenv("USERPROFILE")
	}
	if home == "" {
		return "", "", fault.New(fault.Usage, "no_home", "nobody knows your home directory: set HOME")
	}
	or := func(variable string, parts ...string) string {
		if dir := r.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(append([]string{home}, parts...)...)
	}
	switch shell {
	case "bash":
		dir := r.Getenv("BASH_COMPLETION_USER_DIR")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(or("XDG_DATA_HOME", ".local", "share"), "bash-completion")
		}
		file = filepath.Join(dir, "completions", "agentctl")
		if !exists("/usr/share/bash-completion/bash_completion") && !exists("/usr/local/share/bash-completion/bash_completion") &&
			!exists("/opt/homebrew/share/bash-completion/bash_completion") {
			besides = "bash loads it by itself only with the package bash-completion; without that, add to ~/.bashrc: source " + shellWord(file)
		}
	case "zsh":
		dir := filepath.Join(or("ZDOTDIR"), ".zfunc")
		file = filepath.Join(dir, "_agentctl")
		if rc, err := os.ReadFile(filepath.Join(or("ZDOTDIR"), ".zshrc")); err != nil || !strings.Contains(string(rc), ".zfunc") {
			besides = "add to ~/.zshrc, before compinit is called: fpath=(" + shellWord(dir) + " $fpath); autoload -Uz compinit; compinit"
		}
	case "fish":
		file = filepath.Join(or("XDG_CONFIG_HOME", ".config"), "fish", "completions", "agentctl.fish")
	case "powershell":
		file = filepath.Join(r.ConfigDir, "completion.ps1")
		besides = "add to the file that $PROFILE names: . '" + strings.ReplaceAll(file, "'", "''") + "'"
	}
	return file, besides, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// installedCompletion is "agentctl completion install" as a document.
type installedCompletion struct {
	Shell   string `json:"shell"`
	Path    string `json:"path"`
	Besides string `json:"besides,omitempty"` // what is still to be done by hand
	Written bool   `json:"written"`
}

func (r *run) installCompletion(shell string) error {
	file, besides, err := r.completionPlace(shell)
	if err != nil {
		return err
	}
	if !r.DryRun {
		script, err := completionScript(shell)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o755) //nolint:gosec // where the shell looks, which holds nothing secret
		}
		if err == nil {
			err = atomicfile.Write(file, []byte(script))
		}
		if err != nil {
			return fault.New(fault.Internal, "write_failed", "installing the script: %w", err).WithHint("agentctl completion %s prints it", shell)
		}
	}
	return r.print(installedCompletion{shell, file, besides, !r.DryRun}, func() error {
		if _, err := fmt.Fprintln(r.Out, file); err != nil {
			return err
		}
		if besides != "" {
			return r.say("%s", besides)
		}
		return r.say("a new %s completes agentctl", shell)
	})
}

func (r *run) uninstallCompletion(shell string) error {
	file, _, err := r.completionPlace(shell)
	if err != nil {
		return err
	}
	if r.DryRun {
		return r.print(installedCompletion{Shell: shell, Path: file}, func() error {
			_, err := fmt.Fprintln(r.Out, file)
			return err
		})
	}
	switch err := os.Remove(file); {
	case errors.Is(err, fs.ErrNotExist):
		return r.say("there is no %s", file)
	case err != nil:
		return fault.New(fault.Internal, "write_failed", "removing the script: %w", err)
	}
	return r.say("%s is removed", file)
}
