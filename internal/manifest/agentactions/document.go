package agentactions

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// open checks a document as a whole: one JSON object within the limits.
func open(doc jsontext.Value) error {
	if len(doc) > MaxBytes {
		return fault.New(fault.Manifest, "too_large", "the manifest is larger than %d bytes", MaxBytes)
	}
	if err := strictjson.Check(doc); err != nil {
		e := &fault.Error{Kind: fault.Manifest, Code: invalidCode(doc), Message: err.Error(), Err: err}
		if at, ok := errors.AsType[*strictjson.Error](err); ok {
			e.Details = map[string]any{"pointer": at.Pointer, "offset": at.Offset}
		}
		return e
	}
	if doc.Kind() != '{' {
		return fault.New(fault.Manifest, "wrong_type", "the manifest must be an object")
	}
	return nil
}

// invalidCode finds the reason why a document was refused.
func invalidCode(doc []byte) string {
	d := jsontext.NewDecoder(bytes.NewBuffer(doc))
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return "duplicate_member"
		case err != nil:
			return "not_json"
		case d.StackDepth() > strictjson.MaxDepth:
			return "too_deep"
		}
	}
}

// readVersion returns the version behind "agent-actions/". Only major version 0 is understood (AA-1); of its minor versions
// one is known to this package.
func readVersion(value jsontext.Value) (version string, known bool, err error) {
	if value == nil {
		return "", false, fault.New(fault.Manifest, "version_missing", `the manifest does not say its version, such as "agent-actions/0.1"`)
	}
	text, _ := strictjson.String(value)
	version, _ = strings.CutPrefix(text, Format+"/")
	minor, zero := strings.CutPrefix(version, "0.")
	if version == text || !zero || !isMinor(minor) {
		shown := text
		if shown == "" {
			shown = string(value)
		}
		return "", false, fault.New(fault.Manifest, "version_unsupported", "the version %q is not one that agentctl reads: agent-actions/0.x", cut(shown))
	}
	return version, minor == "1", nil
}

// isMinor reports whether text is a number without leading zeros, and of a sane length.
func isMinor(text string) bool {
	return text != "" && len(text) <= 9 && strings.Trim(text, "0123456789") == "" && (text == "0" || text[0] != '0')
}

// cut keeps a message readable whatever the site wrote.
func cut(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
