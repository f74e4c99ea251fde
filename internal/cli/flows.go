package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/flow"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// flowsHelper makes "agentctl SITE flows" (AA-11).
func flowsHelper() *helper {
	return &helper{
		name: "flows", short: "Several actions in a row, each with what the ones before it gave",
		offered: func(s *site.Site) bool {
			source := s.Offers(agentactions.Format)
			return source != nil && source.Flows.Length > 0
		},
		run: func(ctx context.Context, p *place, args []string) error {
			return p.flows(ctx, args)
		},
		mount: mountFlows,
	}
}

// flows lists the flows of the site, or runs the one that args name.
func (p *place) flows(ctx context.Context, args []string) error {
	all, err := p.site.Flows(ctx)
	if err != nil {
		return err
	}
	read := readLine(args, p.root.PersistentFlags(), nil)
	certain := read.words[:read.bound]
	if len(certain) > 0 {
		f, err := p.findFlow(all, certain[0].text)
		if err != nil {
			return err
		}
		return p.oneFlow(ctx, f, without(args, certain[:1]))
	}
	switch {
	case len(read.unknown) > 0:
		return unknownFlags(read, p.root.PersistentFlags(), p.pathTo("flows"))
	case len(read.problems) > 0:
		return invalidArguments(read.problems, p.pathTo("flows"))
	}
	if err := p.apply(read.flags); err != nil {
		return err
	}
	return p.listFlows(all)
}

func (p *place) findFlow(all []manifest.Flow, name string) (*manifest.Flow, error) {
	known := make([]string, len(all))
	for i := range all {
		if known[i] = all[i].Name; fold(all[i].Name) == fold(name) {
			return &all[i], nil
		}
	}
	return nil, unknownCommand(name, known, p.pathTo("flows"))
}

func (r *run) flowStore() *flow.Store {
	return &flow.Store{Dir: filepath.Join(r.StateDir, "flows"), Now: r.Now}
}

// oneFlow is the flow that a command line names, as a command.
type oneFlow struct {
	*published
	plan    *flow.Plan
	actions map[string]*published
	reach   targetOptions
	resume  string
	repeat  bool
}

// oneFlow runs, or explains, a flow. args are what follows its name.
func (p *place) oneFlow(ctx context.Context, f *manifest.Flow, args []string) error {
	one, err := p.planFlow(ctx, f)
	if err != nil {
		return err
	}
	return one.invoke(ctx, one.command(), args)
}

// planFlow checks a flow as far as can be before its inputs are known (AA-14).
func (p *place) planFlow(ctx context.Context, f *manifest.Flow) (*oneFlow, error) {
	one := &oneFlow{actions: map[string]*published{}}
	var err error
	one.plan, err = flow.Compile(*f, func(name string) (*manifest.Action, error) {
		step, err := p.stepAction(ctx, name)
		if step == nil || err != nil {
			return nil, err
		}
		one.actions[name] = step
		return &step.action.Action, nil
	})
	if err != nil {
		return nil, fault.From(err).WithHint("agentctl site show %s", p.siteWord)
	}
	command := []string{"flows", f.Name}
	action := manifest.Action{
		Summary: manifest.Summary{Format: agentactions.Format, Command: command, Description: f.Description}, Params: one.plan.Params,
	}
	at := *p
	at.node = &site.Node{Command: command, Action: &action.Summary}
	at.command, at.stray = command, ""
	one.published = &published{place: &at, action: &site.Action{Action: action}, taken: map[string]bool{}, reach: &one.reach, own: one.flags()}
	one.explainSteps, one.describeFlow = one.stepRows, one.printDescription
	return one, one.compile()
}

// stepAction loads the action of a step. Nil means that there is none of that name.
func (p *place) stepAction(ctx context.Context, name string) (*published, error) {
	step := *p
	step.viaSite = false
	if !manifest.ValidSegment(name) {
		return nil, nil
	}
	if err := step.site.Select(agentactions.Format); err != nil { // another format may have an action of that name as well
		return nil, err
	}
	var err error
	step.node, err = step.site.Find(ctx, []string{name})
	if err != nil || step.node == nil || step.node.Action == nil {
		return nil, err
	}
	step.stray = ""
	return step.load(ctx, &targetOptions{})
}

// flags are those of every flow.
func (f *oneFlow) flags() *pflag.FlagSet {
	set := newFlagSet()
	set.Var((*text)(&f.resume), "resume", "go on with the run `RUN` after its last completed step")
	set.BoolVar(&f.repeat, "repeat-step", false, "with --resume: send a step again of which nobody knows whether it was done")
	f.reach.registerSchema(set)
	return set
}

