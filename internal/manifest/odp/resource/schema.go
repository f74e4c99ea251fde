package resource

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema"
)

// CheckSchemaAnswer judges the status and the media type of an answer that should be a schema document. What is in it is
// for [schema.Graph] to judge, with Declared set (ODP-83).
func CheckSchemaAnswer(status int, contentType string) error {
	if status < 200 || status > 299 {
		return fmt.Errorf("the schema was answered with the status %d", status)
	}
	if err := odp.CheckMediaType(contentType, odp.SchemaMediaType); err != nil {
		return fmt.Errorf("the schema: %w", err)
	}
	return nil
}

// CheckAttributes holds the attributes of an Offering against their schema, and drops them, with an issue, where that
// cannot be done or where they do not match; all else of the Offering stays (ODP-87). compiled is the whole schema, and
// failed why there is none. Terse attributes are never judged as a whole (ODP-86).
func (o *Offering) CheckAttributes(r odp.Representation, compiled *schema.Schema, failed error) {
	if o.Attributes == nil {
		return
	}
	if failed == nil && r != odp.Terse {
		failed = judge(compiled, o.Attributes)
	}
	if failed != nil {
		o.Attributes = nil
		o.Issues = append(o.Issues, odp.Issue{Code: "attributes_unusable", Pointer: "/attributes", Message: failed.Error()})
	}
}

func judge(compiled *schema.Schema, attributes jsontext.Value) error {
	failures, err := compiled.Validate(attributes)
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		return fmt.Errorf("%q does not match %q of its schema", "/attributes"+failures[0].Pointer, failures[0].Keyword)
	}
	return nil
}
