package auth

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Schemes as sites publish them.
var (
	bearerScheme = manifest.Scheme{Name: "token", Type: manifest.Bearer}
	basicScheme  = manifest.Scheme{Name: "login", Type: manifest.Basic}
	keyScheme    = manifest.Scheme{Name: "key", Type: manifest.APIKey, In: "header", Field: "X-Key"}
	queryScheme  = manifest.Scheme{Name: "query", Type: manifest.APIKey, In: "query", Field: "api_key"}
	cookieScheme = manifest.Scheme{Name: "session", Type: manifest.APIKey, In: "cookie", Field: "sid"}
	oauthScheme  = manifest.Scheme{Name: "oauth", Type: manifest.OAuth2, Flows: []manifest.OAuthFlow{{Grant: "implicit"}, {Grant: ClientGrant, TokenURL: "https://id.example/token"}}}
	deviceScheme = manifest.Scheme{Name: "oauth", Type: manifest.OAuth2, Flows: []manifest.OAuthFlow{{Grant: DeviceGrant}}}
	mutualScheme = manifest.Scheme{Name: "tls", Type: "mutual-tls"}
)

func TestChoose(t *testing.T) {
	type ways = [][]manifest.Scheme
	type stored = map[string]Entry
	var (
		token    = Entry{Kind: KindToken}
		basic    = Entry{Kind: KindBasic}
		key      = Entry{Kind: KindKey, In: fetch.InHeader, Field: "x-key"}
		client   = Entry{Kind: KindClient}
		device   = Entry{Kind: KindDevice}
		command  = Entry{Kind: KindCommand}
		identity = Entry{Kind: KindIdentity}
	)
	for name, test := range map[string]struct {
		stored      stored
		environment string
		profile     string
		ways        ways
		want        string // "ACCOUNT'S SCHEME/KIND>PLACE NAME" of each part, or the code of the fault
		told        string // a part of the message or the hint
	}{
		"nothing said, nothing stored":                      {want: ""},
		"nothing said, a token":                             {stored: stored{"": token}, want: "/token>header Authorization"},
		"nothing said, AGENTCTL_TOKEN":                      {stored: stored{"": basic}, environment: "t", want: "/>header Authorization"},
		"nothing said, user and password":                   {stored: stored{"": basic}, want: "/basic>header Authorization"},
		"nothing said, a key with a place of its own":       {stored: stored{"": key}, want: "/api-key>header x-key"},
		"nothing said, only for a scheme":                   {stored: stored{"key": token}, want: ""},
		"nothing said, a profile that is not there":         {profile: "work", want: "credential_missing", told: "under the profile work"},
		"nothing needed":                                    {stored: stored{"": token}, ways: ways{}, want: ""},
		"nothing needed, in one alternative":                {ways: ways{{}}, want: ""},
		"only the empty alternative, and a profile":         {profile: "work", ways: ways{{}}, want: ""},
		"a token for a bearer scheme":                       {stored: stored{"": token}, ways: ways{{bearerScheme}}, want: "/token>header Authorization"},
		"a token for OAuth":                                 {stored: stored{"": token}, ways: ways{{oauthScheme}}, want: "/token>header Authorization"},
		"a token for an API key in a header":                {stored: stored{"": token}, ways: ways{{keyScheme}}, want: "/token>header X-Key"},
		"a token for an API key in the query":               {stored: stored{"": token}, ways: ways{{queryScheme}}, want: "/token>query api_key"},
		"a token for an API key in a cookie":                {stored: stored{"": token}, ways: ways{{cookieScheme}}, want: "/token>cookie sid"},
		"a token is no user and password":                   {stored: stored{"": token}, ways: ways{{basicScheme}}, want: "credential_missing", told: "agentctl auth login popcorn.club --scheme login --basic"},
		"user and password are no token":                    {stored: stored{"": basic}, ways: ways{{bearerScheme}}, want: "credential_missing", told: `the scheme "token" (bearer)`},
		"user and password are no key":                      {stored: stored{"": basic}, ways: ways{{keyScheme}}, want: "credential_missing"},
		"user and password":                                 {stored: stored{"": basic}, ways: ways{{basicScheme}}, want: "/basic>header Authorization"},
		"AGENTCTL_TOKEN for a basic scheme":                 {environment: "u:p", ways: ways{{basicScheme}}, want: "/>header Authorization"},
		"AGENTCTL_TOKEN without a colon is no such pair":    {environment: "t", ways: ways{{basicScheme}, {keyScheme}}, want: "/>header X-Key"},
		"AGENTCTL_TOKEN before one for the scheme":          {stored: stored{"key": token}, environment: "t", ways: ways{{keyScheme}}, want: "/>header X-Key"},
		"a client's tokens for OAuth":                       {stored: stored{"": client}, ways: ways{{oauthScheme}}, want: "/client-credentials>header Authorization"},
		"a device's tokens for a bearer scheme":             {stored: stored{"": device}, ways: ways{{bearerScheme}}, want: "/device>header Authorization"},
		"a client's tokens are no API key":                  {stored: stored{"": client}, ways: ways{{keyScheme}}, want: "credential_missing"},
		"a command for an API key":                          {stored: stored{"": command}, ways: ways{{keyScheme}}, want: "/command>header X-Key"},
		"an identity is no API key":                         {stored: stored{"": identity}, ways: ways{{keyScheme}}, want: "credential_missing"},
		"an identity for a bearer scheme":                   {stored: stored{"": identity}, ways: ways{{bearerScheme}}, want: "/identity>header Authorization"},
		"a key of that place":                               {stored: stored{"": key}, ways: ways{{keyScheme}}, want: "/api-key>header X-Key"},
		"a key of another place":                            {stored: stored{"": key}, ways: ways{{queryScheme}}, want: "credential_missing"},
		"one for the scheme before one for any":             {stored: stored{"": token, "key": command}, ways: ways{{keyScheme}}, want: "key/command>header X-Key"},
		"one for another scheme is not for this":            {stored: stored{"other": token}, ways: ways{{keyScheme}}, want: "credential_missing", told: "agentctl auth login popcorn.club"},
		"one of the wrong kind for the scheme gives way":    {stored: stored{"": token, "key": basic}, ways: ways{{keyScheme}}, want: "/token>header X-Key"},
		"the first alternative that can be met":             {stored: stored{"": basic}, ways: ways{{bearerScheme}, {keyScheme}, {basicScheme}}, want: "/basic>header Authorization"},
		"the first of two that can be met":                  {stored: stored{"": token}, ways: ways{{queryScheme}, {keyScheme}}, want: "/token>query api_key"},
		"optional, and there is one":                        {stored: stored{"": token}, ways: ways{{}, {keyScheme}}, want: "/token>header X-Key"},
		"optional, and there is none":                       {ways: ways{{keyScheme}, {}}, want: ""},
		"optional, but a profile was asked for":             {profile: "work", ways: ways{{keyScheme}, {}}, want: "credential_missing", told: "--profile work"},
		"two keys":                                          {stored: stored{"key": token, "query": token}, ways: ways{{keyScheme, queryScheme}}, want: "key/token>header X-Key query/token>query api_key"},
		"two keys, one token for any":                       {stored: stored{"": token}, ways: ways{{keyScheme, queryScheme}}, want: "credential_missing", told: "agentctl auth login popcorn.club --scheme query"},
		"two keys, one of them for any":                     {stored: stored{"": token, "query": token}, ways: ways{{keyScheme, queryScheme}}, want: "/token>header X-Key query/token>query api_key"},
		"two keys, the other of them for any":               {stored: stored{"": token, "key": token}, ways: ways{{keyScheme, queryScheme}}, want: "key/token>header X-Key /token>query api_key"},
		"two keys, one of them AGENTCTL_TOKEN":              {stored: stored{"key": token}, environment: "t", ways: ways{{keyScheme, queryScheme}}, want: "key/token>header X-Key />query api_key"},
		"two in one place, then one":                        {stored: stored{"": basic, "token": token}, ways: ways{{bearerScheme, basicScheme}, {basicScheme}}, want: "/basic>header Authorization"},
		"two in one place":                                  {stored: stored{"": basic, "token": token}, ways: ways{{bearerScheme, basicScheme}}, want: unsupported, told: "two credentials in one place"},
		"a type that nobody knows":                          {stored: stored{"": token}, ways: ways{{mutualScheme}}, want: unsupported, told: `"mutual-tls"`},
		"a type that nobody knows beside one":               {stored: stored{"": token}, ways: ways{{mutualScheme, keyScheme}}, want: unsupported},
		"a type that nobody knows before one that is there": {stored: stored{"": token}, ways: ways{{mutualScheme}, {keyScheme}}, want: "/token>header X-Key"},
		"of two reasons the one that can be helped":         {ways: ways{{mutualScheme}, {keyScheme}}, want: "credential_missing", told: `"key"`},
		"a header that frames the request":                  {stored: stored{"": token}, ways: ways{{{Name: "bad", Type: manifest.APIKey, In: "header", Field: "Content-Length"}}}, want: unsupported},
		"a header that is none":                             {stored: stored{"": token}, ways: ways{{{Name: "bad", Type: manifest.APIKey, In: "header", Field: "a\r\nb"}}}, want: unsupported},
		"a place that there is none of":                     {stored: stored{"": token}, ways: ways{{{Name: "bad", Type: manifest.APIKey, In: "body", Field: "a"}}}, want: unsupported},
		"Authorization as a place for a key":                {stored: stored{"": token}, ways: ways{{{Name: "odd", Type: manifest.APIKey, In: "header", Field: "Authorization"}}}, want: "/token>header Authorization"},
		"how to log in for client credentials":              {ways: ways{{oauthScheme}}, want: "credential_missing", told: "agentctl auth login popcorn.club --client-credentials"},
		"how to log in with a device":                       {ways: ways{{deviceScheme}}, want: "credential_missing", told: "agentctl auth login popcorn.club --device"},
		"how to log in with a password":                     {ways: ways{{basicScheme}}, want: "credential_missing", told: "agentctl auth login popcorn.club --basic"},
		"a scheme without a name":                           {stored: stored{"": token}, ways: ways{{{Type: manifest.Bearer}}}, want: "/token>header Authorization"},
		"a scheme whose name is no name":                    {stored: stored{"": basic}, ways: ways{{{Name: "--yes; x", Type: manifest.Bearer}}}, want: "credential_missing", told: "agentctl auth login popcorn.club"},
	} {
		t.Run(name, func(t *testing.T) {
			w := Wallet{Account{Origin: popcorn.Origin, Profile: test.profile}, test.environment, test.stored}
			parts, err := w.Choose(test.ways)
			got := ""
			for _, p := range parts {
				secret := p.Secret("s")
				got += fmt.Sprintf(" %s/%s>%s %s", p.Account.Scheme, p.Entry.Kind, secret.In, secret.Name)
			}
			e := &fault.Error{}
			if err != nil {
				e = fault.From(err)
				got = e.Code
				if e.Kind != fault.Auth {
					t.Errorf("kind %s", e.Kind)
				}
			}
			if strings.TrimSpace(got) != test.want || !strings.Contains(e.Message+" "+e.Hint, test.told) {
				t.Errorf("got %q, %+v; want %q and %q told", got, e, test.want, test.told)
			}
			if strings.Contains(e.Hint, "--yes") {
				t.Errorf("the hint has words of the site: %q", e.Hint)
			}
		})
	}
}

