package policy

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
)

// OfferLife is how long a digest can be handed back.
const OfferLife = 15 * time.Minute

// maxOfferBytes is more than any file of [Pending] has.
const maxOfferBytes = 1 << 10

// Pending keeps the digests of requests that wait for a yes: one small file each, so that taking one away is a single
// step of the file system and two runs can never use the same one.
type Pending struct {
	Dir string
	Now func() time.Time
}

type offer struct {
	Expires time.Time `json:"expires"`
	Call    string    `json:"call,omitempty"` // the digest of the call that a payment is for
}

// Offer keeps a digest for [OfferLife], and clears away those whose time has passed.
func (p *Pending) Offer(digest string) error { return p.OfferFor(digest, "") }

// OfferFor keeps the digest of a payment for a call, which has a digest itself.
func (p *Pending) OfferFor(digest, call string) error {
	p.sweep()
	content, err := json.Marshal(offer{p.Now().Add(OfferLife), call})
	if err != nil {
		return err
	}
	return atomicfile.Write(p.path(digest), content)
}

// Use takes a digest that was offered, once.
func (p *Pending) Use(digest string) error {
	gone := fault.New(fault.Approval, "approval_expired", "the approval is unknown, used, or older than %d minutes", OfferLife/time.Minute).
		WithHint("run the command without --approve for a new one")
	if !validDigest(digest) {
		return gone
	}
	kept, err := p.read(p.path(digest))
	if left := kept.Expires.Sub(p.Now()); err != nil || left < 0 || left > OfferLife { // more when the clock was set back
		return gone
	}
	switch err := os.Remove(p.path(digest)); {
	case errors.Is(err, fs.ErrNotExist):
		return gone // another run was faster
	case err != nil:
		return fault.New(fault.Internal, "write_failed", "using the approval: %w", err)
	}
	return nil
}

func validDigest(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

func (p *Pending) path(digest string) string { return filepath.Join(p.Dir, digest+".json") }

func (p *Pending) read(path string) (kept offer, err error) {
	content, err := atomicfile.Read(path, maxOfferBytes)
	if err != nil {
		return kept, err
	}
	return kept, json.Unmarshal(content, &kept)
}

func (p *Pending) sweep() {
	paths, _ := filepath.Glob(filepath.Join(p.Dir, "*.json"))
	for _, path := range paths {
		if kept, err := p.read(path); err == nil && p.Now().After(kept.Expires) {
			_ = os.Remove(path)
		}
	}
}
