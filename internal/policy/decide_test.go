package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/manifest"
)

func TestDefaultDecisions(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Facts)
		want   Decision
		strong bool
	}{
		"read":                     {func(f *Facts) { f.Effect = manifest.Read }, Allow, false},
		"write":                    {func(f *Facts) { f.Effect = manifest.Write }, Allow, false},
		"send":                     {func(f *Facts) { f.Effect = manifest.Send }, Ask, false},
		"spend":                    {func(f *Facts) { f.Effect = manifest.Spend }, Ask, false},
		"delete":                   {func(f *Facts) { f.Effect = manifest.Delete }, Ask, false},
		"unknown effect":           {func(f *Facts) { f.Effect = "launch" }, Ask, false},
		"no effect":                {func(f *Facts) { f.Effect = "" }, Ask, false},
		"low risk":                 {func(f *Facts) { f.Effect, f.Risk = manifest.Write, "low" }, Allow, false},
		"medium risk":              {func(f *Facts) { f.Effect, f.Risk = manifest.Write, "medium" }, Ask, false},
		"high risk, reading":       {func(f *Facts) { f.Effect, f.Risk = manifest.Read, "high" }, Ask, false},
		"critical":                 {func(f *Facts) { f.Effect, f.Risk = manifest.Write, "critical" }, Ask, true},
		"critical in capitals":     {func(f *Facts) { f.Effect, f.Risk = manifest.Write, "CRITICAL" }, Ask, true},
		"unknown risk":             {func(f *Facts) { f.Effect, f.Risk = manifest.Read, "spicy" }, Ask, false},
		"consent none":             {func(f *Facts) { f.Effect, f.Consent = manifest.Write, "none" }, Allow, false},
		"consent implicit":         {func(f *Facts) { f.Effect, f.Consent = manifest.Write, "implicit" }, Allow, false},
		"consent explicit":         {func(f *Facts) { f.Effect, f.Consent = manifest.Read, "explicit" }, Ask, false},
		"consent step_up":          {func(f *Facts) { f.Effect, f.Consent = manifest.Write, "step_up" }, Ask, true},
		"consent human_review":     {func(f *Facts) { f.Effect, f.Consent = manifest.Write, "human_review" }, Ask, false},
		"unknown consent":          {func(f *Facts) { f.Effect, f.Consent = manifest.Write, "whatever" }, Ask, false},
		"a write with a price":     {func(f *Facts) { f.Effect, f.Cost = manifest.Write, &manifest.Cost{Amount: "1", Currency: "EUR"} }, Ask, false},
		"a write that is free":     {func(f *Facts) { f.Effect, f.Cost = manifest.Write, &manifest.Cost{Mode: "free"} }, Allow, false},
		"a write for nothing":      {func(f *Facts) { f.Effect, f.Cost = manifest.Write, &manifest.Cost{Amount: "0.00", Currency: "EUR"} }, Allow, false},
		"a read at a strange cost": {func(f *Facts) { f.Effect, f.Cost = manifest.Read, &manifest.Cost{Amount: "-1", Currency: "EUR"} }, Ask, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(func(f *Facts) { f.Cost = nil })
			row.change(f)
			v := new(Policy).Decide(f, nil, noon())
			if v.Decision != row.want || v.Rule != nil || v.Why == "" {
				t.Errorf("got %+v, want %s", v, row.want)
			}
			if f.Strong() != row.strong {
				t.Errorf("strong is %v, want %v", f.Strong(), row.strong)
			}
			if f.AsksFirst() != (row.want == Ask) {
				t.Errorf("AsksFirst disagrees")
			}
		})
	}
}

// rules writes a policy tersely: one rule a line, "decision member=value member=value".
func rules(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("[[rule]]\n")
		for i, field := range strings.Split(line, "; ") {
			if i == 0 {
				field = "decision=" + field
			}
			name, value, _ := strings.Cut(field, "=")
			b.WriteString(name + " = \"" + value + "\"\n")
		}
	}
	return b.String()
}

