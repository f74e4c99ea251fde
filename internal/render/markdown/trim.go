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

// trimLine keeps a line up to what is last seen on it, and leaves no colour on behind it.
func trimLine(line []byte) string {
	var colored, filled bool // whether a style is on, and whether a space shows in it
	end, open := 0, false    // of what is visible
	for i := 0; i < len(line); {
		if line[i] == 0x1b { // only colour sequences are left
			n := bytes.IndexByte(line[i:], 'm') + 1
			if n == 0 {
				break
			}
			colored, filled = styleAfter(string(line[i+2:i+n-1]), colored, filled)
			i += n
			continue
		}
		if line[i] != ' ' || filled {
			end, open = i+1, colored
		}
		i++
	}
	if open {
		return string(line[:end]) + reset
	}
	return string(line[:end])
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
