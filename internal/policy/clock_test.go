package policy

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones below, on every machine

	"github.com/agentctl/agentctl/internal/fault"
)

func TestADayBeginsWithTheFirstOfTwoMidnights(t *testing.T) {
	for name, want := range map[string]string{
		"Asia/Amman":     "2021-10-28T21:00:00Z", // 01:00 is 00:00 again
		"America/Havana": "2021-11-07T04:00:00Z",
		"Europe/Berlin":  "2021-10-30T22:00:00Z",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, want)
		if err != nil {
			t.Fatal(err)
		}
		if got := PerDay.start(at.Add(12 * time.Hour).In(zone)); !got.Equal(at) {
			t.Errorf("%s: the day begins at %s, want %s", name, got.UTC(), at)
		}
	}
}

func TestADigestOfAClockThatWasSetBackIsNoLongerGood(t *testing.T) {
	dir := t.TempDir()
	digest := offered(t, newGate(dir, "", func() time.Time { return noon().Add(24 * time.Hour) }), facts(nil))
	err := newGate(dir, "", noon).Pending.Use(digest) // it would be good for more than a day
	wantFault(t, err, fault.Approval, "approval_expired")
}
