package cli

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
)

// globals are the flags that stand anywhere on any command line (contract, section 2).
type globals struct {
	JSON, Verbose, Quiet, DryRun, Refresh, Offline, AllowPrivate, NoInput, NoPager, Yes bool

	JQ, Template, Columns, Output, Save, Input, CACert, Approve, Format, Profile string
	Args, Resolve                                                                []string
	Timeout                                                                      time.Duration
	Retries                                                                      int
}

// defaultTimeout is for the whole call (contract, section 7).
const defaultTimeout = 30 * time.Second

// register declares the global flags. What is known about them anywhere comes from the set that they are declared in.
func (g *globals) register(set *pflag.FlagSet) {
	set.SortFlags = false
	set.BoolVar(&g.JSON, "json", false, "print the raw answer; errors as JSON on standard error")
	set.Var((*text)(&g.JQ), "jq", "filter the JSON answer with a jq `EXPR`; implies --json")
	set.VarP((*text)(&g.Output), "output", "o", "print the answer as json, yaml, table, csv, ndjson or raw (`FORMAT`)")
	set.Var((*text)(&g.Columns), "columns", "show these columns of a table or csv, a `LIST` such as id,buyer.name")
	set.Var((*text)(&g.Template), "template", "print the JSON answer by a Go template, `TEXT`, as in gh")
	set.Var((*text)(&g.Save), "save", "write the answer to `FILE`, whole or not at all")
	set.Var((*text)(&g.Input), "input", "take the arguments from a JSON object in `FILE` (- is standard input)")
	set.StringArrayVar(&g.Args, "arg", nil, "give any parameter as `NAME=VALUE`; may repeat")
	set.BoolVar(&g.DryRun, "dry-run", false, "show the request instead of sending it")
	set.BoolVarP(&g.Yes, "yes", "y", false, "approve this one call")
	set.Var((*text)(&g.Approve), "approve", "send exactly the request that `DIGEST` was given for")
	set.BoolVar(&g.NoInput, "no-input", false, "never ask anything")
	set.BoolVarP(&g.Verbose, "verbose", "v", false, "show requests, timing and cache on standard error")
	set.BoolVarP(&g.Quiet, "quiet", "q", false, "show nothing but results and errors")
	set.BoolVar(&g.NoPager, "no-pager", false, "do not show long output through a pager")
	set.DurationVar(&g.Timeout, "timeout", defaultTimeout, "time limit of the whole call, a `DURATION` such as 10s")
	set.IntVar(&g.Retries, "retries", 3, "try calls that only read up to `N` more times, at most 3")
	set.BoolVar(&g.Refresh, "refresh", false, "ask the site again for what is in the cache")
	set.BoolVar(&g.Offline, "offline", false, "use nothing but the cache; send nothing")
	set.Var((*text)(&g.Profile), "profile", "use the credential that was stored for the site under `NAME`")
	set.Var((*text)(&g.Format), "format", "use what the site publishes in the format `NAME`")
	set.StringArrayVar(&g.Resolve, "resolve", nil, "connect to ADDRESS for HOST:PORT (`HOST:PORT:ADDRESS[:PORT]`); may repeat")
	set.Var((*text)(&g.CACert), "cacert", "trust the certificates in `FILE` instead of the system's")
	set.BoolVar(&g.AllowPrivate, "allow-private", false, "let a public name lead to a private address")
	set.BoolP("help", "h", false, "show help")
}

// raw tells whether the form for programs is asked for.
func (g *globals) raw() bool {
	return g.JSON || g.JQ != "" || g.Template != "" || g.Output != "" || g.Save != ""
}

// errorsAsJSON tells whether failures are reported as JSON.
func (g *globals) errorsAsJSON() bool {
	return g.JSON || g.JQ != "" || g.Output == "json" || g.Output == "ndjson"
}

// text is a flag's value that must not be empty: an unset variable in a script is told, not taken for no flag.
type text string

func (t *text) Set(value string) error {
	if value == "" {
		return errors.New("the value is empty")
	}
	*t = text(value)
	return nil
}
func (t *text) String() string { return string(*t) }
func (t *text) Type() string   { return "string" }
