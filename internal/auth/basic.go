package auth

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckBasic says why a text cannot be USER:PASSWORD (RFC 7617); nil when it can. The password may be empty, as with APIs
// that take a key for the user. The error does not repeat it.
func CheckBasic(text string) error {
	switch {
	case !strings.Contains(text, ":"):
		return errors.New("that is not USER:PASSWORD")
	case text == ":":
		return errors.New("user and password are empty")
	case len(text) > MaxTokenBytes:
		return errors.New("user and password are longer than 16 KiB")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("user or password hold characters that neither can have")
	}
	return nil
}
