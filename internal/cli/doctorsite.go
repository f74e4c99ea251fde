package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/site"
)

const (
	maxDoctorSites = 8                // that are asked without being named
	doctorTime     = 10 * time.Second // for each of them
	soonExpired    = 14 * 24 * time.Hour
	clockTolerance = 30 * time.Second // of tokens and assertions, at most servers
)

// examineKnownSites tries the ways to the sites that a person gave a name to, side by side. Nobody else is asked for anything.
func (r *run) examineKnownSites(ctx context.Context) ([]finding, error) {
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil || r.Offline { // what is wrong with them is told already
		return nil, nil //nolint:nilerr // see above
	}
	names := aliases.Names()
	found := make([][]finding, min(len(names), maxDoctorSites))
	var wait sync.WaitGroup
	for i := range found {
		alias, _ := aliases.Get(names[i])
		wait.Go(func() {
			limited, cancel := context.WithTimeout(ctx, min(doctorTime, r.Timeout))
			defer cancel()
			c := &checkup{site: names[i]}
			if conn, err := r.connect(limited, alias.Origin, alias); err != nil {
				c.failed(problem, "network", err)
			} else {
				r.examineWay(limited, c, conn, warning)
				conn.close()
			}
			found[i] = c.found
		})
	}
	wait.Wait()
	return slices.Concat(found...), ctx.Err()
}

// examineSite looks at what calls to one site need.
func (r *run) examineSite(ctx context.Context, root *cobra.Command, word string) ([]finding, error) {
	origin, aliases, err := r.resolve(word, root)
	if err != nil {
		return nil, err
	}
	r.siteWord = word
	conn, err := r.connect(ctx, origin, aliasOf(aliases, word))
	if err != nil {
		return nil, err
	}
	defer conn.close()
	c := &checkup{site: word}
	if !r.Offline {
		r.examineWay(ctx, c, conn, problem)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.examineManifests(ctx, c, conn)
	r.examineChallenges(c, string(origin))
	r.examineCredential(ctx, c, origin, word)
	r.examineAgent(c, origin, word)
	r.examinePayments(c, origin)
	return c.found, ctx.Err()
}

// examineWay asks for the site's root, without following where it leads: any answer shows that the way is open. What the
// connection shows of the site's certificate and the answer of its clock is looked at, too.
func (r *run) examineWay(ctx context.Context, c *checkup, conn *connection, state health) {
	answer, err := conn.client.Do(ctx, fetch.Request{Method: http.MethodHead, URL: string(conn.origin) + "/", MaxBytes: fetch.DefaultMaxBody})
	if err != nil {
		e := fault.From(err)
		c.add(state, "network", e.Error(), cmp.Or(e.Hint, "look whether this machine is online, and the site is up"))
		return
	}
	_ = answer.Body.Close()
	c.ok("network", fmt.Sprintf("%s answers over %s", conn.origin, answer.Proto))
	if answer.TLS != nil {
		r.examineTLS(c, answer.TLS)
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		switch off := r.Now().Sub(date); {
		case off.Abs() > clockTolerance:
			c.add(warning, "clock", fmt.Sprintf("yours and the site's differ by %s", off.Abs().Round(time.Second)), "set the clock: tokens that are signed here will be refused")
		default:
			c.ok("clock", "it agrees with the site's")
		}
	}
}

func (r *run) examineTLS(c *checkup, state *tls.ConnectionState) {
	message := tls.VersionName(state.Version)
	if len(state.PeerCertificates) == 0 {
		c.ok("TLS", message)
		return
	}
	expires := state.PeerCertificates[0].NotAfter
	message += ", certificate until " + expires.UTC().Format(time.DateOnly)
	switch left := expires.Sub(r.Now()); {
	case left < soonExpired:
		c.add(warning, "TLS", message, "tell the site: calls will fail "+r.distance(expires))
	case state.Version < tls.VersionTLS13:
		c.add(warning, "TLS", message+"; the site cannot be enrolled at, which takes TLS 1.3", "tell the site")
	default:
		c.ok("TLS", message)
	}
}

// examineManifests discovers the site as a call would, and tells what is wrong with what it publishes.
func (r *run) examineManifests(ctx context.Context, c *checkup, conn *connection) {
	s, err := conn.open(ctx, nil)
	if err != nil {
		c.failed(problem, "manifest", err)
		return
	}
	defer s.Close()
	for _, source := range s.Sources() {
		switch {
		case source.Usable() && source.Unusable > 0:
			c.add(warning, source.Format, fmt.Sprintf("%s has %s that cannot be used", source.URL, counted(source.Unusable, "action")), "agentctl site show "+r.siteWord)
		case source.Usable():
			c.ok(source.Format, source.URL)
		}
	}
}

// examineCredential looks at what calls would carry. No token is fetched for it, and no command is run.
func (r *run) examineCredential(ctx context.Context, c *checkup, origin site.Origin, word string) {
	account, err := r.accountOf(origin)
	if err != nil {
		c.failed(problem, "credential", err)
		return
	}
	store, w, err := r.wallet(account)
	switch {
	case err != nil:
		c.failed(problem, "credential", err)
		return
	case w.Token == "" && len(w.Stored) == 0:
		c.ok("credential", "none is kept; agentctl auth login "+word+" keeps one")
		return
	case w.Token != "":
		c.ok("credential", "AGENTCTL_TOKEN")
		return
	}
	for _, scheme := range slices.Sorted(maps.Keys(w.Stored)) {
		entry, name := w.Stored[scheme], "credential"
		if scheme != "" {
			name += " for " + scheme
		}
		if entry.Kind == auth.KindCommand {
			c.ok(name, source(entry)+", which was not run")
			continue
		}
		if report, err := r.examine(ctx, store, account.For(scheme), entry); err != nil {
			c.failed(problem, name, err)
		} else {
			c.ok(name, source(entry)+", "+report.State)
		}
	}
}
