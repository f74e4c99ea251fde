// Package policy decides whether a call may go out: by the rules in policy.toml, by its effect, risk and price, by what a
// person says at the terminal, or by a digest that a person or an agent was given before and hands back (contract,
// section 5). It counts the money that calls cost. It does not know HTTP.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
)

// Facts are what a decision rests on: everything about one request but its credential.
type Facts struct {
	Site    string   // origin
	Command []string // the action
	Method  string
	URL     string
	Headers [][2]string // name and value, without credentials
	Body    []byte      // nil when none is sent
	Effect  manifest.Effect
	Risk    string // as in [manifest.Summary]
	Consent string // as in [manifest.Summary]
	Cost    *manifest.Cost

	// What follows is for people, and decides nothing.

	Endpoint    string  // as published, with no argument in it; for the audit log
	Description string  // what the site says that the action does
	Note        string  // what we say of it
	Fields      []Field // the arguments
}

// Field is one argument as a person may see it.
type Field struct {
	Name   string
	Value  string // compact JSON; what is secret in it is masked
	Type   string // "string", "number", "object", …
	Length int    // of a string in characters, of anything else in bytes of compact JSON; 0 for a secret
	Secret bool   // the whole value is
}

// Digest names exactly this request: SHA-256, in hex, over a canonical form of site, action, method, URL, headers, body,
// effect, risk, consent and cost. The last four are what was approved: a site that raises its price needs another yes.
func (f *Facts) Digest() string {
	headers := slices.Clone(f.Headers)
	for i := range headers {
		headers[i][0] = strings.ToLower(headers[i][0])
	}
	slices.SortFunc(headers, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })

	c := make(canonical, 0, 512)
	c.texts("agentctl approval 3", f.Site, f.Method, f.URL, string(f.Effect), f.Risk, f.Consent)
	c.count(len(f.Command))
	c.texts(f.Command...)
	c.count(len(headers))
	for _, header := range headers {
		c.texts(header[:]...)
	}
	c.optional(f.Body)
	var cost []byte
	if f.Cost != nil {
		var err error
		if cost, err = json.Marshal(f.Cost); err != nil { // strings always encode
			panic(err)
		}
	}
	c.optional(cost)
	sum := sha256.Sum256(c)
	return hex.EncodeToString(sum[:])
}

// canonical is a form that no two requests share: each text is behind its length, and each list behind its own.
type canonical []byte

func (c *canonical) count(n int) { *c = append(strconv.AppendInt(*c, int64(n), 10), ':') }

func (c *canonical) texts(texts ...string) {
	for _, text := range texts {
		c.count(len(text))
		*c = append(*c, text...)
	}
}

// optional adds what may be nil, which is not the same as empty.
func (c *canonical) optional(data []byte) {
	if data == nil {
		c.count(0)
		return
	}
	c.count(1)
	c.count(len(data))
	*c = append(*c, data...)
}
