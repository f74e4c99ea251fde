package odp

// Longest identifiers, in characters.
const (
	maxID         = 128
	maxCapability = 64
)

// ValidID reports whether s may name a Collection, an Offering or an Action inside its Service (ODP-10). Identifiers are
// opaque and compared byte for byte.
func ValidID(s string) bool {
	return isWord(s, maxID) && s != "." && s != ".."
}

// ValidCapabilityID reports whether s may name a filter, a sort or a unit (ODP-63).
func ValidCapabilityID(s string) bool {
	return isWord(s, maxCapability)
}

// isWord reports whether s is 1 to limit unreserved characters (RFC 3986, section 2.3).
func isWord(s string, limit int) bool {
	for i := range len(s) {
		if !isUnreserved(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= limit
}

func isUnreserved(c byte) bool {
	return isAlphanumeric(c) || c == '.' || c == '_' || c == '~' || c == '-'
}

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
