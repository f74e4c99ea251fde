package cli

import (
	"context"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
)

// credentialReport is what "agentctl auth status" tells of a credential. The token itself is never in it.
type credentialReport struct {
	Site    string        `json:"site"`
	Profile string        `json:"profile,omitempty"`
	From    string        `json:"from"`
	Added   *time.Time    `json:"added,omitempty"`
	State   string        `json:"state"` // "usable", "not_run", or the code of the fault that a call would end with
	Problem string        `json:"problem,omitempty"`
	Claims  *claimsReport `json:"claims,omitempty"`
}

// claimsReport is what a token says of itself; nobody has verified it.
type claimsReport struct {
	Subject   string     `json:"subject,omitempty"`
	Issuer    string     `json:"issuer,omitempty"`
	Audience  []string   `json:"audience,omitempty"`
	Scopes    []string   `json:"scopes,omitempty"`
	IssuedAt  *time.Time `json:"issued_at,omitempty"`
	NotBefore *time.Time `json:"not_before,omitempty"`
	Expires   *time.Time `json:"expires_at,omitempty"`
}

// authStatus reports on one credential and, when a call with it would fail, ends as that call would.
func (r *run) authStatus(ctx context.Context, account auth.Account) error {
	report := credentialReport{Site: account.Site(), Profile: account.Profile, From: source(auth.Entry{})}
	if r.environmentToken() == "" {
		store, err := r.store()
		if err != nil {
			return err
		}
		entry, ok, err := store.Entry(account)
		if err != nil {
			return err
		}
		if !ok {
			return auth.Missing(account)
		}
		report.From, report.Added = source(entry), timeOrNone(entry.Added)
	}
	failure := r.examine(ctx, account, &report)
	if err := r.print(report, func() error { return r.showCredentials([]credentialReport{report}) }); err != nil {
		return err
	}
	return failure
}

// authStatusAll reports on everything that is stored. Commands are not run for it.
func (r *run) authStatusAll(ctx context.Context) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	entries, err := store.Entries()
	if err != nil {
		return err
	}
	if len(entries) == 0 && !r.structured() {
		return r.authList()
	}
	reports := []credentialReport{}
	for _, e := range entries {
		report := credentialReport{Site: e.Site(), Profile: e.Profile, From: source(e.Entry), Added: timeOrNone(e.Added), State: "not_run"}
		if e.Kind != auth.KindCommand {
			credential, err := store.Credential(ctx, e.Account)
			_ = r.describeCredential(credential, err, &report)
		}
		reports = append(reports, report)
	}
	return r.print(reports, func() error { return r.showCredentials(reports) })
}

// examine fills in what a call would find, and returns the fault that it would end with.
func (r *run) examine(ctx context.Context, account auth.Account, report *credentialReport) error {
	credential, err := r.credential(ctx, account)
	return r.describeCredential(credential, err, report)
}

func (r *run) describeCredential(credential *auth.Credential, err error, report *credentialReport) error {
	report.State = "usable"
	if err != nil {
		e := fault.From(err)
		report.State, report.Problem = e.Code, r.redact(e.Error())
	}
	if credential == nil {
		return err
	}
	r.hideCredential(credential.Secret())
	if claims, ok := credential.Claims(r.Now()); ok {
		report.Claims = &claimsReport{
			claims.Subject, claims.Issuer, claims.Audience, claims.Scopes,
			timeOrNone(claims.IssuedAt), timeOrNone(claims.NotBefore), timeOrNone(claims.Expires),
		}
	}
	return err
}

func (r *run) showCredentials(reports []credentialReport) error {
	h := r.newHelp()
	for _, report := range reports {
		title := report.Site
		if report.Profile != "" {
			title += " (profile " + report.Profile + ")"
		}
		h.paragraph("\n" + r.heading(title))
		rows := [][]string{{"from", report.From}}
		add := func(name, value string) {
			if value != "" {
				rows = append(rows, []string{name, value})
			}
		}
		add("added", r.moment(report.Added))
		add("state", strings.ReplaceAll(report.State, "_", " "))
		add("problem", report.Problem)
		if c := report.Claims; c != nil {
			add("subject", c.Subject)
			add("issuer", c.Issuer)
			add("audience", strings.Join(c.Audience, ", "))
			add("scopes", strings.Join(c.Scopes, ", "))
			add("issued", r.moment(c.IssuedAt))
			add("valid from", r.moment(c.NotBefore))
			add("expires", r.moment(c.Expires))
		}
		h.rows(rows)
	}
	return h.write(r.Out)
}

// moment is a time exactly and in words: "2026-11-30T22:04:13Z, in 2 hours".
func (r *run) moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339) + ", " + r.distance(*t)
}