func TestRulesDecide(t *testing.T) {
	spend := func(amount, currency string) func(*Facts) {
		return func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: amount, Currency: currency} }
	}
	for name, row := range map[string]struct {
		rules    []string
		change   func(*Facts)
		want     Decision
		wantRule int // 0: the default
	}{
		"the first match decides":                 {[]string{"allow", "ask"}, nil, Allow, 1},
		"the first match decides, asking":         {[]string{"ask", "allow"}, nil, Ask, 1},
		"deny wins behind an allow":               {[]string{"allow", "deny"}, nil, Deny, 2},
		"the first deny is named":                 {[]string{"deny", "deny"}, nil, Deny, 1},
		"another site is not meant":               {[]string{"deny; site=other.example"}, nil, Ask, 0},
		"another effect is not meant":             {[]string{"deny; effect=delete"}, nil, Ask, 0},
		"another action is not meant":             {[]string{"deny; action=club"}, nil, Ask, 0},
		"fits the limit of a call":                {[]string{"allow; max_amount=9; currency=credits"}, nil, Allow, 1},
		"is over the limit of a call":             {[]string{"allow; max_amount=8.99; currency=credits"}, nil, Ask, 1},
		"is over the limit, a later rule is not":  {[]string{"allow; max_amount=8; currency=credits", "allow"}, nil, Ask, 1},
		"digits beyond floats count":              {[]string{"allow; max_amount=0.3; currency=EUR"}, spend("0.30000000000000000001", "EUR"), Ask, 1},
		"currency in another case":                {[]string{"allow; max_amount=9; currency=CREDITS"}, nil, Allow, 1},
		"another currency asks":                   {[]string{"allow; max_amount=100; currency=EUR"}, nil, Ask, 0},
		"another currency, then one that fits":    {[]string{"allow; max_amount=1; currency=EUR", "allow; max_amount=9; currency=credits"}, nil, Allow, 2},
		"another currency, then no limit":         {[]string{"allow; max_amount=1; currency=EUR", "allow"}, nil, Ask, 1},
		"no limit first, then another currency":   {[]string{"allow", "allow; max_amount=1; currency=EUR"}, nil, Allow, 1},
		"a cap in another currency asks":          {[]string{"allow", "deny; max_amount=1; currency=EUR"}, nil, Ask, 2},
		"caps in two currencies, one fits":        {[]string{"allow", "deny; max_amount=1; currency=EUR", "deny; max_amount=9; currency=credits"}, nil, Allow, 1},
		"a cap holds what is over it":             {[]string{"allow", "deny; max_amount=8; currency=credits"}, nil, Deny, 2},
		"a cap leaves what is within it":          {[]string{"allow", "deny; max_amount=9; currency=credits"}, nil, Allow, 1},
		"asking beyond a limit":                   {[]string{"ask; max_amount=5; currency=credits", "allow"}, nil, Ask, 1},
		"asking beyond a limit that holds":        {[]string{"ask; max_amount=50; currency=credits", "allow"}, nil, Allow, 2},
		"an unknown amount does not fit":          {[]string{"allow; max_amount=1000; currency=credits"}, spend("", "credits"), Ask, 1},
		"an unknown amount is over a cap":         {[]string{"allow", "deny; max_amount=1000; currency=credits"}, spend("", "credits"), Deny, 2},
		"a negative amount does not fit":          {[]string{"allow; max_amount=1000; currency=credits"}, spend("-5", "credits"), Ask, 1},
		"an amount with an exponent does not fit": {[]string{"allow; max_amount=1000; currency=credits"}, spend("1e1", "credits"), Ask, 1},
		"an amount without currency does not fit": {[]string{"allow; max_amount=1000; currency=credits"}, spend("1", ""), Ask, 1},
		"an amount per hour does not fit":         {[]string{"allow; max_amount=1000; currency=EUR"}, func(f *Facts) { f.Cost = &manifest.Cost{Mode: "metered", Amount: "1", Currency: "EUR"} }, Ask, 1},
		"no cost at all does not fit":             {[]string{"allow; max_amount=1000; currency=credits"}, func(f *Facts) { f.Cost = nil }, Ask, 1},
		"a limit is not about what costs nothing": {[]string{"allow; max_amount=1000; currency=EUR"}, func(f *Facts) { f.Effect, f.Cost = manifest.Delete, nil }, Ask, 0},
		"a cap is not about what costs nothing":   {[]string{"deny; max_amount=1; currency=EUR"}, func(f *Facts) { f.Effect, f.Cost = manifest.Read, nil }, Allow, 0},
		"an unknown effect may cost":              {[]string{"allow; max_amount=1000; currency=EUR"}, func(f *Facts) { f.Effect, f.Cost = "launch", nil }, Ask, 1},
		"currency alone selects":                  {[]string{"allow; currency=credits"}, nil, Allow, 1},
		"another currency alone does not":         {[]string{"allow; currency=EUR"}, nil, Ask, 0},
		"allowing up to a risk":                   {[]string{"allow; risk=high"}, func(f *Facts) { f.Risk = "medium" }, Allow, 1},
		"allowing up to a risk that is lower":     {[]string{"allow; risk=low"}, func(f *Facts) { f.Risk = "medium" }, Ask, 0},
		"denying from a risk on":                  {[]string{"deny; risk=high"}, func(f *Facts) { f.Risk = "critical" }, Deny, 1},
		"denying from a risk that is higher":      {[]string{"deny; risk=high"}, func(f *Facts) { f.Risk = "medium" }, Ask, 0},
		"denying takes an unknown risk for high":  {[]string{"deny; risk=high"}, func(f *Facts) { f.Risk = "spicy" }, Deny, 1},
		"allowing does not cover an unknown risk": {[]string{"allow; risk=critical"}, func(f *Facts) { f.Risk = "spicy" }, Ask, 0},
		"no risk is not a low one":                {[]string{"allow; risk=critical"}, nil, Ask, 0},
		"a rule lets critical pass":               {[]string{"allow; risk=critical"}, func(f *Facts) { f.Risk = "critical" }, Allow, 1},
		"reading can be denied":                   {[]string{"deny; effect=read"}, func(f *Facts) { f.Effect, f.Cost = manifest.Read, nil }, Deny, 1},
		"reading can be asked about":              {[]string{"ask"}, func(f *Facts) { f.Effect, f.Cost = manifest.Read, nil }, Ask, 1},
	} {
		t.Run(name, func(t *testing.T) {
			v := parse(t, rules(row.rules...)).Decide(facts(row.change), &Book{}, noon())
			number := 0
			if v.Rule != nil {
				number = v.Rule.Number
			}
			if v.Decision != row.want || number != row.wantRule || v.Why == "" {
				t.Errorf("got %s by rule %d (%s), want %s by rule %d", v.Decision, number, v.Why, row.want, row.wantRule)
			}
		})
	}
}

