package render

import (
	"strings"
	"unicode/utf8"
)

// Clean makes text from a site safe to show on a terminal (contract section 3). What could act on the terminal or
// mislead the reader never comes through; nothing that carries text is hidden:
//
//   - a CSI sequence (colours, cursor movement: ESC, "[", parameters, a letter) goes away whole;
//   - any other C0 or C1 control, DEL, a bidi embedding, override or isolate, a tag character (U+E0000 to U+E007F), an
//     interlinear annotation mark and every byte that is not UTF-8 becomes a visible U+FFFD, so the payload of a title
//     or clipboard sequence shows as the plain text it is;
//   - marks that only steer layout (U+200B, U+200E, U+200F, U+061C, U+2060 to U+2064, U+FEFF, the variation selectors
//     U+E0100 to U+E01EF) go away; joiners (U+200C, U+200D) and emoji selectors stay, for scripts need them;
//   - a carriage return before a line feed goes away.
//
// Line feeds and tabs stay. Clean text is returned as it is, without an allocation; cleaning twice changes nothing.
func Clean(s string) string {
	i := cleanPrefix(s)
	if i == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	out, _ = appendClean(out, []byte(s[i:]), removeUnsafe, true)
	return string(out)
}

// CleanLine is [Clean] for text that has to stay on one line: line breaks and tabs become spaces as well.
func CleanLine(s string) string {
	s = Clean(s)
	if !strings.ContainsAny(s, "\n\t\u2028\u2029") {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\t', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, s)
}

// cleanMode says what happens to a rune that must not reach a terminal.
type cleanMode int

const (
	removeUnsafe cleanMode = iota // text: as [Clean] documents
	escapeUnsafe                  // JSON: a \u escape, which keeps the value of a string
)

// class is what a rune may do to a terminal or to its reader.
type class int

const (
	harmless class = iota
	layout         // invisible, and honest text may have it
	hostile
)

func classify(r rune) class {
	switch {
	case r == '\n' || r == '\t':
		return harmless
	case r < 0x20 || 0x7f <= r && r <= 0x9f: // C0, DEL, C1
		return hostile
	case r < 0x061c:
		return harmless
	}
	switch {
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x206f, // bidi embeddings, overrides, isolates, deprecated formats
		0xfff9 <= r && r <= 0xfffb,   // interlinear annotations
		0xe0000 <= r && r <= 0xe007f: // tags: a hidden copy of ASCII
		return hostile
	case r == 0x061c, r == 0x200b, r == 0x200e, r == 0x200f, 0x2060 <= r && r <= 0x2065, r == 0xfeff,
		0xe0080 <= r && r <= 0xe0fff: // the rest of the block, variation selectors among it, can hide any bytes
		return layout
	}
	return harmless
}

// cleanPrefix returns the length of the longest prefix of s that [Clean] leaves alone.
func cleanPrefix[T string | []byte](s T) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := decodeRune(s[i:])
		if r == utf8.RuneError && size == 1 || classify(r) != harmless {
			return i
		}
		i += size
	}
	return len(s)
}

func decodeRune[T string | []byte](s T) (rune, int) {
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)])) // the compiler makes no copy of four bytes
}

// appendClean appends the cleaned src to dst. It stops before an unfinished tail of src whose treatment depends on what
// follows and returns it as rest, at most maxTail bytes; with last, nothing follows and rest is empty.
func appendClean(dst, src []byte, mode cleanMode, last bool) (out, rest []byte) {
	for len(src) > 0 {
		n := cleanPrefix(src)
		dst, src = append(dst, src[:n]...), src[n:]
		if len(src) == 0 {
			break
		}
		if !last && !decidable(src) {
			return dst, src
		}
		r, size := utf8.DecodeRune(src)
		if mode == removeUnsafe {
			if n := csiLength(src); n > 0 {
				src = src[n:]
				continue
			}
		}
		switch {
		case r == '\r' && (mode == escapeUnsafe || len(src) > 1 && src[1] == '\n'): // in JSON it is white space
		case r == utf8.RuneError && size == 1:
			dst = append(dst, replacement...)
		case mode == escapeUnsafe:
			dst = appendEscape(dst, r)
		case classify(r) == hostile:
			dst = append(dst, replacement...)
		}
		src = src[size:]
	}
	return dst, nil
}

const (
	replacement = "\ufffd"
	maxCSI      = 40         // bytes behind an introducer that are too many for a CSI sequence; an honest one has far less
	maxTail     = maxCSI + 2 // the longest prefix that decidable refuses, its introducer included
)

// decidable reports whether src, which starts with something unsafe, is long enough to tell what it is.
func decidable(src []byte) bool {
	switch {
	case src[0] == '\r' || src[0] == 0x1b:
		if len(src) == 1 {
			return false
		}
	case !utf8.FullRune(src):
		return false
	}
	intro := csiIntroducer(src)
	if intro == 0 {
		return true
	}
	end := csiBody(src[intro:])
	return intro+end < len(src) || end >= maxCSI
}

// csiLength returns the length of the CSI sequence (ECMA-48, section 5.4) that src starts with, or 0. It leaves no
// text out: what may stand between introducer and final byte are digits and punctuation.
func csiLength(src []byte) int {
	intro := csiIntroducer(src)
	if intro == 0 {
		return 0
	}
	body := csiBody(src[intro:])
	end := intro + body
	if body == maxCSI || end >= len(src) || src[end] < 0x40 || src[end] > 0x7e {
		return 0
	}
	return end + 1
}

func csiIntroducer(src []byte) int {
	if len(src) >= 2 && (src[0] == 0x1b && src[1] == '[' || src[0] == 0xc2 && src[1] == 0x9b) {
		return 2
	}
	return 0
}

// csiBody counts the parameter and intermediate bytes that src starts with, up to maxCSI.
func csiBody(src []byte) int {
	n := 0
	for n < len(src) && n < maxCSI && 0x20 <= src[n] && src[n] <= 0x3f {
		n++
	}
	return n
}

// appendEscape appends r the way JSON escapes it: \u001b, and a surrogate pair beyond the basic plane.
func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		dst = appendEscape(dst, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
