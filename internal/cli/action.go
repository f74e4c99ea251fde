package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// fileFlag gives files to an action that takes uploads (F-1).
const fileFlag = "file"

// actionOptions are what the command line says to one action.
type actionOptions struct {
	flags []input.Flag
	files []string
	words []string
}

// published is an action as a command: its parameters compiled, and its flags.
type published struct {
	*place
	action *site.Action
	params *input.Set
	taken  map[string]bool // parameters without a flag of their own: a global flag has the name
	typed  actionOptions
	below  [][]string // the commands below, where the action is a group as well (IA-7); for help

	reach        *targetOptions    // what the line says of the way to it
	own          *pflag.FlagSet    // flags of the command itself, which parameters give way to; nil for none
	explainSteps func() [][]string // the steps of a flow, for help; else nil
	describeFlow func() error      // tells a program of a flow; else nil
	anonymous    bool              // whether it is called without a credential, whatever is stored
	takesBody    bool              // whether --input is a body as it is, not the arguments
	body         []byte            // that body
	oneOfSeveral bool              // whether it is a step: --approve may then be meant for another one
	each         *eachOptions      // what the line says about calling it for each line of a file; nil where that cannot be
	renewing     *sync.Mutex       // held while a credential is made ready, where calls go side by side; else nil
	open         map[string]bool   // see [published.openNames]; nil: not asked yet
	opened       bool              // it read a file that an argument names
	sending      func() error      // called right before the request is sent, unless it is nil; its error stops it
	paymentTaken string            // the digest of a payment that was approved with the call; "" for none
	spinner      func()            // ends what shows that the call takes time; nil while nothing does

	present func(context.Context, *call.Result) error // takes the answer in place of standard output, unless it is nil
}

// action runs, or explains, the action at a place. args are what follows its command.
func (p *place) action(ctx context.Context, args []string) error {
	return p.withAction(ctx, args, func(ctx context.Context, a *published) error {
		a.withEach(args)
		return a.invoke(ctx, a.command(), args)
	})
}

// withAction prepares the action at a place, aimed at where args have it called, and gives it to use.
func (p *place) withAction(ctx context.Context, args []string, use func(context.Context, *published) error) error {
	a, err := p.load(ctx, p.bindingFlags(args))
	if err != nil {
		return err
	}
	release, err := a.aim(ctx)
	if err != nil {
		return err
	}
	defer release()
	err = use(ctx, a)
	if a.conn != p.conn {
		err = elsewhereTold(err, a.conn.origin)
	}
	return err
}

// invoke reads what follows the command of an action, and runs or explains it.
func (a *published) invoke(ctx context.Context, cmd *cobra.Command, args []string) error {
	p := a.place
	set := newFlagSet()
	a.register(set)
	set.AddFlagSet(cmd.Flags())
	read := readLine(args, set, a.dotted(cmd.Flags()))
	switch {
	case slices.Contains(read.flags, "--help=true"):
		if p.stray != "" && len(a.params.Positions()) == 0 {
			return p.unknown(ctx, p.stray)
		}
		_ = p.apply(read.flags) // what it refuses is the action's own
		return a.explain(ctx)
	case len(read.unknown) > 0:
		return unknownFlags(read, set, p.path())
	case len(read.problems) > 0:
		return invalidArguments(read.problems, p.path())
	}
	p.mount(cmd)
	return p.execute(ctx, p.root, slices.Concat([]string{p.siteWord}, p.node.Command, read.flags, []string{"--"}, texts(read.words)))
}

// load fetches the action's description and compiles its parameters.
func (p *place) load(ctx context.Context, reach *targetOptions) (*published, error) {
	a := &published{place: p, taken: map[string]bool{}, reach: reach}
	err := p.conn.timed(ctx, func(ctx context.Context) (err error) {
		a.action, err = p.site.Action(ctx, p.node, string(reach.binding))
		return err
	})
	if err == nil {
		err = a.compile()
	}
	if err == nil {
		a.own = newFlagSet()
		a.takesBody = a.action.Target.Body
		reach.register(a.own, a.action.Format, a.action.Target)
		a.offerEach()
	}
	return a, p.unusable(err)
}

// compile prepares the reading of arguments: each by a schema of its own, or all by one.
func (a *published) compile() (err error) {
	if a.action.Input == nil {
		a.params, err = input.Compile(a.action.Params, a.action.Args)
		return err
	}
	if a.params, err = input.CompileObject(a.action.Input, a.action.Args); err == nil {
		a.action.Params = a.params.Params()
	}
	return err
}

