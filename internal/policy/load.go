package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Limits of policy.toml.
const (
	MaxFileBytes = 256 << 10
	maxRules     = 1000
	maxValue     = 512 // bytes of one value
)

// Policy are the rules of a person, in order. The zero value has none.
type Policy struct {
	Path     string
	Rules    []*Rule
	Payments []*PaymentRule // about what sites that want to be paid may be paid
}

// Loader reads policy.toml.
type Loader struct {
	Path string

	// Origin turns a site as written on a command line (alias, host, origin) into its origin.
	Origin func(word string) (string, error)
}

// Path returns where the policy is kept.
func Path(configDir string) string { return filepath.Join(configDir, "policy.toml") }

// Load reads the file; where there is none there are no rules. Any fault in it is an error that names file and line: a
// rule that is not understood must not be missing silently.
func (l *Loader) Load() (*Policy, error) {
	text, err := ReadOwn(l.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Policy{Path: l.Path}, nil
	case err != nil:
		return nil, invalid(err).WithHint("nothing is sent until the policy can be read")
	}
	return l.Parse(text)
}

func invalid(err error) *fault.Error { return fault.New(fault.Internal, "policy_invalid", "%w", err) }

// ReadOwn reads a file that decides about money: one that every user of the machine could write is none of the owner's. It
// takes at most [MaxFileBytes].
func ReadOwn(path string) ([]byte, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // a link that leads nowhere is no absent file: there were rules
		return nil, errors.New(err.Error())
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0:
		return nil, fmt.Errorf("%s can be written by everybody: run chmod o-w %s", path, path)
	case info.Size() > MaxFileBytes:
		return nil, fmt.Errorf("%s is larger than %d KiB", path, MaxFileBytes>>10)
	}
	return os.ReadFile(path)
}

// Parse reads the text of a policy.
func (l *Loader) Parse(text []byte) (*Policy, error) {
	r := ruleReader{loader: l, policy: &Policy{Path: l.Path}}
	r.parser.Reset(text)
	for r.err == nil && r.parser.NextExpression() {
		r.expression(r.parser.Expression())
	}
	if err := r.parser.Error(); err != nil {
		r.line = r.endLine(err)
		r.fail("%s", err.Error())
	}
	r.finish()
	if r.err != nil {
		return nil, r.err
	}
	return r.policy, nil
}

// ruleReader walks through the expressions of a file, so that each fault has its line. The form is flat: headers
// [[rule]] and [[payment]], and members below them whose values are strings.
type ruleReader struct {
	loader *Loader
	parser unstable.Parser
	policy *Policy
	rule   *Rule        // the one that is being read; nil before the first, and while pay is
	pay    *PaymentRule // the one that is being read
	given  []string
	line   int
	err    *fault.Error
}

func (r *ruleReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = invalid(fmt.Errorf("%s:%d: %s", r.loader.Path, r.line, fmt.Sprintf(format, args...))).WithHint("agentctl policy edit")
	}
}

// endLine is where the parser stopped.
func (r *ruleReader) endLine(err error) int {
	if at, ok := errors.AsType[*unstable.ParserError](err); ok && at.Highlight != nil {
		return r.parser.Shape(r.parser.Range(at.Highlight)).Start.Line
	}
	return r.line
}

func (r *ruleReader) expression(node *unstable.Node) {
	var key []string
	for it := node.Key(); it.Next(); {
		if len(key) == 0 {
			r.line = r.parser.Shape(it.Node().Raw).Start.Line
		}
		key = append(key, string(it.Node().Data))
	}
	name := strings.Join(key, ".")
	switch {
	case node.Kind == unstable.ArrayTable && len(key) == 1 && (name == "rule" || name == "payment"):
		r.begin(name)
	case node.Kind != unstable.KeyValue:
		r.fail("%q: there is nothing but [[rule]] and [[payment]] in a policy", name)
	case r.rule == nil && r.pay == nil:
		r.fail("%q stands before the first [[rule]]", name)
	case len(key) != 1 || !slices.Contains(r.members(), name):
		r.fail("%q is no member of a %s; they are %s", name, r.kind(), strings.Join(r.members(), ", "))
	case slices.Contains(r.given, name):
		r.fail("%s is given twice", name)
	case node.Value().Kind != unstable.String:
		r.fail("%s must be a string in quotes", name)
	default:
		r.given = append(r.given, name)
		r.member(name, string(node.Value().Data))
	}
}

// begin starts a rule of either kind.
func (r *ruleReader) begin(kind string) {
	r.finish()
	if len(r.policy.Rules)+len(r.policy.Payments) == maxRules {
		r.fail("there are more than %d rules", maxRules)
		return
	}
	r.rule, r.pay, r.given = nil, nil, nil
	if kind == "payment" {
		r.pay = &PaymentRule{Number: len(r.policy.Payments) + 1, Line: r.line}
		r.policy.Payments = append(r.policy.Payments, r.pay)
		return
	}
	r.rule = &Rule{Number: len(r.policy.Rules) + 1, Line: r.line}
	r.policy.Rules = append(r.policy.Rules, r.rule)
}

// kind names what is being read.
func (r *ruleReader) kind() string {
	if r.pay != nil {
		return "payment rule"
	}
	return "rule"
}

// members are the names that what is being read can have.
func (r *ruleReader) members() []string {
	if r.pay != nil {
		return []string{"site", "protocol", "network", "asset", "payee", "max_amount", "per", "decision"}
	}
	return []string{"site", "action", "effect", "risk", "max_amount", "currency", "per", "decision"}
}

