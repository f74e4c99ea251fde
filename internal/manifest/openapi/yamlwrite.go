package openapi

import (
	"math/big"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// yamlWriter writes a tree of YAML nodes as JSON.
type yamlWriter struct {
	out   []byte
	sizes map[*yaml.Node]int // of what has an anchor; -1 while it is being counted
}

// size returns about how many bytes a node is as JSON, aliases written out, and at most a little more than [MaxBytes].
func (w *yamlWriter) size(n *yaml.Node, depth int) (int, error) {
	if depth > strictjson.MaxDepth {
		return 0, fault.New(fault.Manifest, "too_deep", "the OpenAPI document is nested deeper than %d levels", strictjson.MaxDepth)
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := w.sizes[n]; known {
		if size < 0 {
			return 0, badYAML("line %d: an alias leads back to itself", n.Line)
		}
		return size, nil
	}
	if n.Anchor != "" {
		w.sizes[n] = -1
	}
	total := len(n.Value) + 3
	for _, item := range n.Content {
		size, err := w.size(item, depth+1)
		if err != nil {
			return 0, err
		}
		total = min(total+size, MaxBytes+1)
	}
	if n.Anchor != "" {
		w.sizes[n] = total
	}
	return total, nil
}

func (w *yamlWriter) value(n *yaml.Node) error {
	switch n.Kind {
	case yaml.AliasNode:
		return w.value(n.Alias)
	case yaml.MappingNode:
		return w.mapping(n)
	case yaml.SequenceNode:
		w.out = append(w.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if err := w.value(item); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
		return nil
	default:
		w.scalar(n)
		return nil
	}
}

// mapping writes an object. Members that come by "<<" give way to its own. A name that is there twice is written twice, and
// refused by whoever reads the JSON.
func (w *yamlWriter) mapping(n *yaml.Node) error {
	w.out = append(w.out, '{')
	first, own := true, map[string]bool{}
	var merged []*yaml.Node
	member := func(key, value *yaml.Node) error {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = append(append(w.out, strictjson.Quote(key.Value)...), ':')
		return w.value(value)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolved(n.Content[i]), n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			return badYAML("line %d: a name must be a text", key.Line)
		case key.Tag == "!!merge":
			merged = append(merged, value)
			continue
		}
		own[key.Value] = true
		if err := member(key, value); err != nil {
			return err
		}
	}
	for key, value := range mergedMembers(merged) {
		if own[key.Value] {
			continue
		}
		own[key.Value] = true
		if err := member(key, value); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// mergedMembers yields the members of the mappings that stand behind "<<", the first ones first.
func mergedMembers(values []*yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for _, n := range values {
			n = resolved(n)
			list := []*yaml.Node{n}
			if n.Kind == yaml.SequenceNode {
				list = n.Content
			}
			for _, source := range list {
				source = resolved(source)
				for i := 0; source.Kind == yaml.MappingNode && i+1 < len(source.Content); i += 2 {
					key := resolved(source.Content[i])
					if key.Kind == yaml.ScalarNode && key.Tag != "!!merge" && !yield(key, source.Content[i+1]) {
						return
					}
				}
			}
		}
	}
}

func (w *yamlWriter) scalar(n *yaml.Node) {
	switch n.Tag {
	case "!!null":
		w.out = append(w.out, "null"...)
		return
	case "!!bool":
		if text := strings.ToLower(n.Value); text == "true" || text == "false" {
			w.out = append(w.out, text...)
			return
		}
	case "!!int", "!!float":
		if number := jsonNumber(n.Value); number != "" {
			w.out = append(w.out, number...)
			return
		}
	}
	w.out = append(w.out, strictjson.Quote(n.Value)...)
}

// maxYAMLNumber is the length of the longest number that is put into JSON's form: what is longer, nobody computes with.
const maxYAMLNumber = 100

// jsonNumber returns a YAML number as JSON writes it, digits as they are, or "" for what JSON has no number for.
func jsonNumber(text string) string {
	if value := jsontext.Value(text); value.Kind() == '0' && value.IsValid() {
		return text
	}
	if len(text) > maxYAMLNumber {
		return ""
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	if n, ok := new(big.Int).SetString(plain, 0); ok { // 0x1F, 0o17, 0b1
		return n.String()
	}
	sign, digits := "", plain
	if rest, negative := strings.CutPrefix(plain, "-"); negative {
		sign, digits = "-", rest
	}
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	digits = strings.Replace(digits, ".e", ".0e", 1)
	if strings.HasSuffix(digits, ".") {
		digits += "0"
	}
	if value := jsontext.Value(sign + digits); value.Kind() == '0' && value.IsValid() {
		return sign + digits
	}
	return ""
}
