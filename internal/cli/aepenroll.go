package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/audit"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// claimOptions are what the command line says about claims.
type claimOptions struct {
	given []string // NAME=VALUE
	file  text     // of a JSON object
	wait  waitOptions
}

func (r *run) newAEPEnroll() *cobra.Command {
	o := &claimOptions{}
	cmd := r.aepCommand("enroll", "Make your agent known to a site, with claims that you agree to give", func(ctx context.Context, s *aepSite) error {
		return s.enroll(ctx, o)
	})
	cmd.Long = `Make your agent known to a site. What is told about you is only what you give here: by --claim or
--claims, or at the terminal, where each claim that the site asks for is asked about. It is shown
before it is sent, and sending it has to be approved.`
	cmd.Example = `  agentctl aep enroll shop.example --claim contact.email=ada@example.com
  agentctl aep enroll shop.example --claims me.json --yes --wait`
	cmd.Flags().StringArrayVar(&o.given, "claim", nil, "give a claim as `NAME=VALUE`; may repeat")
	cmd.Flags().Var(&o.file, "claims", "give the claims in a JSON object in `FILE` (- is standard input)")
	o.wait.register(cmd)
	return cmd
}

func (s *aepSite) enroll(ctx context.Context, o *claimOptions) error {
	given, err := s.claims(ctx, o)
	if err != nil {
		return err
	}
	in, identity, err := s.agent(ctx)
	if err != nil {
		return err
	}
	claims, err := s.negotiate(ctx, in, given)
	if err != nil {
		return err
	}
	if problems := in.CheckClaims(claims); len(problems) > 0 {
		e := fault.New(fault.Usage, "invalid_claims", "these are not the claims that %s asks for", s.word)
		e.Problems = problems
		return e.WithHint("agentctl aep inspect %s tells what it asks for; --claim NAME=VALUE gives it", s.word)
	}
	f := s.facts("enroll", manifest.Send)
	f.Body, f.Headers = claims.Object(), [][2]string{{"agent", identity.Agent.String()}} // what an approval is for
	f.Note = "it tells the site who you are, as below, and makes the agent " + identity.Agent.String() + " known to it"
	for _, name := range claims.Names() {
		value, _ := claims.Get(name)
		f.Fields = append(f.Fields, policy.Field{Name: name, Value: string(value), Type: valueType(value), Length: len(value), Secret: false})
	}
	var e aep.Enrolment
	err = s.logged(ctx, f, func(ctx context.Context) (err error) {
		e, err = s.client.Enroll(ctx, in, identity, claims)
		return err
	})
	if err != nil {
		return s.told(err)
	}
	return s.tell(ctx, in, identity, e, o.wait)
}

// claims are those on the command line. A value is text unless it is an object.
func (s *aepSite) claims(ctx context.Context, o *claimOptions) (given manifest.Values, err error) {
	if o.file != "" {
		content, err := s.ReadFile(ctx, string(o.file))
		if err != nil {
			return given, fault.New(fault.Usage, "invalid_flag", "--claims: %w", err)
		}
		object := jsontext.Value(content)
		if strictjson.Check(content) != nil || object.Kind() != '{' {
			return given, fault.New(fault.Usage, "invalid_flag", "--claims: %s holds no JSON object", cutWord(string(o.file)))
		}
		for name, value := range strictjson.Members(object) {
			given.Set(name, strictjson.Compact(value))
		}
	}
	for _, pair := range o.given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return given, fault.New(fault.Usage, "invalid_flag", "--claim: it is given as NAME=VALUE")
		}
		given.Set(name, claimValue(value))
	}
	for _, name := range given.Names() {
		value, _ := given.Get(name)
		if text, ok := strictjson.String(value); ok && len(text) >= minClaim {
			s.hide(text) // in errors, which a site may fill with what it was told
		}
	}
	return given, nil
}

// minClaim is the shortest claim that is taken out of errors: shorter ones are parts of words, and of codes.
const minClaim = 3 // bytes

func claimValue(text string) jsontext.Value {
	if strings.HasPrefix(text, "{") && strictjson.Check([]byte(text)) == nil {
		return strictjson.Compact(jsontext.Value(text))
	}
	return strictjson.Quote(text)
}

// negotiate asks at a terminal for each claim that the site wants and nobody gave: a value for those that it must have, and
// for each other one whether it is told at all (AEP-21, AEP-22). Elsewhere nothing is told that was not given.
func (s *aepSite) negotiate(ctx context.Context, in *aep.Inspect, claims manifest.Values) (manifest.Values, error) {
	if !s.canAsk() || s.Yes || s.Approve != "" {
		return claims, nil
	}
	asked := map[string]bool{}
	for i, names := range [][]string{in.Required, in.Preferred, in.Optional} {
		how := []string{"must know", "would like to know", "may be told"}[i]
		for _, name := range names {
			says, known := claimSays(name)
			if _, given := claims.Get(name); given || asked[name] || !known {
				continue
			}
			asked[name] = true
			question := fmt.Sprintf("%s %s your %s: %s.\n", s.target(string(s.conn.origin)), how, name, says)
			if i > 0 {
				question += "Leave it empty to tell nothing.\n"
			}
			answer, err := s.answer(ctx, question+name+": ")
			if err != nil {
				return claims, err
			}
			if answer != "" {
				claims.Set(name, claimValue(answer))
			}
		}
	}
	return claims, nil
}

