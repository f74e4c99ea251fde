// Package receipt keeps what is known of payments that were sent: one small private file each, written before the payment
// leaves and completed when the site has answered (CH-10, MPP-20). No credential or proof is in it.
package receipt

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// State is what became of a payment.
type State string

// The states.
const (
	Sending State = "sending" // it was about to be sent; a run that was cut off leaves it so
	NotSent State = "not_sent"
	Paid    State = "paid"
	Refused State = "refused" // the site did not serve the request for it
	Unknown State = "unknown" // it was sent, and nobody knows what came of it
)

// Record is one payment.
type Record struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Site      string    `json:"site"` // origin
	Command   []string  `json:"command"`
	Method    string    `json:"method"`
	URL       string    `json:"url"`
	Protocol  string    `json:"protocol"`
	Network   string    `json:"network"` // or the method of MPP
	Scheme    string    `json:"scheme"`  // or the intent of MPP
	Asset     string    `json:"asset"`
	Payee     string    `json:"payee,omitempty"`
	Amount    string    `json:"amount"` // in base units: what was approved
	Taken     string    `json:"taken,omitempty"`
	Challenge string    `json:"challenge,omitempty"`
	Payer     string    `json:"payer"`
	By        string    `json:"approved_by"`
	State     State     `json:"state"`
	Status    int       `json:"status,omitempty"` // of the site's answer
	Settled   time.Time `json:"settled,omitzero"`
	Reference string    `json:"reference,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Receipt   string    `json:"receipt,omitempty"` // JSON, as the site sent it, but for secrets
}

const (
	maxRecordBytes = 128 << 10
	maxRecords     = 100_000
)

// Store keeps records in a directory.
type Store struct{ Dir string }

// Add keeps a new record, and gives it its ID. It is on the disk when Add returns.
func (s *Store) Add(r *Record) error {
	r.ID = "pay_" + strings.ToLower(rand.Text()[:16])
	return s.Update(r)
}

// Update keeps a record in place of the one with its ID.
func (s *Store) Update(r *Record) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // a site could make six bytes of each of its own
	e.SetIndent("", "  ")
	err := e.Encode(r)
	if err == nil {
		err = atomicfile.Write(s.path(r.ID), text.Bytes())
	}
	if err == nil {
		err = atomicfile.SyncDir(s.Dir)
	}
	if err != nil {
		return fault.New(fault.Internal, "receipt_failed", "the receipt of a payment cannot be kept: %w", err)
	}
	return nil
}

func (s *Store) path(id string) string { return filepath.Join(s.Dir, id+".json") }

// ValidID tells whether text can be the ID of a record.
func ValidID(text string) bool {
	rest, ok := strings.CutPrefix(text, "pay_")
	return ok && len(rest) == 16 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Get returns the record of an ID; the error is a usage fault when there is none.
func (s *Store) Get(id string) (*Record, error) {
	if !ValidID(id) {
		return nil, unknown(id)
	}
	r, err := s.read(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown(id)
	}
	return r, err
}

func unknown(id string) error {
	return fault.New(fault.Usage, "unknown_receipt", "there is no receipt %q", fault.Word(id)).WithHint("agentctl receipts list")
}

func (s *Store) read(path string) (*Record, error) {
	text, err := atomicfile.Read(path, maxRecordBytes)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	err = strictjson.Decode(text, r)
	if err == nil && r.ID+".json" != filepath.Base(path) {
		err = errors.New("it is the record of another payment")
	}
	if err != nil {
		return nil, fault.New(fault.Internal, "state_damaged", "%s is damaged: %w", path, err).WithHint("mend or remove %s", path)
	}
	return r, nil
}

// List returns all records, the newest first.
func (s *Store) List() ([]*Record, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Internal, "state_unreadable", "%w", err)
	}
	var list []*Record
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok || !ValidID(id) {
			continue
		}
		if len(list) == maxRecords {
			return nil, fault.New(fault.Internal, "state_unreadable", "%s", fmt.Sprintf("%s holds more than %d receipts", s.Dir, maxRecords))
		}
		r, err := s.read(filepath.Join(s.Dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b *Record) int { return b.At.Compare(a.At) })
	return list, nil
}