// command declares the flow as a command.
func (f *oneFlow) command() *cobra.Command {
	cmd := f.published.command()
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		f.typed.words = words
		return f.run(cmd.Context())
	}
	return cmd
}

// stepRows are the steps for help.
func (f *oneFlow) stepRows() [][]string {
	var rows [][]string
	for i, step := range f.plan.Steps {
		effect := string(step.Action.Effect)
		if f.actions[step.Name].facts(&call.Call{Request: &call.Request{Effect: step.Action.Effect, Cost: step.Action.Cost}}).AsksFirst() {
			effect += ", asks before it is sent"
		}
		rows = append(rows, []string{fmt.Sprintf("%d %s", i+1, render.CleanLine(step.Name)), render.CleanLine(step.Action.Description), render.CleanLine(effect)})
	}
	return rows
}

// run runs the flow, goes on with an earlier run, or shows the plan.
func (f *oneFlow) run(ctx context.Context) error {
	if _, err := f.output(); err != nil {
		return err
	}
	if f.checking {
		return fault.New(fault.Usage, "not_an_action", "a flow has no rule of its own: policy decides about each of its actions").WithHint("%s --help", f.path())
	}
	if f.reach.schema {
		return f.printDescription()
	}
	if f.resume != "" {
		return f.goOn(ctx)
	}
	if f.repeat {
		return fault.New(fault.Usage, "invalid_flag", "--repeat-step needs --resume")
	}
	values, _, err := f.arguments(ctx)
	if err != nil {
		return err
	}
	f.hideSecrets(values)
	if problems := f.plan.Check(values); len(problems) > 0 {
		return invalidArguments(problems, f.path())
	}
	if problems := f.unsendable(values); len(problems) > 0 {
		return invalidArguments(problems, f.path())
	}
	if _, err := f.loadPolicy(); err != nil { // no step could be decided about
		return err
	}
	if f.DryRun {
		return cmp.Or(f.showPlan(values), f.grantsExist())
	}
	if err := f.grantsExist(); err != nil {
		return err
	}
	result, err := f.runner().Run(ctx, f.plan, values)
	return f.ended(ctx, result, err)
}

func (f *oneFlow) goOn(ctx context.Context) error {
	if len(f.typed.words)+len(f.typed.flags)+len(f.Args) > 0 || f.Input != "" {
		return fault.New(fault.Usage, "invalid_arguments", "a run that is resumed has its inputs already: give none")
	}
	if f.DryRun {
		return fault.New(fault.Usage, "invalid_flag", "--dry-run and --resume exclude each other")
	}
	if _, err := f.loadPolicy(); err != nil {
		return err
	}
	result, err := f.runner().Resume(ctx, f.plan, f.resume, f.repeat)
	return f.ended(ctx, result, err)
}

// ended prints the result, or says with the failure how to go on.
func (f *oneFlow) ended(ctx context.Context, result jsontext.Value, err error) error {
	switch {
	case err == nil && f.raw():
		return f.unprinted(result, f.printJSON(result))
	case err == nil:
		return f.unprinted(result, render.Result(ctx, f.Streams, render.JSONBody(result), render.Options{}))
	}
	e := *fault.From(err)
	run, kept := e.Details["run"].(string)
	if !kept {
		return &e
	}
	hint := f.path() + " --resume " + run
	if f.Profile != "" {
		hint += " --profile " + f.Profile
	}
	doubtful := e.Details["state"] == flow.Unknown
	if doubtful {
		hint += " --repeat-step"
	}
	digest, asked := e.Details["approval"].(string)
	switch {
	case asked:
		hint += " --approve " + digest
	case doubtful:
		hint = "check with " + f.siteWord + " whether the step was done; if it was not, " + hint
	case e.Hint != "" && e.Kind != fault.Approval:
		hint = e.Hint + "; then " + hint
	}
	e.Hint = hint
	return &e
}

// unsendable finds, before anything is sent, the inputs that are valid but cannot go where their step's request puts them,
// such as ".." in a path (AA-5, AA-14). What is not known yet stands in the plan as its reference, which can go anywhere.
func (f *oneFlow) unsendable(values *manifest.Values) (problems []fault.Problem) {
	for i, step := range f.plan.Describe(values) {
		input := &manifest.Values{}
		for name, value := range strictjson.Members(step.Input) {
			input.Set(name, value)
		}
		_, found := f.actions[step.Action].action.Request(site.Given{Values: input, Human: false})
		problems = append(problems, f.inStep(i, found)...)
	}
	return problems
}

