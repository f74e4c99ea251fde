package demo

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxBody bounds a request body, except that of an upload.
const maxBody = 64 << 10

// readBody decodes a JSON body of at most limit bytes into T. Members that T does not have are refused: a typing error in a
// request template should be seen. It returns the body as well.
func readBody[T any](r *http.Request, limit int64) (value T, body jsontext.Value, err error) {
	// Only JSON is taken. That also keeps web pages out: a browser asks before it sends this type to another origin.
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return value, nil, failure(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "the body must be application/json")
	}
	body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return value, nil, failure(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE", "the body is larger than %d bytes", limit)
	}
	if err != nil {
		return value, nil, failure(http.StatusBadRequest, "BODY_INCOMPLETE", "the body did not arrive whole")
	}
	value, err = decodeBody[T](body)
	return value, body, err
}

// decodeBody is readBody for what has been read already.
func decodeBody[T any](body jsontext.Value) (value T, err error) {
	if err := strictjson.Check(body); err != nil {
		return value, failure(http.StatusBadRequest, "INVALID_JSON", "the body is not acceptable JSON: %v", err)
	}
	if err := json.Unmarshal(body, &value, json.RejectUnknownMembers(true)); err != nil {
		return value, mismatch(err)
	}
	return value, nil
}

func mismatch(err error) error {
	semantic, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok:
		return failure(http.StatusBadRequest, "INVALID_JSON", "the body is not acceptable JSON")
	case errors.Is(err, json.ErrUnknownName):
		return invalid("UNKNOWN_MEMBER", fieldName(semantic.JSONPointer), "there is no member %q here", semantic.JSONPointer)
	}
	return invalid("WRONG_TYPE", fieldName(semantic.JSONPointer), "%q has the wrong type", semantic.JSONPointer)
}

func fieldName(pointer jsontext.Pointer) string { return strings.TrimPrefix(string(pointer), "/") }

// oneValue returns the only value of a query parameter, ok=false when there is none.
func oneValue(query url.Values, name string) (value string, ok bool, err error) {
	values := query[name]
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", false, invalid("GIVEN_TWICE", name, "%s was given %d times", name, len(values))
}

// boolValue returns a query parameter that is true or false; false when it is absent.
func boolValue(query url.Values, name string) (bool, error) {
	text, ok, err := oneValue(query, name)
	if err != nil || !ok {
		return false, err
	}
	if err := checkWord(name, text, []string{"true", "false"}); err != nil {
		return false, err
	}
	return text == "true", nil
}

// checkWord refuses a word that is not among the allowed ones.
func checkWord(field, word string, allowed []string) error {
	if slices.Contains(allowed, word) {
		return nil
	}
	return invalid("INVALID_"+strings.ToUpper(field), field, "%s must be one of %s", field, strings.Join(allowed, ", "))
}

// checkWords refuses a list with an unknown or repeated word.
func checkWords(field string, words, allowed []string) error {
	for i, word := range words {
		if err := checkWord(field, word, allowed); err != nil {
			return err
		}
		if slices.Contains(words[:i], word) {
			return invalid("GIVEN_TWICE", field, "%s has %q twice", field, word)
		}
	}
	return nil
}

// checkTags refuses a list of tags that is too long, or has one that is no short lower-case word.
func checkTags(tags []string) error {
	const maxTags, maxLength = 8, 24
	if len(tags) > maxTags {
		return invalid("TOO_MANY_TAGS", "tags", "there are more than %d tags", maxTags)
	}
	for i, tag := range tags {
		plain := strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
		if tag == "" || len(tag) > maxLength || !plain || slices.Contains(tags[:i], tag) {
			return invalid("INVALID_TAG", "tags", "a tag is 1 to %d lower-case letters, digits or dashes, and given once; %q is not", maxLength, clip(tag))
		}
	}
	return nil
}

// checkText refuses text of more than limit characters, and control characters.
func checkText(field, text string, limit int) error {
	if utf8.RuneCountInString(text) > limit {
		return invalid("TOO_LONG", field, "%s is longer than %d characters", field, limit)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return invalid("CONTROL_CHARACTER", field, "%s has a control character in it", field)
	}
	return nil
}

// checkName refuses a name that is blank, long, or has a control character in it.
func checkName(field, name string) error {
	return firstError(notBlank(field, name), checkText(field, name, 80))
}

func notBlank(field, text string) error {
	if strings.TrimSpace(text) == "" {
		return invalid("INVALID_"+strings.ToUpper(field), field, "%s must not be blank", field)
	}
	return nil
}

// clip shortens what a caller sent before it is repeated in a message.
func clip(text string) string {
	const limit = 40
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
