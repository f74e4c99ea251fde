package cli

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/site"
)

// examinePrograms looks for the programs that agentctl starts from its own directory.
func (r *run) examinePrograms(c *checkup) {
	c.ok("version", fmt.Sprintf("agentctl %s, %s %s/%s", r.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
	for _, p := range []struct{ name, path, without string }{
		{"agentctl-ui", r.UIProgram, "markdown is printed as it came"},
		{"agentctl-index", r.IndexProgram, "find does not work"},
		{"agentctl-mcp", r.MCPProgram, "actions of MCP servers do not work"},
	} {
		if err := startable(p.path); err != nil {
			c.add(warning, p.name, fmt.Sprintf("it is not beside agentctl (%v), so %s", err, p.without), "install all programs of the release into one directory")
			continue
		}
		c.ok(p.name, p.path)
	}
}

func startable(path string) error {
	if path == "" {
		return errors.New("nobody knows where that is")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s", path)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is no program", path)
	}
	return nil
}

// examineDirectories tries whether the directories of the contract's section 8 can be written to.
func (r *run) examineDirectories(c *checkup) {
	for _, d := range []struct {
		name, path, variable string
		state                health
	}{
		{"configuration", r.ConfigDir, "AGENTCTL_CONFIG_DIR", warning}, // calls only read it
		{"state", r.StateDir, "AGENTCTL_STATE_DIR", problem},
		{"cache", r.CacheDir, "AGENTCTL_CACHE_DIR", warning},
	} {
		if err := writable(d.path); err != nil {
			c.add(d.state, d.name, fmt.Sprintf("cannot write to %s: %v", d.path, err), "make it yours, or set "+d.variable+" to a directory that is")
			continue
		}
		c.ok(d.name, d.path)
	}
}

// writable writes a file of one page: an empty one fits on a full disk, too. A directory that is not there is not made.
func writable(dir string) error {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".agentctl-doctor-*")
	if err != nil {
		return errors.Unwrap(err) // without the name that was made up
	}
	defer os.Remove(f.Name()) //nolint:errcheck // a leftover is harmless
	_, err = f.Write(make([]byte, 4096))
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.New("the disk takes nothing more")
	}
	return nil
}

// examineFiles reads the files of a person's own: a damaged one stops every call that needs it.
func (r *run) examineFiles(c *checkup) {
	if aliases, err := site.LoadAliases(r.ConfigDir); err != nil {
		c.failed(problem, "aliases", err)
	} else {
		c.ok("aliases", counted(len(aliases.Names()), "site")+" with a name of yours")
	}
	switch rules, err := r.loadPolicy(); {
	case err != nil:
		c.failed(problem, "policy", err)
	case len(rules.Rules)+len(rules.Payments) == 0:
		c.ok("policy", "no rules; what spends, sends or deletes is asked about")
	default:
		c.ok("policy", counted(len(rules.Rules)+len(rules.Payments), "rule")+" in "+r.policyLoader().Path)
	}
	report, err := r.auditLog().Verify()
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		c.failed(problem, "audit log", err)
		return
	}
	c.ok("audit log", counted(report.Calls, "call")+", unbroken")
}

// examineKeyring asks where credentials are kept for nothing, and looks at those that are listed without touching them.
func (r *run) examineKeyring(ctx context.Context, c *checkup) {
	store, err := r.store()
	if err != nil {
		c.failed(problem, "keyring", err)
		return
	}
	entries, err := store.Entries()
	if err != nil {
		c.failed(problem, "credentials", err)
		return
	}
	state := warning // who has no credential needs no keyring
	for _, e := range entries {
		if e.Keyring == auth.System {
			state = problem
		}
	}
	switch place, err := store.Reach(ctx); {
	case err != nil && fault.From(err).Kind == fault.Interrupted:
		return
	case err != nil:
		c.failed(state, "keyring", err)
	case place == auth.File:
		c.ok("keyring", "a private file, as AGENTCTL_KEYRING=file asks")
	default:
		c.ok("keyring", "the keyring of the system answers")
	}
	expired := 0
	for _, e := range entries {
		if !e.Expires.IsZero() && e.Expires.Before(r.Now()) {
			expired++
			c.add(warning, "credentials", "the one for "+e.Site()+" expired "+r.distance(e.Expires), "agentctl auth login "+e.Site())
		}
	}
	if expired == 0 {
		c.ok("credentials", counted(len(entries), "site")+" with one")
	}
	if r.environmentToken() != "" {
		c.ok("AGENTCTL_TOKEN", "is set: it goes to the site that is named, before what is stored")
	}
}

