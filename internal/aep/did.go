package aep

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

const (
	didPrefix   = "did:web:"
	maxDIDBytes = 1024
)

// DID is a did:web identifier that passed the checks (AEP-10), the only kind that the protocol has. Two are equal when
// their texts are. The zero value is none.
type DID struct {
	text     string
	origin   string
	document string
}

// ParseDID reads did:web:HOST[%3APORT][:PATH…]. The host is a domain name, never an address.
func ParseDID(text string) (DID, error) {
	bad := func(why string) (DID, error) {
		return DID{}, fmt.Errorf("%q is no DID that can be used: %s", fault.Word(text), why)
	}
	rest, ok := strings.CutPrefix(text, didPrefix)
	switch {
	case !ok:
		return bad("it does not begin with " + didPrefix)
	case len(text) > maxDIDBytes:
		return bad("it is longer than 1 KiB")
	}
	segments := strings.Split(rest, ":")
	origin, err := didOrigin(segments[0])
	if err != nil {
		return bad(err.Error())
	}
	did := DID{text: text, origin: origin, document: origin + "/.well-known/did.json"}
	if segments = segments[1:]; len(segments) > 0 {
		did.document = origin + "/" + strings.Join(segments, "/") + "/did.json"
	}
	for _, segment := range segments {
		if !didSegment(segment) {
			return bad("a part of its path is empty or has characters that it must not have")
		}
	}
	return did, nil
}

// didOrigin turns HOST[%3APORT] into an https origin in canonical form.
func didOrigin(part string) (string, error) {
	authority, err := url.PathUnescape(part)
	if err != nil {
		return "", errors.New("its host is not percent-encoded")
	}
	authority = strings.TrimSuffix(strings.ToLower(authority), ":443")
	host, _, _ := strings.Cut(authority, ":")
	if _, err := netip.ParseAddr(host); err == nil {
		return "", errors.New("its host is an address")
	}
	origin, err := odp.ParseOrigin("https://" + authority)
	if err != nil || strings.Contains(authority, "[") {
		return "", errors.New("its host is no domain name with an optional port")
	}
	return string(origin), nil
}

// didSegment accepts what a did:web path may have between two colons, unless it would change the path's depth.
func didSegment(segment string) bool {
	plain, err := url.PathUnescape(segment)
	if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, `/\`) {
		return false
	}
	for i := range len(segment) {
		switch c := segment[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte(".-_%", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// String returns the DID as it was read.
func (d DID) String() string { return d.text }

// IsZero reports whether the DID is none.
func (d DID) IsZero() bool { return d.text == "" }

// Origin returns the https origin that the DID belongs to, in canonical form.
func (d DID) Origin() string { return d.origin }

// DocumentURL returns where the DID's document must be published (AEP-10).
func (d DID) DocumentURL() string { return d.document }

// MarshalText returns the DID's text.
func (d DID) MarshalText() ([]byte, error) { return []byte(d.text), nil }

// UnmarshalText reads a DID's text; the empty one is none.
func (d *DID) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*d = DID{}
		return nil
	}
	*d, err = ParseDID(string(text))
	return err
}
