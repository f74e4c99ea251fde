package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// toolSchema is "agentctl help --json": everything that is built in. What sites publish is told by "agentctl SITE --json" and
// "agentctl SITE COMMAND --schema".
type toolSchema struct {
	Name        string           `json:"name"`
	Version     string           `json:"version"`
	Description string           `json:"description"`
	Usage       []string         `json:"usage"`
	Flags       []flagSchema     `json:"flags"` // that work on every command
	Commands    []commandSchema  `json:"commands"`
	Topics      []string         `json:"topics"` // of agentctl help TOPIC
	Environment []variableSchema `json:"environment"`
	Exits       []exitSchema     `json:"exit_statuses"`
	Error       errorSchema      `json:"error"`
}

type commandSchema struct {
	Command     []string        `json:"command"` // without "agentctl"
	Usage       string          `json:"usage"`
	Description string          `json:"description"`
	Long        string          `json:"long,omitempty"`
	Examples    []string        `json:"examples,omitempty"`
	Flags       []flagSchema    `json:"flags,omitempty"`
	Commands    []commandSchema `json:"commands,omitempty"` // below it
}

type flagSchema struct {
	Name        string `json:"name"` // without dashes
	Shorthand   string `json:"shorthand,omitempty"`
	Value       string `json:"value,omitempty"` // what stands for its value; "" for a flag that takes none
	Type        string `json:"type"`
	Default     string `json:"default,omitempty"`
	Description string `json:"description"`
}

type variableSchema struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// errorSchema tells what an error in JSON holds (contract, section 4).
type errorSchema struct {
	Where   string            `json:"where"`
	Members map[string]string `json:"members"`
}

func errorMembers() map[string]string {
	return map[string]string{
		"kind": "decides the exit status", "code": "stable; the site's own where it sent one", "message": "for people",
		"hint": "the next command to try, or a sentence", "site": "as it was typed", "command": "the site's command",
		"problems": "all that is wrong with the arguments: param, pointer, keyword, message", "status": "of the site's answer",
		"retry_after": "seconds that the site asks to wait", "sent": "no, yes or unknown: whether the request can have had its effect",
		"details": "machine-readable extras; details.approval is a digest for --approve",
	}
}

// describeTool describes the built-in tree.
func (r *run) describeTool(root *cobra.Command) error {
	t := toolSchema{
		Name: "agentctl", Version: r.Version, Description: root.Short,
		Usage:  []string{"agentctl SITE [COMMAND…] [ARGS…] [--flags]", "agentctl BUILTIN …"},
		Flags:  flagSchemas(root.PersistentFlags()),
		Topics: topicNames(),
		Exits:  exitSchemas(),
		Error:  errorSchema{`one line {"error":{…}} on standard error, with --json`, errorMembers()},
	}
	for _, v := range environmentVariables() {
		t.Environment = append(t.Environment, variableSchema{v[0], v[1]})
	}
	for _, c := range root.Commands() {
		if described(c) {
			t.Commands = append(t.Commands, commandSchemaOf(c))
		}
	}
	document, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return r.printJSON(document)
}

func described(c *cobra.Command) bool { return c.IsAvailableCommand() || c.Name() == "help" }

func commandSchemaOf(c *cobra.Command) commandSchema {
	s := commandSchema{
		Command: strings.Fields(c.CommandPath())[1:], Usage: usageOf(c), Description: c.Short, Long: c.Long,
		Flags: flagSchemas(c.LocalNonPersistentFlags()),
	}
	for line := range strings.SplitSeq(c.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			s.Examples = append(s.Examples, line)
		}
	}
	for _, below := range c.Commands() {
		if described(below) {
			s.Commands = append(s.Commands, commandSchemaOf(below))
		}
	}
	return s
}

// usageOf is the line that calls a built-in command.
func usageOf(c *cobra.Command) string {
	use := c.CommandPath() + strings.TrimPrefix(c.Use, c.Name())
	if c.HasParent() && c.HasAvailableSubCommands() {
		use += " COMMAND"
	}
	return use
}

func flagSchemas(set *pflag.FlagSet) []flagSchema {
	list := []flagSchema{}
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if f.NoOptDefVal != "" {
			value = ""
		}
		s := flagSchema{Name: f.Name, Shorthand: f.Shorthand, Value: value, Type: f.Value.Type(), Description: usage}
		if !slices.Contains([]string{"", "false", "[]"}, f.DefValue) {
			s.Default = f.DefValue
		}
		list = append(list, s)
	})
	return list
}
