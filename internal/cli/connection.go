package cli

import (
	"context"
	"crypto/x509"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/agentctl/agentctl/internal/demo"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/site"
)

// The parts of the cache directory.
const (
	httpCacheDir = "http"  // documents as sites sent them
	treeCacheDir = "trees" // command trees compiled from them
)

// connection is the way to one origin: the client, and the demo's server where that is the site.
type connection struct {
	client   *fetch.Client
	settings fetch.Settings // of client
	tools    toolServers
	finder   *site.Finder
	origin   site.Origin
	stop     func()
	limit    *timeLimit // of the whole call
}

// connect prepares the client for an origin, and what a person keeps of it under a name. Nothing is sent yet.
func (r *run) connect(ctx context.Context, origin site.Origin, alias site.Alias) (*connection, error) {
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	settings.AllowPrivate = settings.AllowPrivate || alias.AllowPrivate
	c := &connection{origin: origin, stop: func() {}, limit: newTimeLimit(r.Timeout, r.Now)}
	if origin == demo.Origin {
		addr, stop, err := demo.Start(ctx, filepath.Join(r.StateDir, "demo"), r.Now)
		if err != nil {
			return nil, fault.New(fault.Internal, "demo_failed", "starting the demo site: %w", err)
		}
		override, err := fetch.ParseOverride(origin.Host() + ":" + addr)
		if err != nil {
			stop()
			return nil, err
		}
		c.stop = stop
		settings.Resolve = append(settings.Resolve, override)
	}
	c.settings, c.client = settings, fetch.New(settings)
	c.finder = &site.Finder{
		Client: c.client, Dir: filepath.Join(r.CacheDir, treeCacheDir), Now: r.Now, Refresh: r.Refresh, Offline: r.Offline,
		Described: alias.Described,
	}
	return c, nil
}

func (c *connection) close() {
	c.tools.close()
	c.stop()
}

// open discovers the site within the time limit.
func (c *connection) open(ctx context.Context, words []string) (s *site.Site, err error) {
	err = c.timed(ctx, func(ctx context.Context) error {
		s, err = c.finder.Open(ctx, c.origin, words)
		return err
	})
	return s, err
}

// timed runs a step under what is left of the time limit. What happens between steps, such as a question to a person,
// does not count.
func (c *connection) timed(ctx context.Context, step func(context.Context) error) error {
	return c.limit.run(ctx, step)
}

// settings makes the client's settings of flags and environment (contract, section 7).
func (r *run) settings(ctx context.Context) (fetch.Settings, error) {
	s := fetch.Settings{
		UserAgent: "agentctl/" + r.Version, AllowPrivate: r.AllowPrivate, Retries: r.Retries, Refresh: r.Refresh, Offline: r.Offline,
		Now: r.Now, Sleep: r.Sleep, Cache: fetch.OpenCache(filepath.Join(r.CacheDir, httpCacheDir)),
	}
	if r.Verbose && !r.Quiet {
		s.Trace = r.tracer()
	}
	switch {
	case r.Timeout <= 0:
		return s, fault.New(fault.Usage, "invalid_flag", "--timeout must be more than zero").WithHint("agentctl --help")
	case r.Retries < 0 || r.Retries > 3:
		return s, fault.New(fault.Usage, "invalid_flag", "--retries must be from 0 to 3").WithHint("agentctl --help")
	case r.Refresh && r.Offline:
		return s, fault.New(fault.Usage, "invalid_flag", "--refresh and --offline exclude each other").WithHint("agentctl --help")
	}
	overrides := r.Resolve
	if list := r.Getenv("AGENTCTL_RESOLVE"); list != "" {
		overrides = slices.Concat(strings.Split(list, ","), r.Resolve) // later ones win: flags over the environment
	}
	for _, text := range overrides {
		override, err := fetch.ParseOverride(strings.TrimSpace(text))
		if err != nil {
			return s, err
		}
		s.Resolve = append(s.Resolve, override)
	}
	var err error
	if s.Proxy, err = r.proxy(); err == nil {
		s.Roots, err = r.roots(ctx)
	}
	return s, err
}

// roots tells how to come by the certificates to trust: those of --cacert, which is read at once so that a fault in it is
// told whatever happens next, those of SSL_CERT_FILE, or the system's. The latter are read when a certificate is to be
// checked, if ever: it takes its time.
func (r *run) roots(ctx context.Context) (func() (*x509.CertPool, error), error) {
	if r.CACert != "" {
		pool, err := r.certificates(ctx, r.CACert, "--cacert")
		return func() (*x509.CertPool, error) { return pool, nil }, err
	}
	if file := r.Getenv("SSL_CERT_FILE"); file != "" {
		return func() (*x509.CertPool, error) { return r.certificates(ctx, file, "SSL_CERT_FILE") }, nil
	}
	return r.SystemRoots, nil
}

const certificatesHint = "give %s a file of certificates in PEM, or leave it out"

func (r *run) certificates(ctx context.Context, file, from string) (*x509.CertPool, error) {
	pem, err := r.ReadFile(ctx, file)
	if err != nil {
		return nil, fault.New(fault.Usage, "invalid_flag", "%s: %w", from, err).WithHint(certificatesHint, from)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fault.New(fault.Usage, "invalid_flag", "%s: %s holds no certificates", from, file).WithHint(certificatesHint, from)
	}
	return pool, nil
}

// proxy reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case.
func (r *run) proxy() (func(*url.URL) (*url.URL, error), error) {
	config := httpproxy.Config{HTTPSProxy: r.either("HTTPS_PROXY"), HTTPProxy: r.either("HTTP_PROXY"), NoProxy: r.either("NO_PROXY")}
	for name, value := range map[string]string{"HTTPS_PROXY": config.HTTPSProxy, "HTTP_PROXY": config.HTTPProxy} {
		if !readableProxy(value) { // httpproxy would go without it, silently
			return nil, fault.New(fault.Usage, "invalid_proxy", "%s is not the URL of a proxy", name) // its value may hold a password
		}
	}
	if config.HTTPSProxy == "" && config.HTTPProxy == "" {
		return nil, nil
	}
	return config.ProxyFunc(), nil
}

// either is a variable in capital or in small letters.
func (r *run) either(name string) string {
	if value := r.Getenv(name); value != "" {
		return value
	}
	return r.Getenv(strings.ToLower(name))
}

// readableProxy tells whether a proxy variable is empty, a URL, or HOST:PORT.
func readableProxy(value string) bool {
	if value == "" {
		return true
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		u, err = url.Parse("http://" + value)
	}
	return err == nil && u.Hostname() != ""
}
