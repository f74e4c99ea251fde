package aep_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
)

func TestKeysAreKeptAndStaySecret(t *testing.T) {
	for _, algorithm := range []aep.Algorithm{aep.EdDSA, aep.ES256} {
		key := newKey(t, algorithm)
		text, err := key.PKCS8()
		must(t, err)
		back, err := aep.ParseKey(text)
		must(t, err)
		before, err := key.Public()
		must(t, err)
		after, err := back.Public()
		must(t, err)
		if before != after || back.Algorithm() != algorithm {
			t.Errorf("%+v became %+v", before, after)
		}
		who := aep.Identity{Agent: did(t, "did:web:id.example"), Key: key}
		printed := fmt.Sprintf("%v %+v %#v %s", key, who.Key, key, []aep.Key{key})
		if strings.Count(printed, string(algorithm)+" key") != 4 || len(printed) > 80 {
			t.Errorf("printed as %s", printed)
		}
	}
}

// The random bytes are what is handed in, so a key can be made again in a test, and the system can be asked elsewhere.
func TestKeysComeFromTheRandomBytes(t *testing.T) {
	seed := bytes.Repeat([]byte{7}, 32)
	key, err := aep.NewKey(aep.EdDSA, bytes.NewReader(seed))
	must(t, err)
	public, err := key.Public()
	must(t, err)
	want := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	if public.X != base64.RawURLEncoding.EncodeToString(want) {
		t.Errorf("got %s", public.X)
	}
	out := bytes.Repeat([]byte{0xFF}, 32) // beyond the order of P-256: the next bytes are taken
	key, err = aep.NewKey(aep.ES256, io.MultiReader(bytes.NewReader(out), bytes.NewReader(seed)))
	must(t, err)
	if key.Algorithm() != aep.ES256 {
		t.Error("no key")
	}
	for _, algorithm := range []aep.Algorithm{aep.EdDSA, aep.ES256} {
		if _, err := aep.NewKey(algorithm, bytes.NewReader(seed[:31])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("too few bytes: %v", err)
		}
	}
	if _, err := aep.NewKey("HS256", rand.Reader); err == nil {
		t.Error("a symmetric key was made")
	}
}

