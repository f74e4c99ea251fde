package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// PaymentLedger is the file of what was paid. A payment counts when its request is about to be sent: it is on the disk
// before (CH-14).
type PaymentLedger struct {
	Path string
	Now  func() time.Time // its time zone decides when days and months begin
}

// PaymentBook is what the ledger holds.
type PaymentBook struct {
	Version int    `json:"version"`
	Paid    []paid `json:"paid"`
}

// paid is what went out in one quarter of an hour to one payee.
type paid struct {
	At       time.Time `json:"at"`
	Site     string    `json:"site"`
	Protocol string    `json:"protocol"`
	Network  string    `json:"network"`
	Asset    string    `json:"asset"`
	Payee    string    `json:"payee,omitempty"`
	Amount   string    `json:"amount"` // in base units
}

func (p *paid) payment() *Payment {
	return &Payment{Site: p.Site, Protocol: p.Protocol, Network: p.Network, Asset: p.Asset, Payee: p.Payee}
}

func (p *paid) same(other *paid) bool {
	a, b := *p, *other
	a.Amount, b.Amount = "", ""
	a.At, b.At = a.At.UTC(), b.At.UTC()
	return a == b
}

// sum adds up what was paid since start of what a rule is about.
func (b *PaymentBook) sum(r *PaymentRule, start time.Time) *big.Int {
	total := new(big.Int)
	if b == nil {
		return total
	}
	for i := range b.Paid {
		if p := &b.Paid[i]; !p.At.Before(start) && r.about(p.payment()) {
			amount, _ := ParseUnits(p.Amount) // checked by Load
			total.Add(total, amount)
		}
	}
	return total
}

// Load reads the ledger. A damaged one is an error that names the file: without it nobody knows what was paid.
func (l *PaymentLedger) Load() (*PaymentBook, error) {
	text, err := atomicfile.Read(l.Path, maxLedgerBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &PaymentBook{Version: 1}, nil
	case err != nil:
		return nil, fault.New(fault.Internal, "state_unreadable", "%w", err)
	}
	book, err := parsePaymentBook(text)
	if err != nil {
		return nil, fault.New(fault.Internal, "state_damaged", "%s is damaged, so it is not known what was paid: %w", l.Path, err).
			WithHint("mend or remove %s", l.Path)
	}
	return book, nil
}

// parsePaymentBook refuses whatever this program cannot have written.
func parsePaymentBook(text []byte) (*PaymentBook, error) {
	book := new(PaymentBook)
	if err := strictjson.Decode(text, book); err != nil {
		return nil, err
	}
	if book.Version != 1 {
		return nil, errors.New("it is none of this version's")
	}
	for _, p := range book.Paid {
		if _, ok := ParseUnits(p.Amount); !ok || p.At.IsZero() {
			return nil, fmt.Errorf("the amount %q cannot be", p.Amount)
		}
	}
	return book, nil
}

// Reserve counts a payment, if agree still finds nothing against it: it is given what was paid so far, and nobody else can
// pay until the sum is on the disk. The returned function takes it back, for a payment that was not sent.
func (l *PaymentLedger) Reserve(f *Payment, agree func(*PaymentBook) error) (release func() error, err error) {
	amount, ok := ParseUnits(f.Amount)
	if !ok {
		return nil, fault.New(fault.Payment, "amount_invalid", "the amount is none")
	}
	entry := paid{
		At: l.Now().UTC().Truncate(quarter), Site: f.Site, Protocol: f.Protocol, Network: f.Network, Asset: f.Asset, Payee: f.Payee,
	}
	add := func(book *PaymentBook) error {
		if err := agree(book); err != nil {
			return err
		}
		return book.add(entry, amount)
	}
	if err := l.update(add); err != nil {
		return nil, err
	}
	return func() error {
		return l.update(func(book *PaymentBook) error { return book.add(entry, new(big.Int).Neg(amount)) })
	}, nil
}

// add adds an amount, which may be negative, to the entry of its kind.
func (b *PaymentBook) add(entry paid, amount *big.Int) error {
	i := slices.IndexFunc(b.Paid, func(p paid) bool { return p.same(&entry) })
	if i < 0 {
		if amount.Sign() > 0 {
			entry.Amount = amount.String()
			b.Paid = append(b.Paid, entry)
		}
		return nil
	}
	sum, _ := ParseUnits(b.Paid[i].Amount) // checked by Load
	sum.Add(sum, amount)
	if sum.Sign() <= 0 {
		b.Paid = slices.Delete(b.Paid, i, i+1)
		return nil
	}
	if b.Paid[i].Amount = sum.String(); len(b.Paid[i].Amount) > maxUnitDigits {
		return fault.New(fault.Payment, "amount_too_large", "the sum of what is paid has too many digits")
	}
	return nil
}

// update changes the ledger under its lock. Nothing is kept when change fails.
func (l *PaymentLedger) update(change func(*PaymentBook) error) error {
	unlock, err := atomicfile.Lock(l.Path)
	if err != nil {
		return spendingFailed(err)
	}
	defer unlock()
	book, err := l.Load()
	if err != nil {
		return err
	}
	if err := change(book); err != nil {
		return err
	}
	keep := PerMonth.start(l.Now()).AddDate(0, -1, 0) // what no limit can count any more is dropped
	book.Paid = slices.DeleteFunc(book.Paid, func(p paid) bool { return p.At.Before(keep) })
	return keepLedger(l.Path, book)
}

// keepLedger replaces a ledger, and returns when it is on the disk.
func keepLedger(path string, book any) error {
	text, err := json.Marshal(book)
	if err == nil {
		err = atomicfile.Write(path, append(text, '\n'))
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return spendingFailed(err)
	}
	return nil
}

func spendingFailed(err error) error {
	return fault.New(fault.Internal, "spending_failed", "what is spent cannot be kept: %w", err)
}
