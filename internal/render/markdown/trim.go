package markdown

import (
	"bytes"
	"strings"
)

const reset = "\x1b[0m"

// trim drops blank lines at both ends and the spaces at the ends of lines, with which glamour fills each line: they spoil
// copying, and wrap when the window gets narrower. Spaces with a background stay. What remains ends in a line feed.
func trim(styled []byte) []byte {
	var lines []string
	for line := range bytes.SplitSeq(styled, []byte{'\n'}) {
		lines = append(lines, trimLine(line))
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// trimLine keeps a line up to what is last seen on it, leaves no colour on behind it, and drops the many sequences of
// glamour between which nothing is printed.
func trimLine(line []byte) string {
	var (
		out             []byte
		pending         []byte // sequences since the last character
		colored, filled bool   // whether a style is on, and whether a space shows in it
		printed         bool   // whether a style is on in out
		end             int    // of what is seen of out
		open            bool   // whether a style is on there
	)
	for i := 0; i < len(line); {
		if n := sequenceLength(line[i:]); n > 0 {
			colored, filled = styleAfter(string(line[i+2:i+n-1]), colored, filled)
			pending = append(pending, line[i:i+n]...)
			if !colored {
				pending = pending[:0]
				if printed {
					pending = append(pending, reset...)
				}
			}
			i += n
			continue
		}
		out = append(append(out, pending...), line[i])
		pending, printed = pending[:0], colored
		if line[i] != ' ' || filled {
			end, open = len(out), colored
		}
		i++
	}
	if open {
		return string(out[:end]) + reset
	}
	return string(out[:end])
}

// sequenceLength returns the length of the escape sequence that s starts with, or 0; only colours are left in the text.
func sequenceLength(s []byte) int {
	if s[0] != 0x1b {
		return 0
	}
	return bytes.IndexByte(s, 'm') + 1
}

// styleAfter follows the parameters of one colour sequence: is a style on, does a space show in it (background, inverse)?
func styleAfter(parameters string, colored, filled bool) (bool, bool) {
	words := strings.Split(parameters, ";")
	for i := 0; i < len(words); i++ {
		switch word := strings.TrimLeft(words[i], "0"); {
		case word == "":
			colored, filled = false, false
		case word == "38" || word == "48":
			colored, filled = true, filled || word == "48"
			if i+1 < len(words) && words[i+1] == "5" {
				i += 2 // an index
			} else {
				i += 4 // red, green, blue
			}
		case word == "7" || len(word) == 2 && word[0] == '4' && word != "49" || len(word) == 3 && word[:2] == "10":
			colored, filled = true, true
		case word == "49" || word == "27":
			filled = false
		default:
			colored = true
		}
	}
	return colored, filled
}
