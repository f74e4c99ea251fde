// Package terms turns text into what is compared when actions are searched: words without case, diacritics and endings.
// Names are taken apart at '_', '-', camelCase and between letters and digits. Text and query go through the same
// function, so a word that is treated badly is treated badly on both sides, and still found.
package terms

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// maxWord is how many bytes of a word count: nobody tells longer ones apart.
const maxWord = 48

// Of returns the terms of a text in their order, at most limit of them.
func Of(text string, limit int) []string {
	terms := Words(text, limit)
	for i, word := range terms {
		terms[i] = Stem(word)
	}
	return terms
}

// Stem returns a word, as [Words] gives it, without its English ending. Words that are not plain letters stay.
func Stem(word string) string {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return english.Stem(word, false)
}

// Words returns the words of a text, folded and taken apart, at most limit of them. A name of several parts without
// a separator, such as "createOrder" or "mp3", and one of two parts with a hyphen, such as "check-in", are there as a whole too.
func Words(text string, limit int) []string {
	s := splitter{limit: limit}
	for _, r := range norm.NFKD.String(text) { // a letter and its accent come apart
		if len(s.words) >= limit {
			break
		}
		s.rune(r)
	}
	s.endName()
	return s.words[:min(len(s.words), limit)]
}

// class is what kind of word a character belongs to.
type class int

const (
	other class = iota // separates words
	lower
	upper
	digit
	ideograph // a word of its own: these scripts set no spaces
	mark      // an accent: left out
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < 0x80:
		return other
	case unicode.IsLetter(r) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return ideograph
	case unicode.Is(unicode.Mn, r):
		return mark
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsNumber(r):
		return digit
	}
	return other
}

// splitter collects words. A name is what stands between separators; its parts are the words in it.
type splitter struct {
	limit  int
	words  []string
	part   []rune // of the name, not yet a word
	last   class  // of the character before
	run    int    // upper-case characters directly before
	parts  int    // words of the name so far
	name   []rune // the whole name, for names of several parts
	hyphen bool   // the name has a hyphen: it is kept whole only when it has two parts
}

func (s *splitter) rune(r rune) {
	c := classOf(r)
	switch {
	case c == mark:
		return
	case r == '\'' || r == '’': // "don't", "men's"
		return
	case r == '-' && len(s.name) > 0 && s.last != other:
		s.hyphen = true
		s.endPart()
	case c == other, c == ideograph:
		s.endName()
		if c == ideograph {
			s.word(string(r))
		}
	default:
		if s.last != c && s.begins(c) {
			s.endPart()
		}
		if c == lower && s.last == upper && s.run > 1 && r != 's' { // the last capital of "HTTPServer" begins a word, that of "PDFs" does not
			s.splitLast()
		}
		r = unicode.ToLower(r)
		s.part, s.name = append(s.part, r), append(s.name, r)
	}
	if s.run++; c != upper {
		s.run = 0
	}
	s.last = c
}

// begins tells whether a character of another class than the one before begins a new word.
func (s *splitter) begins(c class) bool {
	return len(s.part) > 0 && (c == upper || c == digit || s.last == digit)
}

func (s *splitter) splitLast() {
	n := len(s.part) - 1
	last := s.part[n]
	s.part = s.part[:n]
	s.endPart()
	s.part = append(s.part, last)
}

func (s *splitter) endPart() {
	if len(s.part) > 0 {
		s.word(string(s.part))
		s.parts++
	}
	s.part = s.part[:0]
}

func (s *splitter) endName() {
	s.endPart()
	if s.parts > 1 && (!s.hyphen || s.parts == 2) {
		s.word(string(s.name))
	}
	s.name, s.parts, s.hyphen = s.name[:0], 0, false
}

func (s *splitter) word(word string) {
	if len(word) > maxWord {
		word = strings.ToValidUTF8(word[:maxWord], "")
	}
	s.words = append(s.words, word)
}
