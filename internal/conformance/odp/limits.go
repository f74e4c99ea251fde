package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
)

// limit: the table of section 18 of the sheet. A document of exactly the size is made, and read. Small ones must be fine,
// so that nothing but the size can be wrong.
func limit(t testcase) error {
	word := t.text("resource")
	read, ok := readers()[strings.NewReplacer("-", "_", "problem_details", "problem", "schema_document", "schema", "openapi_document", "openapi").Replace(word)]
	if !ok {
		return fmt.Errorf("there is no code for the resource %q", word)
	}
	if !t.has("bytes") && !t.has("depth") {
		return missing("bytes")
	}
	var s size
	for name, to := range map[string]*int{"bytes": &s.bytes, "depth": &s.depth} {
		if !t.has(name) {
			continue
		}
		var err error
		if *to, err = t.number(name); err != nil {
			return err
		}
	}
	if err := read(size{}); err != nil {
		return fmt.Errorf("a small one is refused: %w", err)
	}
	const most = 4 << 20 // more than any limit
	return t.valid(read(size{min(s.bytes, most), min(s.depth, maxRequestDepth)}))
}

// size is how large a document is to be; what is below the smallest possible one does not matter.
type size struct{ bytes, depth int }

// document makes an object larger: deeper by a member that nobody knows, and longer by white space.
func (s size) document(object string) []byte {
	doc := []byte(strings.TrimSuffix(object, "}"))
	if s.depth > 1 {
		doc = fmt.Appendf(doc, `,"x":%s%s`, strings.Repeat("[", s.depth-1), strings.Repeat("]", s.depth-1))
	}
	if pad := s.bytes - len(doc) - 1; pad > 0 {
		doc = append(doc, bytes.Repeat([]byte{' '}, pad)...)
	}
	return append(doc, '}')
}

// readers returns the code that reads each kind of document, by the words of the cases.
func readers() map[string]func(size) error {
	return map[string]func(size) error{
		"request": readRequest,
		"service_document": func(s size) error {
			_, err := odp.ParseService(s.document(string(serviceWith("keywords", tree(`[]`), nil))), "https://service.example")
			return err
		},
		"collection": func(s size) error {
			_, err := resource.ParseCollection(s.document(`{"odp_version":"1.0","id":"c","name":"C"}`), "https://service.example", odp.Full)
			return err
		},
		"offering": func(s size) error {
			_, err := resource.ParseOffering(s.document(`{"odp_version":"1.0","id":"o","name":"O"}`), odp.Full)
			return err
		},
		"page": func(s size) error {
			_, err := resource.ParseOfferings(s.document(`{"odp_version":"1.0","items":[]}`), resource.PageRules{})
			return err
		},
		"capability_page": func(s size) error {
			_, err := odp.LinkedFilters("https://service.example", "/filters", odp.MaxFilters).Add(s.document(`{"odp_version":"1.0","items":[]}`))
			return err
		},
		"problem": func(s size) error {
			_, err := resource.ParseProblem(s.document(`{"type":"https://offeringprotocol.org/problems/x","title":"T","status":409,"code":"X"}`), 409)
			return err
		},
		"schema":       readSchema,
		"schema_graph": readSchemaGraph,
		"openapi": func(s size) error {
			_, err := openapi.Parse(s.document(`{"openapi":"3.1.0"}`), "https://service.example/openapi.json")
			return err
		},
	}
}

// readRequest has a search of that size made ready to be sent (ODP-62). One of some depth cannot be made: its shape is
// fixed. So that is only read.
func readRequest(s size) error {
	if s.depth > 0 {
		_, err := odp.Decode(s.document(`{"odp_version":"1.0"}`), odp.RequestLimits())
		return err
	}
	f := odp.Filter{ID: "f", Type: odp.StringFilter, Operators: []odp.Operator{odp.Equal}}
	search := func(length int) ([]byte, error) {
		value := jsontext.Value(quoted(strings.Repeat("x", max(length, 0))))
		return odp.OfferingSearch{Filters: []odp.Expression{{ID: f.ID, Operator: odp.Equal, Value: value}}}.
			Body(odp.Merge(odp.Definitions{Filters: []odp.Filter{f}}))
	}
	smallest, err := search(0)
	if err != nil {
		return err
	}
	body, err := search(s.bytes - len(smallest))
	if err == nil && len(body) != max(s.bytes, len(smallest)) {
		return fmt.Errorf("the body has %d bytes", len(body))
	}
	return err
}

const smallSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`

func readSchema(s size) error {
	_, err := graph(map[string]jsontext.Value{schemaURL: s.document(smallSchema)}).Compile()
	return err
}

// readSchemaGraph spreads the bytes over as few documents as can hold them.
func readSchemaGraph(s size) error {
	count := (s.bytes + odp.SchemaLimits().Bytes - 1) / odp.SchemaLimits().Bytes
	count = min(max(count, 1), odp.MaxSchemaDocuments)
	documents, references, left := map[string]jsontext.Value{}, []string{}, s.bytes
	for i := range count - 1 {
		name := fmt.Sprintf("/part%d.json", i)
		references = append(references, fmt.Sprintf(`{"$ref":%q}`, name))
		part := size{left / (count - i), s.depth}.document(smallSchema)
		left -= len(part)
		documents["https://service.example"+name] = part
	}
	first := fmt.Sprintf(`%s,"$defs":{"parts":{"allOf":[%s,true]}}}`, strings.TrimSuffix(smallSchema, "}"), strings.Join(references, ","))
	if len(references) == 0 {
		first = smallSchema
	}
	documents[schemaURL] = size{left, s.depth}.document(first)
	_, err := graph(documents).Compile()
	return err
}
