package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema"
)

// schemaReference: ODP-82.
func schemaReference(t testcase) error {
	c, err := t.cursor("reference", "schema")
	if err != nil {
		return err
	}
	resource.ReadSchemaReference(c)
	return t.valid(faultOf(c))
}

// schemaResponse: ODP-83.
func schemaResponse(t testcase) error {
	doc, err := t.document("document")
	if err != nil {
		return err
	}
	code := http.StatusOK
	if t.has("status") {
		if code, err = t.number("status"); err != nil {
			return err
		}
	}
	_, refusal := compiled(answered{code, t.text("content_type"), doc})
	return t.valid(refusal)
}

// answered is an answer that should be a schema.
type answered struct {
	status      int
	contentType string
	document    jsontext.Value
}

// compiled makes a schema of an answer, as is done before attributes are judged by it (ODP-83, ODP-84).
func compiled(a answered) (*schema.Schema, error) {
	if err := resource.CheckSchemaAnswer(a.status, a.contentType); err != nil {
		return nil, err
	}
	if _, err := odp.Decode(a.document, odp.SchemaLimits()); err != nil {
		return nil, err
	}
	return graph(map[string]jsontext.Value{schemaURL: a.document}).Compile()
}

const schemaURL = "https://service.example/schema.json"

// graph is a schema whose documents are all at hand.
func graph(documents map[string]jsontext.Value) schema.Graph {
	return schema.Graph{URL: schemaURL, Declared: true, Load: func(url string) (jsontext.Value, error) {
		if doc, ok := documents[url]; ok {
			return doc, nil
		}
		return nil, fmt.Errorf("there is no %s", url)
	}}
}

// validationScope: ODP-86. Attributes that match their schema in part only tell whether they are judged as a whole.
func validationScope(t testcase) error {
	judge, err := compiled(schemaAnswer("mismatch"))
	if err != nil {
		return err
	}
	o := described()
	o.CheckAttributes(representation(t), judge, nil)
	return t.results(map[string]any{"complete_instance_validation": o.Attributes == nil})
}

// described is an Offering with attributes.
func described() *resource.Offering {
	o, err := resource.ParseOffering([]byte(`{"odp_version":"1.0","id":"o","name":"O","schema":{"url":"/schema.json"},`+
		`"attributes":{"a":1},"actions":[{"id":"a","rel":"download","authentication":"optional","http":{"href":"/a","method":"GET"}}]}`), odp.Full)
	if err != nil {
		panic(err) // it is ours
	}
	return o
}

// schemaFailureScope: ODP-87. Whatever became of the schema, all but the attributes stays.
func schemaFailureScope(t testcase) error {
	n := t.first("schema_status", "status")
	if n == nil {
		return missing("schema_status")
	}
	judge, failed := compiled(schemaAnswer(plain(n.Value())))
	o := described()
	o.CheckAttributes(representation(t), judge, failed)
	return t.results(map[string]any{
		"offering_usable":   o.ID == "o" && len(o.Actions) == 1,
		"attributes_usable": o.Attributes != nil,
		"report_issue":      len(o.Issues) > 0,
	})
}

// schemaAnswer is an answer to which the word for it fits.
func schemaAnswer(word string) answered {
	const draft = `{"$schema":"https://json-schema.org/draft/2020-12/schema"`
	a := answered{http.StatusOK, odp.SchemaMediaType, jsontext.Value(draft + `}`)}
	word = strings.ToLower(strings.ReplaceAll(word, "_", "-"))
	if _, err := fmt.Sscanf(word, "%d", &a.status); err == nil {
		return a
	}
	switch {
	case anyOf(word, "mismatch", "non-matching", "not-matching", "does-not-match", "instance-invalid", "validation-failed", "attributes-invalid"):
		a.document = jsontext.Value(draft + `,"required":["b"]}`)
	case anyOf(word, "unsupported", "vocabulary", "dialect"):
		a.document = jsontext.Value(`{"$schema":"http://json-schema.org/draft-07/schema#"}`)
	case anyOf(word, "media", "content-type"):
		a.contentType = "application/json"
	case anyOf(word, "invalid", "malformed", "bad", "broken", "not-valid"):
		a.document = jsontext.Value(draft + `,"type":"no type"}`)
	case anyOf(word, "large", "limit", "oversize", "exceed"):
		a.document = jsontext.Value(draft + `}` + strings.Repeat(" ", odp.SchemaLimits().Bytes))
	case word == "valid", word == "ok", word == "usable", word == "available", word == "retrieved", word == "supported":
	default:
		a.status = http.StatusNotFound
	}
	return a
}
