package agentactions

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

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
		return "", false, fault.New(fault.Manifest, "version_unsupported", "the version %q is not one that agentctl reads: agent-actions/0.x", fault.Word(shown))
	}
	return version, minor == "1", nil
}

// isMinor reports whether text is a number without leading zeros, and of a sane length.
func isMinor(text string) bool {
	return text != "" && len(text) <= 9 && strings.Trim(text, "0123456789") == "" && (text == "0" || text[0] != '0')
}
