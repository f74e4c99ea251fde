package schema

import "time"

const (
	// freeSteps is what any check may cost. A step is the evaluation of one small schema, or about as much work: some tens
	// of nanoseconds.
	freeSteps = 5_000_000
	// stepsPerByte is what every byte of a value adds: more than honest schemas come near to.
	stepsPerByte = 50
	// slowTime is how long patterns may take together that only the backtracking engine understands.
	slowTime = 2 * time.Second
)

// Budget is the work that checks which belong together may still do. One goroutine may use it at a time.
type Budget struct {
	steps    int64
	slow     *time.Timer // started by the first slow pattern
	slowOver bool
}

// NewBudget returns a budget for values of so many bytes in all.
func NewBudget(bytes int) *Budget { return &Budget{steps: freeSteps + int64(bytes)*stepsPerByte} }

// Spent reports whether nothing is left.
func (b *Budget) Spent() bool { return b.steps < 0 }

// slowSpent reports whether slow patterns have had their time.
func (b *Budget) slowSpent() bool {
	if b.slow == nil {
		b.slow = time.NewTimer(slowTime)
	}
	select {
	case <-b.slow.C:
		b.slowOver = true
	default:
	}
	return b.slowOver
}