// claimSays is what the value of a claim must be; ok is false for one that nobody knows.
func claimSays(name string) (says string, ok bool) {
	all := aep.Claims()
	i := slices.IndexFunc(all, func(c aep.Claim) bool { return c.Name == name })
	if i < 0 {
		return "", false
	}
	return all[i].Says, true
}

// facts are what a decision about a command of AEP rests on.
func (s *aepSite) facts(command string, effect manifest.Effect) *policy.Facts {
	return &policy.Facts{
		Site: string(s.conn.origin), Command: []string{"aep", command}, Method: "POST", URL: string(s.conn.origin) + "/.well-known/aep", Effect: effect,
		Endpoint: "aep " + command,
	}
}

// logged has policy and person decide about a command, and writes it into the audit log before and after it is sent
// (contract, section 5).
func (s *aepSite) logged(ctx context.Context, f *policy.Facts, send func(context.Context) error) error {
	gate, err := s.gate()
	if err != nil {
		return err
	}
	passage, err := gate.Pass(ctx, f)
	if err != nil {
		return err
	}
	entry, err := s.auditLog().Begin(auditCall(f, passage))
	if err != nil {
		s.warnIf(passage.Release())
		return err
	}
	err = s.conn.timed(ctx, send)
	o := audit.Outcome{Status: 200, Sent: string(fault.SentYes)}
	if err != nil {
		o = outcomeOf(nil, fault.From(err))
		if o.Sent == "" {
			o.Sent = string(fault.SentUnknown)
		}
		o.Code = s.redact(o.Code)
	}
	s.warnIf(entry.End(o))
	return err
}

// told adds the next command to a refusal of the Service (AEP-32).
func (s *aepSite) told(err error) error {
	f := *fault.From(err)
	if f.Hint != "" {
		return &f
	}
	switch f.Code {
	case "not_recognized":
		f.Hint = "agentctl aep document " + s.word + " --check tells whether the Service can read your agent's document; then agentctl aep enroll " + s.word
	case "requirements_unmet", "enrollment_failed":
		f.Hint = "agentctl aep inspect " + s.word + " tells what it asks for"
	case "verification_pending", "identity_unavailable", "verification_timeout":
		f.Hint = "agentctl aep status " + s.word + " --wait"
	case "insufficient_scope":
		f.Hint = "agentctl aep grant " + s.word + " TYPE --scope SCOPE"
	case "idempotency_conflict":
		f.Hint = "run the command again"
	case "unsupported_grant_type":
		f.Hint = "agentctl aep inspect " + s.word + " tells what it grants"
	}
	return &f
}

// tell keeps what a Service says of the agent, and shows it; with --wait only when it is decided.
func (s *aepSite) tell(ctx context.Context, in *aep.Inspect, identity aep.Identity, e aep.Enrolment, wait waitOptions) error {
	if err := s.store.SetAgentState(s.account, e.State); err != nil {
		return err
	}
	if e.State == aep.Pending && wait.wanted() {
		if err := s.say("waiting for the Service to decide; Ctrl-C stops waiting, and changes nothing"); err != nil {
			return err
		}
		var err error
		e, err = s.client.Await(ctx, in, identity, aep.Wait{Limit: wait.limit(), Tell: s.ownerAction()})
		if ctx.Err() == nil {
			s.warnIf(s.store.SetAgentState(s.account, e.State))
		}
		if err != nil && fault.From(err).Code != "enrollment_pending" {
			return s.told(err)
		}
	}
	agent, _, err := s.store.Agent(s.account)
	if err != nil {
		return err
	}
	report := reportAgent(s.account, agent)
	report.Since, report.Owner, report.Verifying, report.Missing = timeOrNone(e.Since), e.OwnerAction, e.Verification, e.Requirements
	if err := s.print(report, func() error { return s.showAgent(report) }); err != nil {
		return err
	}
	if e.State == aep.Pending && !wait.wanted() {
		return nil // it is under way, which is what was asked for
	}
	return e.Err()
}

// ownerAction tells once that the owner has to do something.
func (s *aepSite) ownerAction() func(aep.Enrolment) {
	told := false
	return func(e aep.Enrolment) {
		if e.OwnerAction && !told {
			told = true
			_ = s.say("the Service waits for something that you have to do there")
		}
	}
}

func (s *aepSite) showAgent(report agentReport) error {
	h := s.newHelp()
	h.paragraph(s.heading(stateWord(report.State)))
	rows := [][]string{{"service", report.Service.String()}, {"agent", report.Agent.String()}, {"document", report.Document}}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, render.CleanLine(value)})
		}
	}
	add("since", s.moment(report.Since))
	if report.Owner {
		add("waits for", "something that you have to do at the Service")
	}
	add("verifying", strings.Join(report.Verifying, ", "))
	add("still missing", strings.Join(report.Missing, ", "))
	for _, g := range report.Grants {
		add("grant", strings.Join(strings.Fields(string(g.Type)+" "+g.ID+" until "+g.Expires.Format("2006-01-02 15:04")+" "+strings.Join(g.Scopes, " ")), " "))
	}
	h.rows(rows)
	return h.write(s.Out)
}
