package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// quarter is the grain of the ledger. Days begin on whole quarters of an hour in every time zone, so a day's sum is exact
// wherever the clock is.
const quarter = 15 * time.Minute

// maxLedgerBytes is more than two months of a thousand calls a day can need.
const maxLedgerBytes = 32 << 20

// Ledger is the file of what was spent. Money counts when its request is about to be sent: it is on the disk before.
type Ledger struct {
	Path string
	Now  func() time.Time // its time zone decides when days and months begin
}

// Book is what the ledger holds.
type Book struct {
	Version int        `json:"version"`
	Spent   []spending `json:"spent"`
}

// spending is money that went out in one quarter of an hour for one action.
type spending struct {
	At       time.Time       `json:"at"`
	Site     string          `json:"site"`
	Command  []string        `json:"command"`
	Effect   manifest.Effect `json:"effect"`
	Risk     string          `json:"risk,omitempty"`
	Amount   string          `json:"amount"`
	Currency string          `json:"currency"`
}

func (s *spending) facts() *Facts {
	return &Facts{
		Site: s.Site, Command: s.Command, Effect: s.Effect, Risk: s.Risk, Cost: &manifest.Cost{Amount: s.Amount, Currency: s.Currency},
	}
}

func (s *spending) same(other *spending) bool {
	return s.At.Equal(other.At) && s.Site == other.Site && slices.Equal(s.Command, other.Command) && s.Effect == other.Effect &&
		s.Risk == other.Risk && s.Currency == other.Currency
}

// sum adds up what was spent since start on what a rule is about. What lies in the future, because the clock was set back,
// counts too.
func (b *Book) sum(r *Rule, start time.Time) decimal.Decimal {
	total := decimal.Decimal{}
	if b == nil {
		return total
	}
	for i := range b.Spent {
		s := &b.Spent[i]
		if s.At.Before(start) || !strings.EqualFold(s.Currency, r.Currency) || !r.about(s.facts()) {
			continue
		}
		amount, _ := parseAmount(s.Amount) // checked by Load
		total = total.Add(amount)
	}
	return total
}

// Load reads the ledger. A damaged one is an error that names the file: without it nobody knows what was spent.
func (l *Ledger) Load() (*Book, error) {
	text, err := atomicfile.Read(l.Path, maxLedgerBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Book{Version: 1}, nil
	case err != nil:
		return nil, fault.New(fault.Internal, "state_unreadable", "%w", err)
	}
	book, err := parseBook(text)
	if err != nil {
		return nil, fault.New(fault.Internal, "state_damaged", "%s is damaged, so it is not known what was spent: %w", l.Path, err).
			WithHint("mend or remove %s", l.Path)
	}
	return book, nil
}

// parseBook refuses whatever this program cannot have written.
func parseBook(text []byte) (*Book, error) {
	book := new(Book)
	if err := strictjson.Decode(text, book); err != nil {
		return nil, err
	}
	if book.Version != 1 {
		return nil, errors.New("it is none of this version's")
	}
	for _, s := range book.Spent {
		if _, ok := parseAmount(s.Amount); !ok || currency(s.Currency) == "" || s.At.IsZero() {
			return nil, fmt.Errorf("the amount %q %q cannot be", s.Amount, s.Currency)
		}
	}
	return book, nil
}

// Reserve counts the price of a call, if agree still finds nothing against it: it is given what was spent so far, and
// nobody else can spend until it has answered and the sum is on the disk. A price that is not known or nothing is not
// counted; agree is asked all the same. The returned function takes the money back, for a request that was not sent.
func (l *Ledger) Reserve(f *Facts, agree func(*Book) error) (release func() error, err error) {
	price := f.price()
	if !price.known || price.amount.IsZero() {
		book, err := l.Load()
		if err != nil {
			return nil, err
		}
		return func() error { return nil }, agree(book)
	}
	entry := l.entry(f, price)
	add := func(book *Book) error {
		if err := agree(book); err != nil {
			return err
		}
		return book.add(entry, price.amount)
	}
	if err := l.update(add); err != nil {
		return nil, err
	}
	return func() error {
		return l.update(func(book *Book) error { return book.add(entry, price.amount.Neg()) })
	}, nil
}

// entry is what a call that is made now adds to the ledger.
func (l *Ledger) entry(f *Facts, p price) spending {
	return spending{
		At: l.Now().UTC().Truncate(quarter), Site: f.Site, Command: f.Command, Effect: f.Effect, Risk: f.Risk,
		Amount: p.amount.String(), Currency: p.currency,
	}
}

// add adds an amount, which may be negative, to the entry of its kind.
func (b *Book) add(entry spending, amount decimal.Decimal) error {
	i := slices.IndexFunc(b.Spent, func(s spending) bool { return s.same(&entry) })
	if i < 0 {
		if amount.IsPositive() {
			b.Spent = append(b.Spent, entry)
		}
		return nil
	}
	sum, _ := parseAmount(b.Spent[i].Amount) // checked by Load
	sum = sum.Add(amount)
	if !sum.IsPositive() {
		b.Spent = slices.Delete(b.Spent, i, i+1)
		return nil
	}
	b.Spent[i].Amount = sum.String()
	if _, ok := parseAmount(b.Spent[i].Amount); !ok {
		return fault.New(fault.Payment, "amount_too_large", "the sum of what is spent has too many digits")
	}
	return nil
}

// update changes the ledger under its lock. Nothing is kept when change fails.
func (l *Ledger) update(change func(*Book) error) error {
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
	book.compact(l.Now())
	return keepLedger(l.Path, book)
}

// compact drops what no limit can count any more: all from before the last month.
func (b *Book) compact(now time.Time) {
	keep := PerMonth.start(now).AddDate(0, -1, 0)
	b.Spent = slices.DeleteFunc(b.Spent, func(s spending) bool { return s.At.Before(keep) })
}
