package openapi

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/agentctl/agentctl/internal/fault"
)

// toJSON returns a document as JSON: as it is, or made of YAML. What begins like a JSON object is one, unless its
// Content-Type says otherwise and it is none.
func toJSON(doc []byte, contentType string) ([]byte, error) {
	if len(doc) > MaxBytes {
		return nil, fault.New(fault.Manifest, "too_large", "the OpenAPI document is larger than %d bytes", MaxBytes)
	}
	doc = bytes.TrimPrefix(doc, []byte("\ufeff"))
	mediaType, _, _ := mime.ParseMediaType(contentType)
	trimmed := bytes.TrimLeft(doc, " \t\r\n")
	begins := len(trimmed) > 0 && trimmed[0] == '{'
	if strings.HasSuffix(mediaType, "json") || begins && (!strings.HasSuffix(mediaType, "yaml") || jsontext.Value(doc).IsValid()) {
		return doc, nil
	}
	return fromYAML(doc)
}

func badYAML(format string, args ...any) error {
	return fault.New(fault.Manifest, "not_yaml", "the OpenAPI document is not valid YAML: "+format, args...)
}

// fromYAML returns the JSON that one YAML document stands for, numbers with their digits. Aliases are counted before they
// are expanded, so a few lines cannot become gigabytes.
func fromYAML(doc []byte) ([]byte, error) {
	if !utf8.Valid(doc) {
		return nil, badYAML("it is not UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(doc))
	var root yaml.Node
	if err := decoder.Decode(&root); err != nil {
		return nil, badYAML("%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		return nil, badYAML("there is more than one document")
	}
	if len(root.Content) != 1 {
		return nil, badYAML("it is empty")
	}
	w := yamlWriter{sizes: map[*yaml.Node]int{}}
	if size, err := w.size(root.Content[0], 0); err != nil {
		return nil, err
	} else if size > MaxBytes {
		return nil, fault.New(fault.Manifest, "too_large", "the OpenAPI document is larger than %d bytes when its aliases are written out", MaxBytes)
	}
	w.out = make([]byte, 0, len(doc))
	if err := w.value(root.Content[0]); err != nil {
		return nil, err
	}
	return w.out, nil
}
