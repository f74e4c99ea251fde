package agentmanifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of a mapping.
const (
	MaxMappingBytes = 256 << 10
	maxMappings     = 1000
	maxSteps        = 32 // tokens of one pointer
)

// Mapping makes one JSON object of parts of another value (AM-16). The format of the document is not defined; ours is an
// object of target JSON Pointer → source JSON Pointer.
type Mapping []mapped

type mapped struct {
	target []string // tokens, one at least
	source string   // a JSON Pointer
}

// ParseMapping reads a mapping document. Its error is a [*fault.Error] of kind [fault.Manifest]: the binding cannot be used.
func ParseMapping(doc []byte) (Mapping, error) {
	if err := manifest.CheckObject(doc, MaxMappingBytes, "mapping"); err != nil {
		return nil, err
	}
	var m Mapping
	for target, value := range strictjson.Members(doc) {
		source, ok := strictjson.String(value)
		switch {
		case len(m) == maxMappings:
			return nil, refused("it has more than %d members", maxMappings)
		case !ok || !isPointer(source):
			return nil, refused("what %q is made of is no JSON Pointer", fault.Word(target))
		case target == "" || !isPointer(target):
			return nil, refused("%q is no JSON Pointer into an object", fault.Word(target))
		}
		m = append(m, mapped{slices.Collect(jsontree.Tokens(target)), source})
	}
	return m, m.disjoint()
}

func refused(format string, args ...any) error {
	return fault.New(fault.Manifest, "mapping_unsupported", "the binding cannot be used: its mapping is not one that agentctl reads: %s", fmt.Sprintf(format, args...))
}

// isPointer reports whether text is a JSON Pointer (RFC 6901) of a sane depth.
func isPointer(text string) bool {
	if text != "" && text[0] != '/' || strings.Count(text, "/") > maxSteps {
		return false
	}
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(text)
	return !strings.Contains(rest, "~")
}

// disjoint refuses targets within each other: which one counts nobody knows.
func (m Mapping) disjoint() error {
	sorted := slices.Clone(m)
	slices.SortFunc(sorted, func(a, b mapped) int { return slices.Compare(a.target, b.target) })
	for i := 1; i < len(sorted); i++ {
		outer, inner := sorted[i-1].target, sorted[i].target
		if len(outer) <= len(inner) && slices.Equal(outer, inner[:len(outer)]) {
			return refused("%q is within %q", fault.Word(jsontree.Pointer("", inner...)), fault.Word(jsontree.Pointer("", outer...)))
		}
	}
	return nil
}

// Input maps the arguments of a capability to those of its binding. A source that is not there leaves its target out.
func (m Mapping) Input(values *manifest.Values) *manifest.Values {
	out := &manifest.Values{}
	for name, value := range strictjson.Members(m.Map(values.Object())) {
		out.Set(name, value)
	}
	return out
}

// Map maps a value, which passed [strictjson.Check], to an object. A source that is not there leaves its target out.
func (m Mapping) Map(value jsontext.Value) jsontext.Value {
	from, to := jsontree.Parse(value), &jsontree.Node{Kind: '{'}
	for _, pair := range m {
		part := from.At(pair.source)
		if part == nil {
			continue
		}
		at := to
		for _, token := range pair.target[:len(pair.target)-1] {
			next := at.Member(token)
			if next == nil {
				next = &jsontree.Node{Kind: '{'}
				at.Set(token, next)
			}
			at = next
		}
		at.Set(pair.target[len(pair.target)-1], part)
	}
	return to.Value()
}
