package fetch

import (
	"iter"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"
)

// DefaultLifetime is how long a description is fresh where a site says nothing (IA-4).
const DefaultLifetime = 5 * time.Minute

const (
	maxLifetime = 365 * 24 * time.Hour // as RFC 9111 advises caches to cap it

	defaultAbsence = time.Hour // how long a document that is not there is not looked for, where its site says nothing …
	minAbsence     = 5 * time.Minute
	maxAbsence     = 24 * time.Hour // … and whatever it says
)

// freshness is what the header of an answer says about keeping it, as far as a private cache cares (RFC 9111).
type freshness struct {
	store    bool          // it may be kept
	vary     string        // fields of the request that the answer depends on, without those of [keyed]: canonical, by commas
	strict   bool          // it must not be used once stale, not even when the site is out of reach
	explicit bool          // the header speaks of a lifetime
	lifetime time.Duration // how long after the answer was made it may be used unasked
	age      time.Duration // how long ago it was made, when it came
}

// parseFreshness reads the header of an answer that came at now. What is unreadable counts as stale; fallback is the
// lifetime of what says nothing.
func parseFreshness(header http.Header, now time.Time, fallback time.Duration) freshness {
	f := freshness{store: true, lifetime: max(fallback, 0)}
	maxAge, noCache := time.Duration(-1), false
	for name, value := range directives(header.Values("Cache-Control")) {
		switch name {
		case "no-store":
			f.store = false
		case "no-cache":
			noCache = true
		case "must-revalidate":
			f.strict = true
		case "max-age":
			age, _ := deltaSeconds(value) // unreadable: 0
			if maxAge < 0 || age < maxAge {
				maxAge = age
			}
		}
	}
	if header.Get("Cache-Control") == "" && strings.EqualFold(header.Get("Pragma"), "no-cache") {
		noCache = true
	}
	f.vary = varying(header.Values("Vary"))
	if strings.Contains(f.vary, "*") {
		f.store = false
	}
	switch {
	case noCache:
		f.explicit, f.strict, f.lifetime = true, true, 0
	case maxAge >= 0:
		f.explicit, f.lifetime = true, maxAge
	case header.Get("Expires") != "":
		f.explicit, f.lifetime = true, untilExpiry(header, now)
	}
	f.lifetime = min(f.lifetime, maxLifetime)
	age, _ := deltaSeconds(header.Get("Age"))
	f.age = min(age, maxLifetime)
	return f
}

// varying returns the names in Vary fields that a key does not tell of.
func varying(fields []string) string {
	var names []string
	for name := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		if name != "" && !keyed(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// untilExpiry is the lifetime that an Expires header gives, counted from the site's own Date so that the clocks need not
// agree. "0" and other unreadable dates mean already expired.
func untilExpiry(header http.Header, now time.Time) time.Duration {
	expires, err := http.ParseTime(header.Get("Expires"))
	if err != nil {
		return 0
	}
	made, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		made = now
	}
	return max(expires.Sub(made), 0)
}

// directives yields the directives of Cache-Control fields, names in lower case, values without their quotes.
func directives(fields []string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		rest := strings.Join(fields, ",")
		for rest != "" {
			var directive string
			directive, rest = cutDirective(rest)
			name, value, _ := strings.Cut(directive, "=")
			name = strings.ToLower(strings.TrimSpace(name))
			if name != "" && !yield(name, strings.Trim(strings.TrimSpace(value), `"`)) {
				return
			}
		}
	}
}

// cutDirective splits at the first comma outside a quoted string.
func cutDirective(s string) (directive, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		case s[i] == ',' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