// unusable says of a fault in an action's description which action it makes unusable.
func (p *place) unusable(err error) error {
	if err == nil || fault.From(err).Kind != fault.Manifest {
		return err
	}
	e := *fault.From(err)
	if prefix := strings.Join(p.node.Command, " ") + " cannot be used: "; !strings.HasPrefix(e.Error(), prefix) {
		e.Message = prefix + e.Error()
	}
	e.Hint = "agentctl site show " + p.siteWord
	return &e
}

// command declares the action as a Cobra command with a flag for each parameter. It only reads the command line; run
// does the work.
func (a *published) command() *cobra.Command {
	name := a.node.Command[len(a.node.Command)-1]
	cmd := &cobra.Command{Use: name, Short: render.CleanLine(a.action.Description), Args: cobra.ArbitraryArgs}
	taken := spellings(a.root.PersistentFlags())
	if a.own != nil {
		maps.Copy(taken, spellings(a.own))
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	for _, param := range a.action.Params {
		if _, taken := taken[fold(param.Name)]; taken || !flaggable(param.Name) || a.action.Files != nil && fold(param.Name) == fileFlag {
			a.taken[param.Name] = true
			continue
		}
		addFlag(flags, param.Name, a.params.Describe(param.Name), a.value(param.Name, nil)).Usage = render.CleanLine(param.Description)
	}
	flags.AddFlagSet(a.own)
	if a.action.Files != nil {
		flags.StringArrayVar(&a.typed.files, fileFlag, nil, "a `FILE` to send; may repeat")
	}
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		a.typed.words = words
		return a.run(cmd.Context())
	}
	return cmd
}

// mount hangs the command below its site and groups in the built-in tree: the one branch that this run needs.
func (p *place) mount(cmd *cobra.Command) {
	parent := p.root
	for _, c := range parent.Commands() {
		if c.Name() == p.siteWord { // of the helper that led here
			parent.RemoveCommand(c)
		}
	}
	for _, word := range append([]string{p.siteWord}, p.node.Command[:len(p.node.Command)-1]...) {
		next := &cobra.Command{Use: word}
		parent.AddCommand(next)
		parent = next
	}
	parent.AddCommand(cmd)
}

// flaggable tells whether a parameter's name can be written as a flag at all.
func flaggable(name string) bool {
	return !strings.ContainsAny(name, "= \t") && !strings.HasPrefix(name, "-")
}

func addFlag(set *pflag.FlagSet, name string, d input.Description, value *paramValue) *pflag.Flag {
	value.kind = d.Type
	flag := set.VarPF(value, name, "", "")
	if d.Boolean {
		flag.NoOptDefVal = "true"
	}
	return flag
}

// dotted makes flags such as --address.city for parameters that are objects, when they are used.
func (a *published) dotted(set *pflag.FlagSet) func(string) *pflag.Flag {
	return func(typed string) *pflag.Flag {
		if flag := set.Lookup(typed); flag != nil { // used before on this line
			return flag
		}
		words := strings.Split(typed, ".")
		if len(words) < 2 || slices.Contains(words, "") {
			return nil
		}
		for _, param := range a.action.Params {
			if a.taken[param.Name] || param.Name != words[0] && fold(param.Name) != fold(words[0]) {
				continue
			}
			if d := a.params.Describe(param.Name); !d.Object && !d.Repeatable {
				continue
			}
			path := a.memberPath(param.Name, words[1:])
			return addFlag(set, typed, a.params.DescribePath(param.Name, path), a.value(param.Name, path))
		}
		return nil
	}
}

// memberPath gives the words of a dotted flag the exact spelling of the members that they mean.
func (a *published) memberPath(name string, words []string) []string {
	path := slices.Clone(words)
	for i, word := range words {
		var alike []string
		for _, member := range a.params.DescribePath(name, path[:i]).Members {
			if member.Name == word {
				alike = []string{word}
				break
			}
			if fold(member.Name) == fold(word) {
				alike = append(alike, member.Name)
			}
		}
		if len(alike) == 1 {
			path[i] = alike[0]
		}
	}
	return path
}

func (a *published) value(name string, path []string) *paramValue {
	return &paramValue{name: name, path: path, into: &a.typed.flags}
}

