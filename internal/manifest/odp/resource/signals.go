package resource

import (
	"net/http"
	"slices"
	"strings"
)

// Protocol is one that a Service can ask for in a live answer (section 21).
type Protocol string

// The protocols that go with this one.
const (
	AEP  Protocol = "aep"  // sign-in
	MPP  Protocol = "mpp"  // payment
	X402 Protocol = "x402" // payment
)

// Signals returns the protocols that a live answer asks for: aep, mpp, x402 in this order (ODP-142). What a Service
// advertises plays no part in it (ODP-145).
func Signals(status int, header http.Header) []Protocol {
	var found []Protocol
	switch status {
	case http.StatusUnauthorized:
		if challenges(header, "AEP") {
			found = append(found, AEP)
		}
	case http.StatusPaymentRequired:
		if challenges(header, "Payment") {
			found = append(found, MPP)
		}
		if value, ok := field(header, "PAYMENT-REQUIRED"); ok && strings.TrimSpace(strings.Join(value, "")) != "" {
			found = append(found, X402)
		}
	}
	return found
}

// field returns a header's values. Names ignore case, also in headers that did not come from net/http.
func field(header http.Header, name string) (values []string, ok bool) {
	for key, value := range header {
		if strings.EqualFold(key, name) {
			values, ok = append(values, value...), true
		}
	}
	return values, ok
}

// challenges reports whether WWW-Authenticate names a scheme. One field may hold several challenges (RFC 9110, section
// 11.6.1): a scheme stands at the beginning or behind a comma, and is followed by white space, a comma or the end. A
// comma within a quoted string separates nothing.
func challenges(header http.Header, scheme string) bool {
	values, _ := field(header, "WWW-Authenticate")
	return slices.ContainsFunc(values, func(value string) bool {
		for _, part := range splitOutsideQuotes(value) {
			name, _, _ := strings.Cut(strings.TrimLeft(part, " \t"), " ")
			if strings.EqualFold(strings.TrimRight(name, "\t"), scheme) {
				return true
			}
		}
		return false
	})
}

func splitOutsideQuotes(s string) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			parts, start = append(parts, s[start:i]), i+1
		}
	}
	return append(parts, s[start:])
}

// ValidSequence reports whether answers come in the order that a request goes through which asks for these protocols:
// sign-in before payment, then success (ODP-143). Two ways to pay are one payment.
func ValidSequence(asked []Protocol, statuses []int) bool {
	var expected []int
	if slices.Contains(asked, AEP) {
		expected = append(expected, http.StatusUnauthorized)
	}
	if slices.Contains(asked, MPP) || slices.Contains(asked, X402) {
		expected = append(expected, http.StatusPaymentRequired)
	}
	if len(statuses) != len(expected)+1 {
		return false
	}
	last := statuses[len(expected)]
	return slices.Equal(statuses[:len(expected)], expected) && last >= 200 && last < 300
}
