package site

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestAliases(t *testing.T) {
	dir := t.TempDir()
	a, err := LoadAliases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add("shop", Alias{Origin: "https://shop.example", AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	again, err := LoadAliases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if alias, ok := again.Get("shop"); !ok || alias.Origin != "https://shop.example" || !alias.AllowPrivate {
		t.Errorf("kept %+v, %v", alias, ok)
	}
	if origin, err := Resolve("shop", again); err != nil || origin != "https://shop.example" {
		t.Errorf("resolved to %q, %v", origin, err)
	}
	for _, name := range []string{"", "-x", "shop.example", "a b", "demo", "x:1", "é"} {
		if err := again.Add(name, Alias{Origin: "https://shop.example"}); fault.From(err) == nil || fault.From(err).Kind != fault.Usage {
			t.Errorf("%q: got %v, want a usage fault", name, err)
		}
	}
	if ok, err := again.Remove("shop"); !ok || err != nil {
		t.Errorf("removing: %v, %v", ok, err)
	}
	if ok, _ := again.Remove("shop"); ok {
		t.Error("removed twice")
	}
}

func TestAliasesAddedAtOnceAreAllKept(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			a, err := LoadAliases(dir)
			if err == nil {
				err = a.Add(fmt.Sprintf("shop%d", i), Alias{Origin: "https://shop.example"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if a, err := LoadAliases(dir); err != nil || len(a.Names()) != 10 {
		t.Errorf("kept %v, %v; want 10 names", a.Names(), err)
	}
}

func TestDamagedAliasesAreAnErrorThatNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sites.json")
	for _, content := range []string{"", "{", `{"shop":{"origin":7}}`, `[]`, `null`, `{} x`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadAliases(dir)
		if e := fault.From(err); e == nil || e.Code != "config_damaged" {
			t.Errorf("%q: got %v", content, err)
		}
	}
}
