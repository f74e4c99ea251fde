package render

// OnlyColors returns styled text with colour sequences (SGR: ESC, "[", digits, "m") or without them, and in either case
// without any other escape sequence.
func OnlyColors(styled []byte, colors bool) []byte {
	out := make([]byte, 0, len(styled))
	for len(styled) > 0 {
		n := sgrLength(styled)
		if n == 0 {
			end := 1
			for end < len(styled) && styled[end] != 0x1b {
				end++
			}
			out, _ = appendClean(out, styled[:end], removeUnsafe, true)
			styled = styled[end:]
			continue
		}
		if colors {
			out = append(out, styled[:n]...)
		}
		styled = styled[n:]
	}
	return out
}

// sgrLength returns the length of the colour sequence that s starts with, or 0.
func sgrLength(s []byte) int {
	if len(s) < 3 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s) && i < maxCSI; i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}
