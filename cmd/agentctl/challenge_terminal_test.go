//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep/aeptest"
)

// TestClaimsAreAskedAboutOneByOne enrols at a terminal: a claim that the site must have is asked for, one that it may be told
// can be left out, and all that is sent is shown before the yes.
func TestClaimsAreAskedAboutOneByOne(t *testing.T) {
	bin := buildPrograms(t)
	for name, row := range map[string]struct {
		answers []string
		status  int
		claims  string
	}{
		"with both":            {[]string{"ada@example.com\n", "ada\n", "y\n"}, 0, `{"contact.email":"ada@example.com","person.username":"ada"}`},
		"with the required":    {[]string{"ada@example.com\n", "\n", "y\n"}, 0, `{"contact.email":"ada@example.com"}`},
		"without the required": {[]string{"\n", "\n"}, 2, ""},
		"without a yes":        {[]string{"ada@example.com\n", "\n", "n\n"}, 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChallenger(t, bin, tls.VersionTLS13, tls.VersionTLS13)
			service := aeptest.NewService(c.world, "shop.example")
			service.Before = serveManifest
			var document []byte
			c.world.Handle("agents.example", http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(document) }))
			made := c.agentctl("aep", "document", "shop.example", "--below", "did:web:agents.example").is(0, "")
			c.world.Between(func() { document = []byte(made.stdout) })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(bin, "agentctl"), "aep", "enroll", "shop.example")
			for name, value := range c.env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			screen, status, err := onTerminal(cmd, typed{answers: row.answers}, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if status != row.status || !bytes.Contains(screen, []byte("must know your contact.email")) {
				t.Errorf("exit %d, want %d:\n%s", status, row.status, screen)
			}
			agent := agentOf(t, c)
			if claims, _ := service.Enrolled(agent); claims != row.claims {
				t.Errorf("the Service was told %s, want %s\n%s", claims, row.claims, screen)
			}
		})
	}
}