func TestSites(t *testing.T) {
	for _, row := range []struct {
		pattern, site string
		allow, stop   bool // whether a rule that allows is about the site, and one that stops
	}{
		{"*", "https://a.example", true, true},
		{"shop", "https://shop.example", true, true},
		{"shop", "https://shop.example:8443", false, false},
		{"shop.example", "https://shop.example", true, true},
		{"shop.example", "https://shop.example:8443", false, true},
		{"shop.example", "https://a.shop.example", false, false},
		{"shop.example", "https://evilshop.example", false, false},
		{"shop.example:8443", "https://shop.example:8443", true, true},
		{"shop.example:8443", "https://shop.example", false, false},
		{"https://shop.example", "https://shop.example", true, true},
		{"https://shop.example", "https://shop.example:8443", false, false},
		{"http://localhost:80", "http://localhost:8080", false, false},
		{"*.example", "https://a.b.example", true, true},
		{"*.example", "https://example", false, false},
		{"*.example", "https://a.example:1", false, true},
		{"*.example", "https://a.badexample", false, false},
		{"*.example:1", "https://a.example:1", true, true},
		{"[::1]:80", "https://[::1]:80", true, true},
		{"[::1]:80", "https://[::1]", false, false},
	} {
		for decision, want := range map[string]bool{"allow": row.allow, "ask": row.stop, "deny": row.stop} {
			r := parse(t, rules(decision+"; site="+row.pattern)).Rules[0]
			if got := r.about(facts(func(f *Facts) { f.Site = row.site })); got != want {
				t.Errorf("%s %s about %s: %v, want %v", decision, row.pattern, row.site, got, want)
			}
		}
	}
}

func TestCommands(t *testing.T) {
	for _, row := range []struct {
		pattern, command string
		want             bool
	}{
		{"orders create", "orders create", true},
		{"orders create", "orders", false},
		{"orders", "orders create", false},
		{"orders *", "orders create", true},
		{"orders *", "orders refunds create", true},
		{"orders *", "orders", false},
		{"*", "ping", true},
		{"*", "orders refunds create", true},
		{"* create", "orders create", true},
		{"* create", "orders refunds create", false},
		{"orders re*", "orders refund", true},
		{"orders re*", "orders refund now", false},
		{"orders *fund*", "orders refunds", true},
		{"Orders create", "orders create", false},
	} {
		if got := matchesCommand(strings.Fields(row.pattern), strings.Fields(row.command)); got != row.want {
			t.Errorf("%q matches %q: %v, want %v", row.pattern, row.command, got, row.want)
		}
	}
}

func TestPeriodsBeginByTheLocalClock(t *testing.T) {
	now := noon().Add(-8 * time.Hour) // 04:00 on the 15th here, 22:15 on the 14th in UTC
	for period, want := range map[Period]string{PerDay: "2027-03-14T18:15:00Z", PerMonth: "2027-02-28T18:15:00Z"} {
		if got := period.start(now).UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s began %s, want %s", period, got, want)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = "ask; site=other.example; action=orders *"
	}
	p := parse(b, rules(append(lines, "allow; max_amount=9; currency=credits")...))
	f := facts(nil)
	for b.Loop() {
		p.Decide(f, nil, noon())
	}
}