// examineTrust looks at certificates, proxy and overrides as the client of a call would.
func (r *run) examineTrust(ctx context.Context, c *checkup) {
	settings, err := r.settings(ctx)
	if err != nil {
		c.failed(problem, "network", err)
		return
	}
	var pool *x509.CertPool
	if settings.Roots != nil {
		pool, err = settings.Roots()
	}
	if pool == nil && err == nil {
		pool, err = x509.SystemCertPool()
	}
	from := "those of the system"
	switch {
	case r.CACert != "":
		from = "those in " + r.CACert
	case r.Getenv("SSL_CERT_FILE") != "":
		from = "those in " + r.Getenv("SSL_CERT_FILE") + " (SSL_CERT_FILE)"
	}
	switch {
	case err != nil:
		c.failed(problem, "certificates", err)
	case pool.Equal(x509.NewCertPool()):
		c.add(problem, "certificates", "no certificate authority is trusted, so no site can be", "install your system's certificates (ca-certificates), or name a file with --cacert")
	default:
		c.ok("certificates", from)
	}
	r.examineProxy(ctx, c, settings.Proxy)
	if len(settings.Resolve) > 0 {
		c.add(warning, "resolve", counted(len(settings.Resolve), "name")+" led elsewhere by --resolve or AGENTCTL_RESOLVE", "unset AGENTCTL_RESOLVE if that is not wanted")
	}
	if r.Offline {
		c.add(warning, "offline", "--offline: sites were not asked", "leave out --offline")
	}
}

// examineProxy tells which proxy calls go through, and whether something answers there.
func (r *run) examineProxy(ctx context.Context, c *checkup, proxyOf func(*url.URL) (*url.URL, error)) {
	if proxyOf == nil {
		c.ok("proxy", "none")
		return
	}
	for _, scheme := range []string{"https", "http"} { // of a host that is not in NO_PROXY
		proxy, err := proxyOf(&url.URL{Scheme: scheme, Host: "host.invalid"})
		if err != nil || proxy == nil || r.Offline {
			continue
		}
		if err := reached(ctx, proxy); err != nil {
			c.add(problem, "proxy", fmt.Sprintf("nothing answers at %s: %v", proxy.Host, err), "set "+strings.ToUpper(scheme)+"_PROXY to the proxy, or unset it")
			return
		}
	}
	message := "as HTTPS_PROXY or HTTP_PROXY says"
	if hosts := r.either("NO_PROXY"); hosts != "" {
		message += ", but for " + hosts
	}
	c.ok("proxy", message)
}

// reached connects to a proxy, and says nothing.
func reached(ctx context.Context, proxy *url.URL) error {
	port := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
	dialer := net.Dialer{Timeout: proxyTime}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), cmp.Or(proxy.Port(), port)))
	if err != nil {
		if e, ok := errors.AsType[*net.OpError](err); ok {
			err = e.Err
		}
		return err
	}
	return conn.Close()
}

// proxyTime is how long a proxy may take to let somebody in.
const proxyTime = 3 * time.Second

// examineClock compares the clock with what this program knows without asking anybody: it cannot be earlier than what runs.
func (r *run) examineClock(c *checkup) {
	now := r.Now()
	if info, err := os.Stat(r.Program); err == nil && info.ModTime().After(now.Add(24*time.Hour)) {
		c.add(problem, "clock", "it says "+now.UTC().Format(time.RFC3339)+", which is before this program was installed", "set the clock: certificates and tokens depend on it")
		return
	}
	c.ok("clock", now.UTC().Format(time.RFC3339))
}

// examineTerminal tells what the streams are, since that decides what is printed and asked.
func (r *run) examineTerminal(c *checkup) {
	var parts []string
	for _, s := range []struct {
		name string
		tty  bool
	}{{"input", r.InTTY}, {"output", r.OutTTY}, {"errors", r.ErrTTY}} {
		if s.tty {
			parts = append(parts, s.name)
		}
	}
	if len(parts) == 0 {
		c.ok("terminal", "none: nothing is asked, and answers are not styled")
		return
	}
	color := "no colour"
	if r.Color {
		color = "colour"
	}
	message := fmt.Sprintf("%s; %d columns, %s, TERM=%s", strings.Join(parts, ", "), r.Width, color, r.Getenv("TERM"))
	if r.OutTTY && !strings.Contains(strings.ToUpper(cmp.Or(r.Getenv("LC_ALL"), r.Getenv("LC_CTYPE"), r.Getenv("LANG"))), "UTF") && runtime.GOOS == "linux" {
		c.add(warning, "terminal", message+"; the locale is not UTF-8, so some characters may not show", "export LC_ALL=C.UTF-8")
		return
	}
	c.ok("terminal", message)
}
