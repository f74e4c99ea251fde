package odp

import (
	"slices"
	"strings"
)

// ValidTag reports whether a language tag is well-formed by the grammar of RFC 5646, section 2.1, and repeats neither a
// variant nor an extension's letter (section 2.2.9). It knows no registry: unknown subtags are fine (ODP-25).
func ValidTag(tag string) bool {
	if strings.IndexFunc(tag, func(r rune) bool { return r >= 0x80 }) >= 0 {
		return false
	}
	lower := strings.ToLower(tag)
	if isGrandfathered(lower) {
		return true
	}
	rest := strings.Split(lower, "-")
	if rest[0] != "x" {
		var ok bool
		if rest, ok = skipLanguage(rest); !ok {
			return false
		}
		rest = skipOne(rest, func(s string) bool { return len(s) == 4 && isLetters(s) })                             // script
		rest = skipOne(rest, func(s string) bool { return len(s) == 2 && isLetters(s) || len(s) == 3 && digits(s) }) // region
		if rest, ok = skipVariants(rest); !ok {
			return false
		}
		if rest, ok = skipExtensions(rest); !ok {
			return false
		}
	}
	return len(rest) == 0 || isPrivateUse(rest)
}

// skipLanguage takes 2 or 3 letters and up to three extended subtags of 3 letters, or 4 to 8 letters.
func skipLanguage(subtags []string) (rest []string, ok bool) {
	first, rest := subtags[0], subtags[1:]
	if len(first) < 2 || len(first) > 8 || !isLetters(first) {
		return nil, false
	}
	for range 3 {
		if len(first) <= 3 {
			rest = skipOne(rest, func(s string) bool { return len(s) == 3 && isLetters(s) })
		}
	}
	return rest, true
}

func skipOne(subtags []string, matches func(string) bool) []string {
	if len(subtags) > 0 && matches(subtags[0]) {
		return subtags[1:]
	}
	return subtags
}

// skipVariants takes subtags of 5 to 8 characters, or of 4 with a digit in front, each once.
func skipVariants(subtags []string) (rest []string, ok bool) {
	for i, s := range subtags {
		if len(s) < 4 || len(s) > 8 || !isAlphanumerics(s) || len(s) == 4 && !isDigit(s[0]) {
			return subtags[i:], true
		}
		if slices.Contains(subtags[:i], s) {
			return nil, false
		}
	}
	return nil, true
}

// skipExtensions takes groups of a single character other than x, each once, and subtags of 2 to 8 characters.
func skipExtensions(subtags []string) (rest []string, ok bool) {
	seen := ""
	for len(subtags) > 0 && len(subtags[0]) == 1 && subtags[0] != "x" && isAlphanumerics(subtags[0]) {
		if strings.Contains(seen, subtags[0]) {
			return nil, false
		}
		seen += subtags[0]
		n := 1
		for n < len(subtags) && len(subtags[n]) >= 2 && len(subtags[n]) <= 8 && isAlphanumerics(subtags[n]) {
			n++
		}
		if n == 1 {
			return nil, false
		}
		subtags = subtags[n:]
	}
	return subtags, true
}

// isPrivateUse reports whether the subtags are "x" and at least one of 1 to 8 characters.
func isPrivateUse(subtags []string) bool {
	for _, s := range subtags[1:] {
		if s == "" || len(s) > 8 || !isAlphanumerics(s) {
			return false
		}
	}
	return subtags[0] == "x" && len(subtags) > 1
}

// isGrandfathered knows the irregular tags that RFC 5646 keeps from before its grammar. The grammar covers the regular
// ones, such as art-lojban.
func isGrandfathered(lower string) bool {
	switch lower {
	case "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo",
		"i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de":
		return true
	}
	return false
}

func isLetters(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) {
			return false
		}
	}
	return s != ""
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isAlphanumerics(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) {
			return false
		}
	}
	return s != ""
}
