package openapi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kebab writes a name in small words with "-" between them: "getPetByID" is "get-pet-by-id". What is neither a letter of the
// English alphabet nor a digit parts words.
func kebab(name string) string {
	var out strings.Builder
	last := rune('-')
	for i, r := range name {
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if last != '-' {
				out.WriteByte('-')
				last = '-'
			}
			continue
		}
		if unicode.IsUpper(r) && last != '-' && (!unicode.IsUpper(last) || wordFollows(name[i+1:])) {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.Trim(out.String(), "-")
}

// wordFollows reports whether a capital letter begins a word although one stands before it: "IDToken" is "id-token", while
// "IDs" are "ids".
func wordFollows(rest string) bool {
	return len(rest) > 1 && rest[0] >= 'a' && rest[0] <= 'z' && (rest[1] >= 'a' && rest[1] <= 'z')
}

// maxWord is the length of the longest word of a command, see [manifest.ValidSegment].
const maxWord = 64

// cutWord shortens a word where another one begins, if it can.
func cutWord(word string, limit int) string {
	if len(word) <= limit {
		return word
	}
	word = word[:limit]
	if i := strings.LastIndexByte(word, '-'); i > limit/2 {
		word = word[:i]
	}
	return strings.Trim(word, "-")
}

// without takes words off the front or the end of a name, unless nothing would be left.
func without(name, words string) string {
	if words == "" || name == words {
		return name
	}
	if rest, ok := strings.CutPrefix(name, words+"-"); ok {
		return rest
	}
	if rest, ok := strings.CutSuffix(name, "-"+words); ok {
		return rest
	}
	return name
}

// pathWords writes a path in words: "/pets/{petId}/toys" is "pets-by-pet-id-toys".
func pathWords(path string) string {
	var words []string
	for literal, name := range Pieces(path) {
		if literal = kebab(literal); literal != "" {
			words = append(words, literal)
		}
		if name = kebab(name); name != "" {
			words = append(words, "by-"+name)
		}
	}
	return strings.Join(words, "-")
}

// singular is the English word for one of what a word names; the word itself where it seems to name one.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "ses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return strings.TrimSuffix(word, "s")
	}
	return word
}
