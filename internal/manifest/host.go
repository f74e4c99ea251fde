package manifest

import (
	"strings"

	"golang.org/x/net/idna"
)

// PlainHost returns the one spelling of a host name or address: letters of the alphabet small, others in Punycode, no
// brackets and no dot at the end.
func PlainHost(host string) string {
	host = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return strings.ToLower(host)
}

// Fold returns the one spelling of a command's word in formats where "_" and "-" are the same (AA-3, AM-7).
func Fold(word string) string { return strings.ReplaceAll(word, "_", "-") }
