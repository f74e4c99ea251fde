package payment

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxDepth is how deep a payment's JSON may be nested (CH-5).
const maxDepth = 16

// decode reads base64, of either alphabet and with or without padding (MPP-3, X402-3), that holds one JSON object.
func decode(text string) (jsontext.Value, error) {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(text, "="))
	doc, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("it is not base64")
	}
	return object(doc)
}

// object reads one JSON object, strictly and bounded.
func object(doc []byte) (jsontext.Value, error) {
	switch {
	case strictjson.Check(doc) != nil:
		return nil, errors.New("it is not valid JSON")
	case jsontext.Value(doc).Kind() != '{':
		return nil, errors.New("it is no JSON object")
	case depth(doc) > maxDepth:
		return nil, errors.New("it is nested too deeply")
	}
	return doc, nil
}

// depth is how deep valid JSON is nested.
func depth(doc []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// equal compares two JSON values by what they say; digits of numbers count as they are written.
func equal(a, b jsontext.Value) bool {
	x, errX := plain(a)
	y, errY := plain(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func plain(value jsontext.Value) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(value)))
	d.UseNumber()
	var out any
	err := d.Decode(&out)
	return out, err
}

// str is a member that is a string; "" for anything else.
func str(object jsontext.Value, name string) string {
	value, _ := strictjson.Member(object, name)
	text, _ := strictjson.String(value)
	return text
}

// member is the raw value of a member, or nil.
func member(object jsontext.Value, name string) jsontext.Value {
	value, ok := strictjson.Member(object, name)
	if !ok {
		return nil
	}
	return value
}

func bodySum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