func TestSecretsOfSchemes(t *testing.T) {
	for name, test := range map[string]struct {
		scheme     manifest.Scheme
		credential string
		want       fetch.Secret
	}{
		"bearer": {bearerScheme, "t", fetch.Secret{In: "header", Name: "Authorization", Value: "Bearer t"}},
		"OAuth":  {oauthScheme, "t", fetch.Secret{In: "header", Name: "Authorization", Value: "Bearer t"}},
		"basic":  {basicScheme, "Aladdin:open sesame", fetch.Secret{In: "header", Name: "Authorization", Value: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}}, // RFC 7617, section 2
		"UTF-8":  {basicScheme, "test:123£", fetch.Secret{In: "header", Name: "Authorization", Value: "Basic dGVzdDoxMjPCow=="}},                       // RFC 7617, section 2.1
		"a key":  {queryScheme, "a b", fetch.Secret{In: "query", Name: "api_key", Value: "a b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Part{Scheme: test.scheme}).Secret(test.credential); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("key", "api-key", "header", "X-Key", "login", "basic", "token", "basic", "")
	f.Add("", "bearer", "", "", "", "oauth2", "device", "", "u:p")
	f.Fuzz(func(t *testing.T, name, kind, in, field, name2, kind2, stored, stored2, environment string) {
		a := manifest.Scheme{Name: name, Type: manifest.SchemeType(kind), In: in, Field: field}
		b := manifest.Scheme{Name: name2, Type: manifest.SchemeType(kind2), In: in, Field: field}
		w := Wallet{popcorn, environment, map[string]Entry{"": {Kind: Kind(stored)}, name2: {Kind: Kind(stored2)}}}
		parts, err := w.Choose([][]manifest.Scheme{{a, b}, {b}})
		if (err == nil) != (len(parts) > 0) {
			t.Fatalf("%v, %v", parts, err)
		}
		places, accounts := map[string]bool{}, map[Account]bool{}
		for _, p := range parts {
			secret := p.Secret("s")
			place := strings.ToLower(string(secret.In) + " " + secret.Name)
			if secret.Check() != nil || places[place] || accounts[p.Account] {
				t.Fatalf("%+v cannot be carried", parts)
			}
			places[place], accounts[p.Account] = true, true
		}
	})
}
