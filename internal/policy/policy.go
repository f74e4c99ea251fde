// Package policy decides whether a call may go out: by its effect, by what a person says at the terminal, or by a digest
// that a person or an agent was given before and hands back (contract, section 5). It does not know HTTP.
package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Facts are what a decision rests on: everything about one request but its credential.
type Facts struct {
	Site    string   // origin
	Command []string // the action
	Method  string
	URL     string
	Headers [][2]string // name and value, without credentials
	Body    []byte      // nil when none is sent
	Effect  manifest.Effect
	Cost    *manifest.Cost
	Fields  []Field // for the question to a person
}

// Field is one argument as a person may see it.
type Field struct {
	Name  string
	Value string // compact JSON, or a mask
}

// NeedsApproval reports whether an effect asks first. What an unknown effect means nobody knows: it asks.
func NeedsApproval(effect manifest.Effect) bool {
	return effect != manifest.Read && effect != manifest.Write
}

// Digest names exactly this request: SHA-256, in hex, over a canonical form of site, action, method, URL, headers, body,
// effect and cost. The last two are what was approved: a site that raises its price needs another yes.
func (f *Facts) Digest() string {
	headers := slices.Clone(f.Headers)
	for i := range headers {
		headers[i][0] = strings.ToLower(headers[i][0])
	}
	slices.SortFunc(headers, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	body := "none"
	if f.Body != nil {
		sum := sha256.Sum256(f.Body)
		body = hex.EncodeToString(sum[:])
	}
	canonical, err := json.Marshal([]any{"agentctl approval 1", f.Site, f.Command, f.Method, f.URL, headers, body, f.Effect, f.Cost})
	if err != nil { // strings and slices of strings always encode
		panic(err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Approver is how a run can get a yes.
type Approver struct {
	Yes     bool                                              // --yes
	Digest  string                                            // --approve; "" when not given
	Ask     func(ctx context.Context, f *Facts) (bool, error) // nil when nobody can be asked
	Pending *Pending                                          // where digests wait
}

// Approve returns nil if the call may go out now, and else a fault of kind [fault.Approval]. It uses up a digest.
func (a *Approver) Approve(ctx context.Context, f *Facts) error {
	switch {
	case a.Digest != "":
		if a.Digest != f.Digest() {
			return fault.New(fault.Approval, "approval_mismatch", "the approval was given for another request")
		}
		return a.Pending.Use(a.Digest)
	case !NeedsApproval(f.Effect) || a.Yes:
		return nil
	case a.Ask != nil:
		yes, err := a.Ask(ctx, f)
		if err == nil && !yes {
			err = fault.New(fault.Approval, "declined", "not approved; nothing was sent")
		}
		return err
	}
	return a.required(f)
}

func (a *Approver) required(f *Facts) error {
	e := fault.New(fault.Approval, "approval_required", "%s %s: somebody has to approve it", strings.Join(f.Command, " "), Consequence(f))
	e.Details = map[string]any{"effect": f.Effect}
	if f.Cost != nil {
		e.Details["cost"] = f.Cost
	}
	digest := f.Digest()
	if err := a.Pending.Offer(digest); err != nil {
		e.Message += " (and the request cannot be kept for --approve: " + err.Error() + ")"
		return e.WithHint("add --yes to approve this one call")
	}
	e.Details["approval"] = digest
	return e.WithHint("add --approve %s within 15 minutes, or --yes", digest)
}

// Consequence says in a few words what a call does: "spends 9.0 credits", "deletes something".
func Consequence(f *Facts) string {
	switch f.Effect {
	case manifest.Spend:
		if f.Cost != nil && f.Cost.Amount != "" {
			return strings.TrimSpace("spends " + f.Cost.Amount + " " + f.Cost.Currency)
		}
		return "spends an amount that the site does not tell"
	case manifest.Delete:
		return "deletes something"
	case manifest.Send:
		return "sends something to others"
	case manifest.Read:
		return "reads"
	case manifest.Write:
		return "changes something"
	}
	return "has an effect that agentctl does not know"
}
