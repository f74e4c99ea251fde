package payment

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
)

// Limits of payer.toml.
const (
	maxPayers       = 32
	maxPayerWords   = 64   // of a command, and of each list
	maxPayerValue   = 4096 // bytes of one value
	defaultPayLimit = time.Minute
	maxPayLimit     = 10 * time.Minute
)

// Payer is a program that pays, as payer.toml describes it (CH-16).
type Payer struct {
	Name      string        `json:"name"`
	Command   []string      `json:"command"` // no shell reads it
	Timeout   time.Duration `json:"-"`
	Protocols []string      `json:"protocols"` // empty: both
	Networks  []string      `json:"networks"`  // of x402, and methods of MPP; "*" is any
	Schemes   []string      `json:"schemes"`   // of x402, and intents of MPP; those of default when empty
}

// PayerPath returns where payers are configured.
func PayerPath(configDir string) string { return filepath.Join(configDir, "payer.toml") }

// LoadPayers reads the payers in the order of the file, which is the person's preference. Where there is no file there are
// none; a fault in it is an error that names file and line.
func LoadPayers(path string) ([]Payer, error) {
	text, err := policy.ReadOwn(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, invalidPayers(err)
	}
	return ParsePayers(path, text)
}

func invalidPayers(err error) *fault.Error {
	return fault.New(fault.Internal, "payer_invalid", "%w", err).WithHint("agentctl help payments tells what payer.toml holds")
}

// ParsePayers reads the text of a file.
func ParsePayers(path string, text []byte) ([]Payer, error) {
	r := payerReader{}
	r.parser.Reset(text)
	for r.err == nil && r.parser.NextExpression() {
		r.expression(r.parser.Expression())
	}
	if err := r.parser.Error(); err != nil && r.err == nil {
		r.err = err
	}
	r.finish()
	if r.err != nil {
		return nil, invalidPayers(fmt.Errorf("%s:%d: %w", path, max(r.line, 1), r.err))
	}
	return r.payers, nil
}

type payerReader struct {
	parser unstable.Parser
	payers []Payer
	given  []string
	line   int
	err    error
}

func (r *payerReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *payerReader) expression(node *unstable.Node) {
	var key []string
	for it := node.Key(); it.Next(); {
		if len(key) == 0 {
			r.line = r.parser.Shape(it.Node().Raw).Start.Line
		}
		key = append(key, string(it.Node().Data))
	}
	name := strings.Join(key, ".")
	switch {
	case node.Kind == unstable.ArrayTable && len(key) == 1 && name == "payer":
		r.finish()
		if len(r.payers) == maxPayers {
			r.fail("there are more than %d payers", maxPayers)
			return
		}
		r.payers, r.given = append(r.payers, Payer{Timeout: defaultPayLimit}), nil
	case node.Kind != unstable.KeyValue:
		r.fail("%q: there is nothing but [[payer]] in the file", name)
	case len(r.payers) == 0:
		r.fail("%q stands before the first [[payer]]", name)
	case len(key) != 1 || slices.Contains(r.given, name):
		r.fail("%q is given twice, or is no member of a payer", name)
	default:
		r.given = append(r.given, name)
		r.member(name, node.Value())
	}
}

func (r *payerReader) member(name string, value *unstable.Node) {
	p := &r.payers[len(r.payers)-1]
	switch name {
	case "name":
		p.Name = r.text(name, value)
	case "timeout":
		limit, err := time.ParseDuration(r.text(name, value))
		if r.err == nil && (err != nil || limit <= 0 || limit > maxPayLimit) {
			r.fail("timeout must be a duration up to %s, such as \"60s\"", maxPayLimit)
		}
		p.Timeout = limit
	case "command":
		p.Command = r.texts(name, value)
	case "protocols":
		p.Protocols = r.texts(name, value)
		for _, protocol := range p.Protocols {
			if protocol != MPP && protocol != X402 {
				r.fail("protocols: %q is not one of %s, %s", protocol, MPP, X402)
			}
		}
	case "networks":
		p.Networks = r.texts(name, value)
	case "schemes":
		p.Schemes = r.texts(name, value)
	default:
		r.fail("%q is no member of a payer; they are name, command, timeout, protocols, networks, schemes", name)
	}
}

func (r *payerReader) text(name string, value *unstable.Node) string {
	text := string(value.Data)
	if value.Kind != unstable.String || text == "" || len(text) > maxPayerValue {
		r.fail("%s must be a string in quotes that is not empty", name)
	}
	return text
}

func (r *payerReader) texts(name string, value *unstable.Node) []string {
	if value.Kind != unstable.Array {
		r.fail("%s must be a list of strings, as in [\"a\", \"b\"]", name)
		return nil
	}
	var list []string
	for it := value.Children(); it.Next(); {
		if len(list) == maxPayerWords {
			r.fail("%s has more than %d words", name, maxPayerWords)
			return nil
		}
		list = append(list, r.text(name, it.Node()))
	}
	return list
}

// finish checks what only the whole payer tells.
func (r *payerReader) finish() {
	if len(r.payers) == 0 {
		return
	}
	switch p := r.payers[len(r.payers)-1]; {
	case p.Name == "":
		r.fail("the payer has no name")
	case slices.ContainsFunc(r.payers[:len(r.payers)-1], func(other Payer) bool { return other.Name == p.Name }):
		r.fail("there are two payers of the name %q", p.Name)
	case len(p.Command) == 0:
		r.fail("the payer %q has no command", p.Name)
	case len(p.Networks) == 0:
		r.fail("the payer %q serves no networks: name those of x402 and methods of MPP, or \"*\"", p.Name)
	}
}

// serves reports whether the payer is for such a demand. What asks for more than one payment is served only where the payer
// says so (MPP-9).
func (p Payer) serves(d *demand) bool {
	schemes := p.Schemes
	if len(schemes) == 0 {
		schemes = []string{"charge", "exact"}
	}
	return p.On(d.Protocol, d.Network) && slices.Contains(schemes, d.Scheme)
}

// On reports whether the payer pays by a protocol on a network.
func (p Payer) On(protocol, network string) bool {
	on := policy.Payment{Protocol: protocol, Network: policy.CAIP2(network)}
	if protocol == MPP {
		on.Network = network
	}
	return (len(p.Protocols) == 0 || slices.Contains(p.Protocols, protocol)) &&
		(slices.Contains(p.Networks, "*") || slices.ContainsFunc(p.Networks, on.OnNetwork))
}
