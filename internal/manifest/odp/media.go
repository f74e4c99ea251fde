package odp

import (
	"fmt"
	"strings"
)

// Media types of the protocol (ODP-18, ODP-21).
const (
	MediaType        = "application/odp+json"     // documents, and bodies that are sent
	ProblemMediaType = "application/problem+json" // errors
	SchemaMediaType  = "application/schema+json"  // schemas
)

// CheckMediaType judges a Content-Type header: its essence must be want, which is in lower case; upper and lower case are
// the same, parameters mean nothing (ODP-19, ODP-20).
func CheckMediaType(header, want string) error {
	switch essence := Essence(header); essence {
	case want:
		return nil
	case "":
		if strings.TrimSpace(header) == "" {
			return fmt.Errorf("the answer has no Content-Type: must be %s", want)
		}
		return fmt.Errorf("the Content-Type %q is malformed: must be %s", header, want)
	default:
		return fmt.Errorf("the Content-Type is %q: must be %s", essence, want)
	}
}

// Essence returns the type and subtype of a media type in lower case, without its parameters, or "" when it is missing or
// malformed (RFC 9110, section 8.3.1).
func Essence(header string) string {
	essence, _, _ := strings.Cut(header, ";")
	essence = strings.Trim(essence, " \t")
	kind, subtype, found := strings.Cut(essence, "/")
	if !found || !isToken(kind) || !isToken(subtype) {
		return ""
	}
	return strings.ToLower(essence) // all ASCII
}

func isToken(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
