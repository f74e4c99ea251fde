package schema

import (
	_ "embed"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

const (
	draft2020   = "https://json-schema.org/draft/2020-12/"
	dialect2020 = draft2020 + "schema"
)

// metaSchemas are those of draft 2020-12, by what follows draft2020 in their URL. Where they say "$dynamicRef", which leads
// to the root meta-schema unless somebody builds a dialect of their own, they name that here.
//
//go:embed metaschema.json
var metaSchemas []byte

// metaSchema returns a meta-schema that is never fetched (ODP-84); ok is false when the URL is none of theirs.
func metaSchema(address string) (raw jsontext.Value, ok bool) {
	name, ok := strings.CutPrefix(address, draft2020)
	if !ok {
		return nil, false
	}
	return strictjson.Member(metaSchemas, name)
}

// ofJSONSchema reports whether a URL is for the authors of JSON Schema to give: of a meta-schema or a vocabulary.
func ofJSONSchema(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	return strings.HasPrefix(rest, "json-schema.org/")
}

// knownVocabulary reports whether a schema may depend on a vocabulary. Formats are asserted here, so both of theirs will do.
func knownVocabulary(uri string) bool {
	name, ok := strings.CutPrefix(uri, draft2020+"vocab/")
	if !ok {
		return false
	}
	_, ok = metaSchema(draft2020 + "meta/" + name)
	return ok
}
