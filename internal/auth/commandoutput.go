package auth

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// parseOutput reads what a command wrote: a token, or a JSON object with "token" or "access_token", and perhaps "expires_at"
// (RFC 3339, or seconds since 1970). Without the last, expires is zero. No error repeats any of it.
func parseOutput(output []byte) (token string, expires time.Time, err error) {
	token = strings.TrimSpace(string(output))
	if strings.HasPrefix(token, "{") {
		if token, expires, err = parseJSONOutput(jsontext.Value(token)); err != nil {
			return "", time.Time{}, err
		}
	}
	if err := CheckToken(token); err != nil {
		return "", time.Time{}, fmt.Errorf("in its output, %w", err)
	}
	return token, expires, nil
}

func parseJSONOutput(object jsontext.Value) (token string, expires time.Time, err error) {
	if strictjson.Check(object) != nil {
		return "", expires, errors.New("its output is not valid JSON")
	}
	value, ok := strictjson.Member(object, "token")
	if !ok {
		value, ok = strictjson.Member(object, "access_token")
	}
	if ok {
		token, ok = strictjson.String(value)
	}
	if !ok {
		return "", expires, errors.New(`its output has neither a "token" nor an "access_token" that is a string`)
	}
	if value, ok := strictjson.Member(object, "expires_at"); ok && value.Kind() != 'n' {
		if expires, ok = parseTime(value); !ok {
			return "", expires, errors.New(`the "expires_at" in its output is neither an RFC 3339 time nor seconds since 1970`)
		}
	}
	return token, expires, nil
}

// parseTime reads a time, or a number of seconds since 1970, in a string or not.
func parseTime(value jsontext.Value) (time.Time, bool) {
	text, isString := strictjson.String(value)
	if !isString {
		text = string(value)
	}
	if t, err := time.Parse(time.RFC3339, text); isString && err == nil {
		return t, true
	}
	seconds, err := strconv.ParseFloat(text, 64)
	const lastSecond = 253402300799                             // of the year 9999
	if err != nil || !(seconds >= 0 && seconds <= lastSecond) { // also NaN, which ParseFloat takes
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0).UTC(), true
}
