package fetch

import (
	"fmt"
	"net/http"
	"strings"
)

// key is what an answer is kept under.
type key struct {
	url     string // as asked for, in canonical form
	variant string // a hash of everything else; empty for a plain GET that anybody may make
}

// keyOf tells questions apart whose answers may differ: method, body, representation, language, and whose answer it is
// (ODP-126). Secrets have no part in it (ODP-140).
func keyOf(p *prepared, partition string) key {
	k := key{url: p.target.String()}
	accept, language, content := p.header.Values("Accept"), p.header.Values("Accept-Language"), p.header.Values("Content-Type")
	if p.method == http.MethodGet && len(accept)+len(language)+len(content)+len(p.body)+len(partition) == 0 {
		return k
	}
	k.variant = sum(fmt.Appendf(nil, "%q %q %q %q %q %q", p.method, accept, language, content, p.body, partition))
	return k
}

// keyed reports whether a header field cannot make a difference between answers under one key: it is part of the key, the
// same in every request of this program, or, as the credential, what the partition stands for.
func keyed(name string) bool {
	switch name {
	case "Accept", "Accept-Language", "Content-Type", "Accept-Encoding", "User-Agent", "Authorization":
		return true
	}
	return false
}

// personal reports whether a question has header fields that its key does not tell of.
func (p *prepared) personal() bool {
	for name := range p.header {
		if !keyed(name) {
			return true
		}
	}
	return false
}

// sends reports whether a question has one of these header fields: then an answer that varies by them may be another one.
func (p *prepared) sends(varying string) bool {
	for name := range strings.SplitSeq(varying, ",") {
		if len(p.header[name]) > 0 {
			return true
		}
	}
	return false
}