// inStep says of problems with a step's input where in the flow they are.
func (f *oneFlow) inStep(step int, problems []fault.Problem) []fault.Problem {
	for i := range problems {
		p := &problems[i]
		p.Param, p.Pointer = "", fmt.Sprintf("/steps/%d/with%s", step, p.Pointer)
		p.Message = fmt.Sprintf("in the step %q: %s", f.plan.Steps[step].Name, p.Message)
	}
	return problems
}

// maxToldResult is how large a result may be, in bytes, that goes into an error.
const maxToldResult = 64 << 10

// unprinted makes of a failure to print a result what it is: the flow is done, and what it came to is told once more.
func (f *oneFlow) unprinted(result jsontext.Value, err error) error {
	if err = answered(err); err == nil || errors.Is(err, render.ErrOutputClosed) {
		return err
	}
	e := *fault.From(err)
	e.Message = "the flow is done, but its result cannot be printed: " + e.Error()
	if len(result) <= maxToldResult {
		e.Details = map[string]any{"result": json.RawMessage(result)}
	}
	return &e
}

// grantsExist looks for a grant for every step that needs one before the first is sent (AA-14). No keyring is touched.
func (f *oneFlow) grantsExist() error {
	for _, step := range f.plan.Steps {
		if _, err := f.actions[step.Name].carries(); err != nil {
			return err
		}
	}
	return nil
}

func (f *oneFlow) runner() *flow.Runner {
	r := &flow.Runner{Store: f.flowStore(), Origin: string(f.conn.origin), Format: agentactions.Format, Do: f.do}
	r.NotKept = func(step int, name string) {
		_ = f.say("warning: %s", render.CleanLine(fmt.Sprintf("the output of step %d (%s) could not be kept: it is null now", step+1, name)))
	}
	if f.ErrTTY && !f.Quiet {
		r.Started = func(c flow.StepCall) { _ = f.say("%d/%d %s …", c.Step+1, c.Steps, render.CleanLine(c.Name)) }
		r.Finished = func(c flow.StepCall, _ jsontext.Value, failed *fault.Error) {
			if failed == nil {
				_ = f.say("%d/%d %s: done", c.Step+1, c.Steps, render.CleanLine(c.Name))
			}
		}
	}
	return r
}

// do makes the call of one step.
func (f *oneFlow) do(ctx context.Context, c flow.StepCall) (body []byte, err error) {
	step := *f.actions[c.Name]
	step.conn.limit.renew() // the time limit is for each call
	sending := false
	step.sending = func() error {
		sending = true
		return c.Sending()
	}
	step.oneOfSeveral = true
	step.hideSecrets(c.Values)
	made, err := step.prepare(c.Values, nil)
	if err != nil {
		e := fault.New(fault.Manifest, "step_input_invalid", "with the outputs before it the step has no valid input")
		e.Problems = f.inStep(c.Step, fault.From(err).Problems)
		return nil, e
	}
	made.MaxBytes = flow.MaxOutput + 1
	err = step.exchange(ctx, made, func(_ context.Context, result *call.Result) error {
		body, err = result.Content()
		return err
	})
	if err != nil && !sending { // whatever it was, such as Ctrl-C at the question: nothing was sent
		err = fault.From(err)
	}
	return body, err
}

// plannedStep is a step of "--dry-run".
type plannedStep struct {
	Action string          `json:"action"`
	Effect manifest.Effect `json:"effect"`
	Cost   *manifest.Cost  `json:"cost,omitempty"`
	Scope  string          `json:"scope,omitempty"`
	Input  jsontext.Value  `json:"input"`
}

// showPlan prints what a run would do (AA-15).
func (f *oneFlow) showPlan(values *manifest.Values) error {
	plan := struct {
		Flow  string        `json:"flow"`
		Steps []plannedStep `json:"steps"`
	}{f.plan.Name, nil}
	for i, step := range f.plan.Describe(values) {
		plan.Steps = append(plan.Steps, plannedStep{step.Action, step.Effect, step.Cost, f.plan.Steps[i].Action.Scope, step.Input})
	}
	return f.print(plan, func() error {
		h := f.newHelp()
		for i, step := range plan.Steps {
			h.line(render.CleanLine(fmt.Sprintf("%d %s (%s) %s", i+1, step.Action, step.Effect, step.Input)))
		}
		return h.write(f.Out)
	})
}
