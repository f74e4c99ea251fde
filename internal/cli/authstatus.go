package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
)

// credentialReport is what "agentctl auth status" tells of a credential. The token itself is never in it.
type credentialReport struct {
	Site      string        `json:"site"`
	Profile   string        `json:"profile,omitempty"`
	Scheme    string        `json:"scheme,omitempty"`
	Kind      auth.Kind     `json:"kind,omitempty"` // "" for AGENTCTL_TOKEN
	From      string        `json:"from"`
	Added     *time.Time    `json:"added,omitempty"`
	State     string        `json:"state"`               // "usable", "not_run", or the code of the fault that a call would end with
	Renewable bool          `json:"renewable,omitempty"` // another token can be had without a person
	Problem   string        `json:"problem,omitempty"`
	Claims    *claimsReport `json:"claims,omitempty"`

	Schemes []credentialReport `json:"schemes,omitempty"` // those for single schemes, beside it
}

// reportOfEntry is what is known of a credential without touching a keyring.
func reportOfEntry(account auth.Account, e auth.Entry) credentialReport {
	return credentialReport{
		Site: account.Site(), Profile: account.Profile, Scheme: account.Scheme, Kind: e.Kind,
		From: source(e), Added: timeOrNone(e.Added), State: "not_run",
	}
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

// authStatus reports on the credential of an account and on those for single schemes beside it. When a call with one of
// them would fail, it ends as that call would.
func (r *run) authStatus(ctx context.Context, account auth.Account, _ *cobra.Command) error {
	store, w, err := r.wallet(account.For(""))
	if err != nil {
		return err
	}
	var reports []credentialReport
	var failure error
	for _, scheme := range slices.Sorted(maps.Keys(w.Stored)) { // "", which is any, is the first
		if account.Scheme != "" && account.Scheme != scheme || scheme == "" && w.Token != "" {
			continue
		}
		report, err := r.examine(ctx, store, account.For(scheme), w.Stored[scheme])
		reports = append(reports, report)
		failure = cmp.Or(failure, err)
	}
	if w.Token != "" && account.Scheme == "" {
		report := reportOfEntry(account, auth.Entry{})
		credential, err := r.stored(ctx, account)
		failure = cmp.Or(r.describeCredential(credential, err, &report), failure)
		reports = append([]credentialReport{report}, reports...)
	}
	if len(reports) == 0 {
		return auth.Missing(account)
	}
	first := reports[0]
	first.Schemes = reports[1:]
	if err := r.print(first, func() error { return r.showCredentials(reports) }); err != nil {
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
		report := reportOfEntry(e.Account, e.Entry)
		if e.Kind != auth.KindCommand {
			report, _ = r.examine(ctx, store, e.Account, e.Entry)
		}
		reports = append(reports, report)
	}
	return r.print(reports, func() error { return r.showCredentials(reports) })
}

// examine reports what a call would find, and returns the fault that it would end with. No token is renewed for it.
func (r *run) examine(ctx context.Context, store *auth.Store, account auth.Account, e auth.Entry) (credentialReport, error) {
	report := reportOfEntry(account, e)
	credential, err := store.Credential(ctx, account)
	err = r.describeCredential(credential, err, &report)
	return report, err
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
	r.hideCredentials(credential)
	report.Renewable = credential.Renewable()
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
		if report.Scheme != "" {
			title += " (scheme " + report.Scheme + ")"
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
		if report.Renewable {
			add("renewed", "when a call needs it")
		}
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
