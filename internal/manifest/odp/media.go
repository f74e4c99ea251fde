package odp

import (
	"fmt"
	"strconv"
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

// Acceptable reports whether a request with these Accept fields may be answered with a media type, which is in lower case: by
// the closest of the ranges that cover it, whatever their parameters (RFC 9110, section 12.5.1; ODP-20). Without the field
// anything may.
func Acceptable(accept []string, mediaType string) bool {
	if len(accept) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	closest, acceptable := 0, false
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		closeness := 0
		switch Essence(element) {
		case mediaType:
			closeness = 3
		case kind + "/*":
			closeness = 2
		case "*/*":
			closeness = 1
		}
		if closeness > closest {
			closest, acceptable = closeness, !refused(element)
		}
	}
	return acceptable
}

// refused reports whether the weight of an element of Accept is zero: nothing of the kind is wanted.
func refused(element string) bool {
	for parameter := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.Trim(parameter, " \t"), "=")
		if strings.EqualFold(name, "q") {
			weight, err := strconv.ParseFloat(value, 64)
			return err == nil && weight == 0
		}
	}
	return false
}
