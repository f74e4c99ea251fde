package odp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Version is the protocol version of every request that is sent (ODP-16).
const Version = "1.0"

const major = "1"

// CheckVersion judges an odp_version: every 1.N is accepted, other major versions and malformed values are refused
// (ODP-16).
func CheckVersion(v string) error {
	if !ValidVersion(v) {
		return fmt.Errorf("version %q: must be MAJOR.MINOR, such as \"1.0\"", v)
	}
	if !CompatibleVersions(Version, v) {
		return fmt.Errorf("version %q is not supported: only versions 1.N are", v)
	}
	return nil
}

// ValidVersion reports whether v is two decimal numbers without leading zeros (ODP-16).
func ValidVersion(v string) bool {
	first, second, found := strings.Cut(v, ".")
	return found && isNumeral(first) && isNumeral(second)
}

func isNumeral(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && (len(s) == 1 || s[0] != '0')
}

// CompatibleVersions reports whether both versions are valid and have the same major number.
func CompatibleVersions(supported, received string) bool {
	a, _, _ := strings.Cut(supported, ".")
	b, _, _ := strings.Cut(received, ".")
	return ValidVersion(supported) && ValidVersion(received) && a == b
}

// Minor returns the minor number of a version that passed [CheckVersion]; what is beyond an int becomes the largest one.
func Minor(v string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(v, major+"."))
	if err != nil {
		return math.MaxInt
	}
	return n
}
