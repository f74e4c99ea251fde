package auth

import "errors"

// MaxTokenBytes is the longest token that is taken. Servers refuse header fields long before.
const MaxTokenBytes = 16 << 10

// CheckToken says why a text cannot be a bearer token; nil when it can. The error does not repeat it.
func CheckToken(token string) error {
	switch {
	case token == "":
		return errors.New("the token is empty")
	case len(token) > MaxTokenBytes:
		return errors.New("the token is longer than 16 KiB")
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f {
			return errors.New("the token holds characters that no token has")
		}
	}
	return nil
}