// paramValue collects what is given to one parameter, in the order of the command line.
type paramValue struct {
	name string
	path []string
	kind string
	into *[]input.Flag
}

func (v *paramValue) Set(text string) error {
	*v.into = append(*v.into, input.Flag{Name: v.name, Path: v.path, Text: text})
	return nil
}
func (v *paramValue) String() string { return "" }
func (v *paramValue) Type() string   { return v.kind }

func flagNames(set *pflag.FlagSet) []string {
	var names []string
	set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// invalidArguments is the usage fault for arguments that fail validation: all problems at once.
func invalidArguments(problems []fault.Problem, path string) *fault.Error {
	e := fault.New(fault.Usage, "invalid_arguments", "the arguments are not valid").WithHint("%s --help", path)
	e.Problems = problems
	return e
}

// run checks the arguments, prepares the request, and sends or shows it.
func (a *published) run(ctx context.Context) error {
	output, err := a.output()
	if err != nil {
		return err
	}
	if a.each.used() && a.reach.interactive {
		return fault.New(fault.Usage, "invalid_flag", "--each and --interactive exclude each other")
	}
	if a.each.used() {
		return a.forEach(ctx)
	}
	if a.checking {
		return a.checkPolicy(ctx)
	}
	if a.reach.schema {
		return a.printDescription()
	}
	if a.reach.interactive {
		return a.inForm(ctx, output)
	}
	return a.perform(ctx, output)
}

// perform does with the arguments what the line is for.
func (a *published) perform(ctx context.Context, output render.Options) error {
	c, err := a.ready(ctx)
	if err != nil {
		return err
	}
	return a.do(ctx, c, output)
}

// do makes a call, or what stands for it.
func (a *published) do(ctx context.Context, c *call.Call, output render.Options) error {
	switch {
	case a.DryRun:
		return a.dryRun(c.Request)
	case a.action.Target.HandOver:
		return a.handOver(ctx, c.Request)
	case a.reach.all:
		return a.allPages(ctx, c, output)
	}
	return a.exchange(ctx, c, func(ctx context.Context, result *call.Result) error {
		if a.present != nil {
			return a.present(ctx, result)
		}
		return a.show(ctx, result, output)
	})
}

// ready makes the call of what the line says, checked.
func (a *published) ready(ctx context.Context) (*call.Call, error) {
	values, upload, err := a.arguments(ctx)
	if err != nil {
		return nil, err
	}
	return a.readyWith(values, upload)
}

// readyWith makes the call of checked arguments, if it can carry what it has to.
func (a *published) readyWith(values *manifest.Values, upload jsontext.Value) (*call.Call, error) {
	a.hideSecrets(values)
	if err := a.signedIn(); err != nil {
		return nil, err
	}
	return a.prepare(values, upload)
}

// prepare makes the one request of checked arguments.
func (a *published) prepare(values *manifest.Values, upload jsontext.Value) (*call.Call, error) {
	c, err := a.bare(values, upload)
	if err == nil {
		c.Fields = a.fields(values, upload)
	}
	return c, err
}

// bare is [published.prepare] without the fields, which are for people and for the log.
func (a *published) bare(values *manifest.Values, upload jsontext.Value) (*call.Call, error) {
	request, problems := a.action.Request(a.given(values, upload))
	if len(problems) > 0 {
		return nil, invalidArguments(problems, a.path())
	}
	return &call.Call{
		Request: request, Origin: string(a.conn.origin), Command: a.node.Command, MaxBytes: a.maxBytes(),
	}, nil
}

// given is what the command line gives to a call.
func (a *published) given(values *manifest.Values, upload jsontext.Value) site.Given {
	return site.Given{Values: values, Upload: upload, Human: !a.raw() && !a.each.used(), Body: a.body, Open: a.openFile}
}

// openFile reads a file that an argument names, for a body with files in it.
func (a *published) openFile(name string) ([]byte, error) {
	a.opened = true
	file, err := a.Disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, input.MaxUpload+1))
	if err == nil && len(data) > input.MaxUpload {
		err = fmt.Errorf("%s is larger than %d bytes", name, input.MaxUpload)
	}
	return data, err
}

// maxBytes lets --save take answers of any size; everything else has the client's limit.
func (a *published) maxBytes() int64 {
	if a.Save != "" {
		return -1
	}
	return 0
}
