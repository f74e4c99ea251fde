package aep

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// State is how a Service sees an agent (AEP-19, AEP-20).
type State string

// The states. Enroll answers with the first three only.
const (
	Active      State = "active"
	Pending     State = "pending"
	Rejected    State = "rejected"
	Unavailable State = "unavailable"
	Suspended   State = "suspended"
	Terminated  State = "terminated"
)

// Enrolment is what a Service says of an agent.
type Enrolment struct {
	State        State
	OwnerAction  bool      // the owner has to do something outside of the protocol
	Verification []string  // claims that were given and are being verified
	Requirements []string  // claims that are still to be given
	Since        time.Time // zero when the Service does not say
}

// Err says why the agent cannot go on; nil when it is active. Its code is "enrollment_" with the state.
func (e Enrolment) Err() error {
	if e.State == Active {
		return nil
	}
	f := fault.New(fault.Auth, "enrollment_"+string(e.State), "the Service has the agent as %s", e.State)
	f.Sent = fault.SentYes
	if e.OwnerAction {
		f.Hint = "the Service waits for something that its owner has to do there"
		detail(f, "owner_action_required", true)
	}
	if len(e.Verification) > 0 {
		detail(f, "verification_pending", e.Verification)
	}
	if len(e.Requirements) > 0 {
		detail(f, "requirements_pending", e.Requirements)
	}
	return f
}

// Enroll makes the agent known to a Service, with claims that a person agreed to give to it (AEP-18, AEP-21). They must be
// what the Service asks for: see [Inspect.CheckClaims]. Enrolling again tells the present state.
func (c *Client) Enroll(ctx context.Context, in *Inspect, who Signer, claims manifest.Values) (Enrolment, error) {
	in, err := c.current(ctx, in)
	if err != nil {
		return Enrolment{}, err
	}
	if problems := in.CheckClaims(claims); len(problems) > 0 {
		return Enrolment{}, claimsRefused(in, problems)
	}
	cmd := command{in: in, who: who, op: OpEnroll, body: func(key string) jsontext.Value { return enrollBody(who.DID(), claims, key) }}
	cmd.redact = textsIn(jsontree.Parse(claims.Object()))
	answer, done, err := c.run(ctx, cmd)
	if err != nil {
		return Enrolment{}, err
	}
	e, err := readEnrolment(answer, OpEnroll, Active, Pending, Rejected)
	if err != nil {
		return Enrolment{}, err
	}
	return e, done()
}

// enrollBody is the same bytes for the same claims and key. The key is in the body as well: the schema wants it there, and
// the draft in the header.
func enrollBody(agent DID, claims manifest.Values, key string) jsontext.Value {
	var body manifest.Values
	body.Set("agent_did", strictjson.Quote(agent.String()))
	if len(claims.Names()) > 0 {
		body.Set("claims", claims.Object())
	}
	body.Set("idempotency_key", strictjson.Quote(key))
	return body.Object()
}

// Status asks a Service how it sees the agent (AEP-20).
func (c *Client) Status(ctx context.Context, in *Inspect, who Signer) (Enrolment, error) {
	in, err := c.current(ctx, in)
	if err != nil {
		return Enrolment{}, err
	}
	return c.status(ctx, in, who)
}

func (c *Client) status(ctx context.Context, in *Inspect, who Signer) (Enrolment, error) {
	answer, _, err := c.run(ctx, command{in: in, who: who, op: OpStatus})
	if err != nil {
		return Enrolment{}, err
	}
	return readEnrolment(answer, OpStatus, Active, Pending, Rejected, Unavailable, Suspended, Terminated)
}

func readEnrolment(r *reader, op Op, allowed ...State) (Enrolment, error) {
	e := Enrolment{
		State: State(r.text("/status")), OwnerAction: r.flag("/owner_action_required"),
		Verification: r.texts("/verification_pending"), Requirements: r.texts("/requirements_pending"), Since: r.optionalTime("/since"),
	}
	if !slices.Contains(allowed, e.State) {
		r.fail("/status", "%q is no state", fault.Word(string(e.State)))
	}
	if r.err != nil {
		return Enrolment{}, badAnswer(op, "%w", r.err)
	}
	return e, nil
}

// Limits of waiting for an enrolment (AEP-20).
const (
	firstPoll   = 2 * time.Second
	longestPoll = time.Minute
	defaultWait = 5 * time.Minute
)

// Wait says how long to wait for an enrolment.
type Wait struct {
	Limit time.Duration   // 0 is five minutes
	Tell  func(Enrolment) // of each answer that says to wait; may be nil
}

// Await asks for the status again and again until it is another than pending, ever more rarely and never more often than
// the Service allows. When the time is over it returns the last answer, and its [Enrolment.Err].
func (c *Client) Await(ctx context.Context, in *Inspect, who Signer, w Wait) (Enrolment, error) {
	if w.Limit <= 0 {
		w.Limit = defaultWait
	}
	last := Enrolment{State: Pending}
	for poll, start := firstPoll, c.Now(); ; poll = min(2*poll, longestPoll) {
		now, err := c.Status(ctx, in, who)
		wait := poll
		switch busy := fault.From(err); {
		case err == nil && now.State != Pending:
			return now, nil
		case err == nil:
			last = now
			if w.Tell != nil {
				w.Tell(now)
			}
		case passing(busy.Status, nil):
			wait = max(wait, time.Duration(busy.RetryAfter)*time.Second)
		default:
			return last, err
		}
		if c.Now().Add(wait).Sub(start) > w.Limit {
			return last, last.Err()
		}
		if err := c.sleep(ctx, wait); err != nil {
			return last, err
		}
	}
}
