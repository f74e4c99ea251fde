package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestSecretName(t *testing.T) {
	for _, name := range []string{
		"password", "Password", "new_password", "userPassword", "passphrase", "token", "accessToken", "access-token", "API_KEY", "apiKey", "APIKey",
		"secret", "client_secret", "card_number", "cardNumber", "cardnumber", "creditCard", "cvv", "CVV2", "cvc", "pin", "PIN", "cardPin", "iban", "IBAN",
		"otp", "one_time_code", "ssn", "private-key", "security_code", "tokens", "userpassword", "accesstoken", "refreshtokens", "clientsecret", "creditcardnumber", "myapikey", "Authorization", "account_number", "pwd",
	} {
		if !SecretName(name) {
			t.Errorf("%q is not secret", name)
		}
	}
	for _, name := range []string{"shopping", "pinned", "spin", "author", "tokenize", "cards", "number", "key", "keyboard", "code", "account", "reason", "quantity", "", "  ", "opinion"} {
		if SecretName(name) {
			t.Errorf("%q is secret", name)
		}
	}
}

func TestMask(t *testing.T) {
	declared := func(path []string) bool { return strings.Join(path, ".") == "a.b.0" }
	for _, row := range []struct{ name, value, want string }{
		{"plan", `"gold"`, `"gold"`},
		{"password", `"x"`, `"<hidden>"`},
		{"password", `{"deep":["x"]}`, `"<hidden>"`},
		{
			"pay", `{"amount":1.0,"card":{"card_number":"4111","cvv":123},"list":[{"token":null},{}]}`,
			`{"amount":1.0,"card":{"card_number":"<hidden>","cvv":"<hidden>"},"list":[{"token":"<hidden>"},{}]}`,
		},
		{"a", `{"b":["x","y"],"c":[]}`, `{"b":["<hidden>","y"],"c":[]}`},
		{"n", `12345678901234567890.10`, `12345678901234567890.10`},
	} {
		var found []string
		got := Mask([]string{row.name}, jsontext.Value(row.value), declared, func(v jsontext.Value) { found = append(found, string(v)) })
		if string(got) != row.want || !got.IsValid() {
			t.Errorf("%s %s: got %s, want %s", row.name, row.value, got, row.want)
		}
		if (row.value != row.want) != (len(found) > 0) || slices.ContainsFunc(found, func(v string) bool { return !strings.Contains(row.value, v) }) {
			t.Errorf("%s %s: found %q", row.name, row.value, found)
		}
	}
}

// FuzzSecretName wants one answer for all spellings of a name.
func FuzzSecretName(f *testing.F) {
	f.Add("card_number")
	f.Add("ÄPIKey\xff")
	f.Fuzz(func(t *testing.T, name string) {
		if words := splitWords(name); SecretName(name) != SecretName(strings.Join(words, "_")) || SecretName(name) != SecretName(strings.Join(words, "-")) {
			t.Errorf("%q is told apart from its other spellings", name)
		}
	})
}