// paymentMember reads a member of a payment rule.
func (r *ruleReader) paymentMember(name, value string) {
	rule := r.pay
	switch name {
	case "site":
		rule.Site, rule.site = value, r.site(value)
	case "protocol":
		rule.Protocol = value
		r.oneOf(name, value, "mpp", "x402")
	case "network":
		rule.Network = value
	case "asset":
		rule.Asset = value
	case "payee":
		rule.Payee = value
	case "max_amount":
		rule.Max = value
		var ok bool
		if rule.max, ok = ParseUnits(value); !ok {
			r.fail("max_amount %q must be a whole number of base units, such as %q", value, "2500")
		}
	case "per":
		rule.Per = Period(value)
		r.oneOf(name, value, string(PerCall), string(PerDay), string(PerMonth))
	case "decision":
		rule.Decision = Decision(value)
		r.oneOf(name, value, string(Allow), string(Ask), string(Deny))
	}
}

func (r *ruleReader) member(name, value string) {
	switch {
	case value == "":
		r.fail("%s is empty", name)
		return
	case len(value) > maxValue:
		r.fail("%s is longer than %d bytes", name, maxValue)
		return
	}
	if r.pay != nil {
		r.paymentMember(name, value)
		return
	}
	rule := r.rule
	switch name {
	case "site":
		rule.Site, rule.site = value, r.site(value)
	case "action":
		rule.Action = value
		for word := range strings.FieldsSeq(value) {
			if !manifest.ValidSegment(strings.ReplaceAll(word, "*", "x")) {
				r.fail("action %q: %q is no word of a command", value, word)
			}
		}
		if strings.TrimSpace(value) == "" {
			r.fail("action is empty")
		}
	case "effect":
		rule.Effect = value
		r.oneOf(name, value, "read", "write", "send", "spend", "delete")
	case "risk":
		rule.Risk = value
		r.oneOf(name, value, risks()...)
	case "max_amount":
		rule.Max = value
		var ok bool
		if rule.max, ok = parseAmount(value); !ok {
			r.fail("max_amount %q must be an amount in plain digits, such as %q", value, "20.00")
		}
	case "currency":
		rule.Currency = value
		if currency(value) == "" {
			r.fail("currency %q is no currency: use letters and digits, such as %q", value, "EUR")
		}
	case "per":
		rule.Per = Period(value)
		r.oneOf(name, value, string(PerCall), string(PerDay), string(PerMonth))
	case "decision":
		rule.Decision = Decision(value)
		r.oneOf(name, value, string(Allow), string(Ask), string(Deny))
	}
}

func (r *ruleReader) oneOf(name, value string, known ...string) {
	if !slices.Contains(known, value) {
		r.fail("%s %q is not one of %s", name, value, strings.Join(known, ", "))
	}
}

// site reads "*", "*.example", a host, an origin or an alias.
func (r *ruleReader) site(text string) (p sitePattern) {
	if text == "*" {
		return sitePattern{any: true}
	}
	word, glob := strings.CutPrefix(text, "*.")
	if strings.Contains(word, "*") || glob && strings.Contains(word, "://") {
		r.fail("site %q: a %q stands alone or for the first labels, as in %q", text, "*", "*.example")
		return p
	}
	if glob {
		word = "x." + word // "example" alone would be an alias
	}
	origin, err := r.loader.Origin(word)
	if err != nil {
		r.fail("site %q: %s", text, fault.From(err).Error())
		return p
	}
	if strings.Contains(word, "://") || !strings.ContainsAny(word, ".:") && !strings.EqualFold(word, "localhost") {
		return sitePattern{origin: origin}
	}
	_, host, _ := strings.Cut(origin, "://")
	host, p.port = splitPort(host)
	if glob {
		if p.suffix = strings.TrimPrefix(host, "x"); p.suffix == "" { // of "*.": such a rule would be about nothing
			r.fail("site %q names no domain", text)
		}
		return p
	}
	p.host = host
	return p
}

// finish checks what only the whole rule tells.
func (r *ruleReader) finish() {
	if r.pay != nil {
		r.finishPayment()
		return
	}
	if r.rule == nil {
		return
	}
	defer func(line int) { r.line = line }(r.line)
	r.line = r.rule.Line
	switch rule := r.rule; {
	case rule.Decision == "":
		r.fail("the rule has no decision: allow, ask or deny")
	case rule.Max != "" && rule.Currency == "":
		r.fail("max_amount needs a currency")
	case rule.Per != "" && rule.Max == "":
		r.fail("per needs a max_amount")
	case rule.Max != "" && rule.Per == "":
		rule.Per = PerCall
	}
}

// finishPayment checks what only the whole payment rule tells. What may be paid has a limit, and an asset that it counts
// (CH-13).
func (r *ruleReader) finishPayment() {
	defer func(line int) { r.line = line }(r.line)
	r.line = r.pay.Line
	switch rule := r.pay; {
	case rule.Decision == "":
		r.fail("the payment rule has no decision: allow, ask or deny")
	case rule.Decision != Deny && (rule.Max == "" || rule.Asset == "" || rule.Protocol == "" || rule.Network == ""):
		r.fail("a payment rule that does not deny needs protocol, network, asset and max_amount")
	case rule.Max != "" && (rule.Asset == "" || rule.Network == ""):
		r.fail("max_amount counts base units, so it needs a network and an asset")
	case rule.Per != "" && rule.Max == "":
		r.fail("per needs a max_amount")
	case rule.Max != "" && rule.Per == "":
		rule.Per = PerCall
	}
}