func TestKeysThatAreNotTaken(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	must(t, err)
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	good, err := newKey(t, aep.EdDSA).PKCS8()
	must(t, err)
	encode := func(kind string, key any) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		must(t, err)
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	for name, text := range map[string][]byte{
		"nothing": nil, "no PEM": []byte("secret"), "P-384": encode("PRIVATE KEY", p384), "RSA": encode("PRIVATE KEY", long),
		"another label": bytes.ReplaceAll(good, []byte("PRIVATE"), []byte("PUBLIC")), "cut": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("secret")}),
		"two": append(bytes.Clone(good), good...), "too large": append(bytes.Clone(good), bytes.Repeat([]byte("\n"), 5000)...),
	} {
		if _, err := aep.ParseKey(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// AEP-11: what is published is what is compared, whatever else there is.
func TestDocumentsOfAgents(t *testing.T) {
	for _, algorithm := range []aep.Algorithm{aep.EdDSA, aep.ES256} {
		who := aep.Identity{Agent: did(t, "did:web:id.example:a:k2f9"), Key: newKey(t, algorithm), Name: "k1"}
		doc, err := who.Document()
		must(t, err)
		must(t, who.CompareDocument(doc))
		text := string(doc)
		other := who
		other.Key = newKey(t, algorithm)
		if err := other.CompareDocument(doc); err == nil {
			t.Error("another key was taken")
		}
		other = who
		other.Name = "k2"
		if err := other.CompareDocument(doc); err == nil {
			t.Error("another name was taken")
		}
		relative := strings.ReplaceAll(text, `"did:web:id.example:a:k2f9#k1"`, `"#k1"`)
		must(t, who.CompareDocument([]byte(relative)))
		for name, bad := range map[string]string{
			"cut":                   text[:len(text)/2],
			"of another":            strings.Replace(text, `"id": "did:web:id.example:a:k2f9"`, `"id": "did:web:id.example:b"`, 1),
			"controlled by another": strings.Replace(text, `"controller": "did:web:id.example:a:k2f9"`, `"controller": "did:web:evil.example"`, 1),
			"no authentication":     strings.Replace(text, `"authentication"`, `"assertionMethod"`, 1),
			"no methods":            strings.Replace(text, `"verificationMethod"`, `"methods"`, 1),
			"null":                  "null",
		} {
			if bad == text {
				t.Fatalf("%s changes nothing", name)
			}
			if err := who.CompareDocument([]byte(bad)); err == nil {
				t.Errorf("%s was taken", name)
			}
		}
	}
}

// AEP-12: two agents below one DID have nothing in common but that.
func TestIdentitiesAreOpaque(t *testing.T) {
	below := did(t, "did:web:id.example:a")
	seen := map[string]bool{}
	for range 50 {
		who, err := aep.NewIdentity(below, aep.EdDSA, rand.Reader)
		must(t, err)
		path, ok := strings.CutPrefix(who.Agent.String(), "did:web:id.example:a:")
		if !ok || len(path) != 16 || seen[path] {
			t.Errorf("%s", who.Agent)
		}
		seen[path] = true
	}
}

func TestAssertionsAgainstTheRulesAreNotSigned(t *testing.T) {
	who := aep.Identity{Agent: did(t, "did:web:id.example"), Key: newKey(t, aep.EdDSA)}
	for name, change := range map[string]func(*aep.Assertion){
		"no resource":              func(a *aep.Assertion) { a.Resource = "" },
		"a resource for a command": func(a *aep.Assertion) { a.Op = aep.OpGrant },
		"no operation":             func(a *aep.Assertion) { a.Op = "" },
		"inspect":                  func(a *aep.Assertion) { a.Op, a.Resource = "inspect", "" },
		"plain http":               func(a *aep.Assertion) { a.Resource = "http://shop.example/" },
		"a fragment":               func(a *aep.Assertion) { a.Resource += "#x" },
		"no id":                    func(a *aep.Assertion) { a.ID = "" },
		"no service":               func(a *aep.Assertion) { a.Service = aep.DID{} },
		"another agent":            func(a *aep.Assertion) { a.Agent = a.Service },
		"too long":                 func(a *aep.Assertion) { a.Expires = a.Issued.Add(301 * time.Second) },
		"over at once":             func(a *aep.Assertion) { a.Expires = a.Issued },
		"backwards":                func(a *aep.Assertion) { a.Expires = a.Issued.Add(-time.Minute) },
	} {
		a := aep.Assertion{
			Agent: who.Agent, Service: did(t, shopDID), Op: aep.OpAuthenticate, Resource: "https://shop.example/", ID: "x",
			Issued: noon(), Expires: noon().Add(5 * time.Minute),
		}
		_, err := who.Sign(t.Context(), a)
		must(t, err)
		if change(&a); a.Op == "" && a.Resource == "" {
			t.Fatal(name)
		}
		if _, err := who.Sign(t.Context(), a); err == nil {
			t.Errorf("%s was signed", name)
		}
	}
}

// AEP-14: what is signed for is the URL as it goes over the wire.
func TestResourcesAreSignedAsSent(t *testing.T) {
	a := newActor(t)
	for resource, want := range map[string]string{
		"https://api.example.com":                      "https://api.example.com/",
		"https://API.example.com:443/v1/%C3%BC?b=1&a=": "https://api.example.com/v1/%C3%BC?b=1&a=",
		"https://api.example.com:8443?x":               "https://api.example.com:8443/?x",
		"https://other.example/x":                      "https://other.example/x",
	} {
		token, err := a.client.Sign(t.Context(), a.in, a.agent, resource)
		must(t, err)
		if got := claimsOf(t, token)["resource"]; got != want {
			t.Errorf("%s is signed as %v", resource, got)
		}
	}
	for _, resource := range []string{"", "/x", "http://api.example.com/", "https://u@api.example.com/", "https://api.example.com/#x"} {
		if _, err := a.client.Sign(t.Context(), a.in, a.agent, resource); err == nil {
			t.Errorf("%q was signed for", resource)
		}
	}
}

// AEP-36: a platform that signs something else is found out.
func TestSignaturesOfOthersAreLookedAt(t *testing.T) {
	who := aep.Identity{Agent: did(t, "did:web:p.example:a:1"), Key: newKey(t, aep.ES256)}
	asked := aep.Assertion{
		Agent: who.Agent, Service: did(t, shopDID), Op: aep.OpAuthenticate, Resource: "https://shop.example/", ID: "x",
		Issued: noon(), Expires: noon().Add(time.Minute),
	}
	token, err := who.Sign(t.Context(), asked)
	must(t, err)
	must(t, asked.CheckSigned(token, aep.ES256))
	for name, change := range map[string]func(*aep.Assertion){
		"another service":  func(a *aep.Assertion) { a.Service = did(t, "did:web:evil.example") },
		"another resource": func(a *aep.Assertion) { a.Resource = "https://shop.example/all" },
		"another id":       func(a *aep.Assertion) { a.ID = "y" },
		"a command":        func(a *aep.Assertion) { a.Op, a.Resource = aep.OpGrant, "" },
		"of later":         func(a *aep.Assertion) { a.Issued, a.Expires = a.Issued.Add(time.Minute), a.Expires.Add(time.Minute) },
	} {
		other := asked
		change(&other)
		token, err := who.Sign(t.Context(), other)
		must(t, err)
		if err := asked.CheckSigned(token, aep.ES256); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked.CheckSigned(token, aep.EdDSA) == nil || asked.CheckSigned("a.b.c", aep.ES256) == nil || asked.CheckSigned("", aep.ES256) == nil {
		t.Error("another algorithm, or no JWS, was taken")
	}
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT","kid":"did:web:p.example:a:1"}`)) + "." + strings.Split(token, ".")[1] + "."
	if asked.CheckSigned(none, aep.ES256) == nil {
		t.Error("an assertion without a signature was taken")
	}
}

func FuzzDocument(f *testing.F) {
	who := aep.Identity{Agent: did(f, "did:web:id.example"), Key: newKey(f, aep.EdDSA), Name: "k1"}
	doc, err := who.Document()
	must(f, err)
	f.Add(doc)
	f.Add([]byte(`{"id":"did:web:id.example","verificationMethod":[null,{"id":"#k1"}],"authentication":[{}]}`))
	public, err := who.Key.Public()
	must(f, err)
	f.Fuzz(func(t *testing.T, doc []byte) {
		if who.CompareDocument(doc) != nil {
			return
		}
		var taken struct {
			ID      string
			Methods []struct {
				Key aep.JWK `json:"publicKeyJwk"`
			} `json:"verificationMethod"`
		}
		must(t, json.Unmarshal(doc, &taken))
		for _, method := range taken.Methods {
			if taken.ID == who.Agent.String() && method.Key == public {
				return
			}
		}
		t.Errorf("taken: %s", doc)
	})
}

func FuzzKey(f *testing.F) {
	for _, algorithm := range []aep.Algorithm{aep.EdDSA, aep.ES256} {
		text, err := newKey(f, algorithm).PKCS8()
		must(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		key, err := aep.ParseKey(text)
		if err != nil {
			return
		}
		again, err := key.PKCS8()
		must(t, err)
		back, err := aep.ParseKey(again)
		must(t, err)
		if key.Algorithm() != back.Algorithm() {
			t.Error("another key")
		}
	})
}
