package cli

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// A site says where tokens come from. Where that is another origin, somebody has to agree before a secret goes there.
func TestEndpointsThatASitePublishes(t *testing.T) {
	scheme := func(name, grant, tokenURL, deviceURL string, scopes ...string) manifest.Scheme {
		return manifest.Scheme{Name: name, Type: manifest.OAuth2, Scopes: scopes, Flows: []manifest.OAuthFlow{
			{Grant: "implicit"}, {Grant: grant, TokenURL: tokenURL, DeviceURL: deviceURL, Scopes: []string{"everything"}},
		}}
	}
	const own, other = "https://shop.example/token", "https://id.example/token"
	for name, test := range map[string]struct {
		schemes []manifest.Scheme
		options loginOptions
		scheme  string
		yes     bool
		want    auth.ClientLogin
		code    string
		told    string
	}{
		"its own": {
			schemes: []manifest.Scheme{scheme("oauth", auth.ClientGrant, own, "", "read"), scheme("oauth", auth.ClientGrant, own, "", "read", "write")},
			want:    auth.ClientLogin{Client: auth.Client{TokenURL: own, Scopes: []string{"read", "write"}}},
		},
		"another origin": {
			schemes: []manifest.Scheme{scheme("oauth", auth.ClientGrant, other, "")},
			code:    "approval_required", told: other,
		},
		"another port": {
			schemes: []manifest.Scheme{scheme("oauth", auth.ClientGrant, "https://shop.example:8443/token", "")},
			code:    "approval_required",
		},
		"another origin, agreed to": {
			schemes: []manifest.Scheme{scheme("oauth", auth.ClientGrant, other, "")}, yes: true,
			want: auth.ClientLogin{Client: auth.Client{TokenURL: other}},
		},
		"one of two addresses elsewhere": {
			schemes: []manifest.Scheme{scheme("oauth", auth.DeviceGrant, own, "https://id.example/device")}, options: loginOptions{device: true},
			code: "approval_required", told: "https://id.example/device",
		},
		"the other one named by the person": {
			schemes: []manifest.Scheme{scheme("oauth", auth.DeviceGrant, own, "https://evil.example/device", "read")},
			options: loginOptions{device: true, deviceURL: "https://id.example/device"},
			want:    auth.ClientLogin{Client: auth.Client{TokenURL: own, Scopes: []string{"read"}}, DeviceURL: "https://id.example/device"},
		},
		"of two schemes the named one": {
			schemes: []manifest.Scheme{scheme("a", auth.ClientGrant, own, ""), scheme("b", auth.ClientGrant, own+"/b", "", "b")}, scheme: "b",
			want: auth.ClientLogin{Client: auth.Client{TokenURL: own + "/b", Scopes: []string{"b"}}},
		},
		"of two schemes neither": {
			schemes: []manifest.Scheme{scheme("a", auth.ClientGrant, own, ""), scheme("b", auth.ClientGrant, own, "")},
			code:    "ambiguous_scheme", told: "a, b",
		},
		"another grant":         {schemes: []manifest.Scheme{scheme("a", auth.DeviceGrant, own, own)}, code: "unknown_scheme", told: "--token-url URL"},
		"a scheme of that name": {schemes: []manifest.Scheme{scheme("a", auth.ClientGrant, own, "")}, scheme: "b", code: "unknown_scheme", told: `"b"`},
		"without an address":    {schemes: []manifest.Scheme{scheme("a", auth.ClientGrant, "", "")}, code: "unknown_scheme"},
		"none":                  {code: "unknown_scheme"},
	} {
		t.Run(name, func(t *testing.T) {
			r := grantRun(t, "")
			r.Yes = test.yes
			login := auth.ClientLogin{DeviceURL: string(test.options.deviceURL)}
			account := auth.Account{Origin: "https://shop.example", Scheme: test.scheme}
			err := r.adoptEndpoints(t.Context(), test.schemes, account, &test.options, &login)
			if test.code != "" {
				e := fault.From(err)
				if e == nil || e.Code != test.code || !strings.Contains(e.Message+e.Hint, test.told) {
					t.Fatalf("got %v, want %s that tells %q", err, test.code, test.told)
				}
				return
			}
			if err != nil || login.TokenURL != test.want.TokenURL || login.DeviceURL != test.want.DeviceURL ||
				strings.Join(login.Scopes, " ") != strings.Join(test.want.Scopes, " ") {
				t.Errorf("got %+v, %v; want %+v", login, err, test.want)
			}
		})
	}
}
