package policy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Masked stands for a value that is not shown.
const Masked = "<hidden>"

// SecretName reports whether a parameter's name says that its value is nobody's business: "password", "apiKey",
// "card_number", "cvv". Whole words count, so "shopping" holds no "pin".
func SecretName(name string) bool {
	words := splitWords(name)
	if slices.ContainsFunc(words, secretWord) || slices.ContainsFunc(words, holdsSecretWord) {
		return true
	}
	text, joined := " "+strings.Join(words, " ")+" ", strings.Join(words, "")
	for _, phrase := range secretPhrases() {
		if holdsPhrase(text, phrase) || equalWithoutSpaces(joined, phrase) {
			return true
		}
	}
	return false
}

// holdsPhrase reports whether a phrase stands in a text as whole words, each behind and in front of a space.
func holdsPhrase(text, phrase string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		at += from
		if text[at-1] == ' ' && text[at+len(phrase)] == ' ' {
			return true
		}
		from = at + 1
	}
}

// equalWithoutSpaces reports whether a word is a phrase that is written together. It is asked for every argument of every
// call, so it makes no strings.
func equalWithoutSpaces(word, phrase string) bool {
	for i := range len(phrase) {
		if phrase[i] == ' ' {
			continue
		}
		if word == "" || word[0] != phrase[i] {
			return false
		}
		word = word[1:]
	}
	return word == ""
}

func secretWord(word string) bool {
	switch strings.TrimSuffix(word, "s") {
	case "password", "passwd", "passphrase", "passcode", "pwd", "pw", "pas", "secret", "token", "pin", "puk", "tan", "otp", "totp", "mfa",
		"cvv", "cvv2", "cvc", "cvc2", "csc", "iban", "bic", "ssn", "credential", "jwt", "cookie", "apikey", "bearer", "mnemonic":
		return true
	}
	return false
}

// holdsSecretWord reports whether a word that is written together has a part that means nothing else: "userpassword",
// "accesstoken", "creditcardnumber".
func holdsSecretWord(word string) bool {
	for _, part := range []string{"password", "passwd", "passphrase", "passcode", "cardnumber", "creditcard", "apikey", "privatekey", "secretkey", "accesskey"} {
		if strings.Contains(word, part) {
			return true
		}
	}
	word = strings.TrimSuffix(word, "s")
	return strings.HasSuffix(word, "token") || strings.HasSuffix(word, "secret")
}

// secretPhrases are words that make a secret together only.
func secretPhrases() [27]string {
	return [...]string{
		"card number", "credit card", "debit card", "card no", "card pan", "account number", "routing number", "sort code", "security code",
		"verification code", "auth code", "authorization code", "one time code", "recovery code", "backup code", "api key", "access key",
		"private key", "secret key", "signing key", "encryption key", "seed phrase", "social security number", "tax id", "passport number",
		"authorization", "security answer",
	}
}

// splitWords takes camelCase, snake_case and kebab-case apart, in lower case.
func splitWords(name string) []string {
	var b strings.Builder
	previous := ' '
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && (unicode.IsLower(previous) || unicode.IsUpper(previous) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteRune(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		previous = r
	}
	return strings.Fields(b.String())
}

// Mask returns compact JSON with what is secret replaced by [Masked]: members with a secret name, and values for whose
// path declared reports so. path starts with the parameter's name; elements of arrays count by index. found is called
// with each value that was hidden; it may be nil.
func Mask(path []string, value jsontext.Value, declared func(path []string) bool, found func(jsontext.Value)) jsontext.Value {
	if declared(path) || SecretName(path[len(path)-1]) {
		if found != nil {
			found(value)
		}
		return strictjson.Quote(Masked)
	}
	below := func(name string, value jsontext.Value) jsontext.Value {
		return Mask(append(slices.Clip(path), name), value, declared, found)
	}
	switch value.Kind() {
	case '{':
		out := []byte{'{'}
		for name, member := range strictjson.Members(value) {
			out = append(append(append(out, strictjson.Quote(name)...), ':'), below(name, member)...)
			out = append(out, ',')
		}
		return append(trimComma(out), '}')
	case '[':
		out := []byte{'['}
		for i, element := range strictjson.Elements(value) {
			out = append(append(out, below(strconv.Itoa(i), element)...), ',')
		}
		return append(trimComma(out), ']')
	}
	return value
}

func trimComma(text []byte) []byte {
	if last := len(text) - 1; text[last] == ',' {
		return text[:last]
	}
	return text
}
