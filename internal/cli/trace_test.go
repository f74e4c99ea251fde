package cli

import "testing"

func TestRedactJSON(t *testing.T) {
	r := &run{}
	r.hide(`a"b&é`)
	for document, want := range map[string]string{
		`{"echo":"x a\"b\u0026\u00e9 y","n":1.50,"list":[true,null,"a\"b&é"]}`: `{"echo":"x <redacted> y","n":1.50,"list":[true,null,"<redacted>"]}`,
		`{"a\"b&é":1}`:                `{"<redacted>":1}`,
		`"plain"`:                     `"plain"`,
		`{"a\"b&é":1,"<redacted>":2}`: `null`,
	} {
		if got := string(r.redactJSON([]byte(document))); got != want {
			t.Errorf("%s: %s, want %s", document, got, want)
		}
	}
}

func TestRedactTakesTheLongerSecretFirst(t *testing.T) {
	r := &run{}
	for _, secret := range []string{"pass", "password-2", "pass word"} {
		r.hide(secret)
	}
	if got, want := r.redact("password-2, pass, pass word, pass%20word"), "<redacted>, <redacted>, <redacted>, <redacted>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
