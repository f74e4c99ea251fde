package main

import (
	"runtime"
	"slices"
	"testing"
)

// attack is one row of the attack suite.
type attack struct {
	name string // what the site, the network, a program or another user does
	must string // what must come of it
	try  func(w *world)
}

// fewestAttacks is the size that the suite was promised to have.
const fewestAttacks = 40

// TestAttacks lets an evil site and an evil network at the real program: a TLS site of its own, a second origin that must
// not hear from the victim, and the victim's files. What holds for every row is in world.inspect and world.aftermath; a
// row says what else must happen. Rebinding, which needs a resolver of the test's own, is in internal/fetch.
func TestAttacks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the suite needs sh, pseudo-terminals and file modes")
	}
	all := slices.Concat(
		redirectAttacks(), nameAttacks(), tlsAttacks(), bodyAttacks(), resendAttacks(), headerAttacks(), textAttacks(), schemaAttacks(),
		credentialAttacks(), keyringAttacks(), tokenAttacks(), approvalAttacks(), promptAttacks(), policyAttacks(), auditAttacks(), fileAttacks(),
	)
	t.Logf("%d attacks", len(all))
	if len(all) < fewestAttacks {
		t.Errorf("the suite has %d attacks, fewer than %d", len(all), fewestAttacks)
	}
	bin, ca := buildPrograms(t), newAuthority(t)
	names := map[string]bool{}
	for _, a := range all {
		if names[a.name] || a.must == "" {
			t.Errorf("the row %q is there twice, or does not say what must happen", a.name)
		}
		names[a.name] = true
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, bin, ca)
			a.try(w)
			w.aftermath()
			if t.Failed() {
				t.Logf("what must happen: %s", a.must)
			}
		})
	}
}
