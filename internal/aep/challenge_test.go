package aep_test

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
)

func params(pairs ...string) (list []aep.Param) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, aep.Param{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

const (
	shopDID     = "did:web:shop.example"
	shopInspect = "https://shop.example/.well-known/aep"
)

func TestChallenges(t *testing.T) {
	for name, c := range map[string]struct {
		scheme string
		params []aep.Param
		leads  bool
	}{
		"both parameters":            {"AEP", params("service_did", shopDID, "inspect", shopInspect), true},
		"names in any case":          {"aep", params("Service_DID", shopDID, "INSPECT", shopInspect), true},
		"with a reason and more":     {"AEP", params("reason", "authentication_required", "x", "y", "service_did", shopDID, "inspect", shopInspect), true},
		"only a reason":              {"AEP", params("reason", "authentication_required"), false},
		"only a DID":                 {"AEP", params("service_did", shopDID), false},
		"only a document":            {"AEP", params("inspect", shopInspect), false},
		"an empty DID":               {"AEP", params("service_did", "", "inspect", shopInspect), false},
		"an empty document":          {"AEP", params("service_did", shopDID, "inspect", ""), false},
		"nothing":                    {"AEP", nil, false},
		"a DID that is for Inspect":  {"AEP", params("service_did", "did:key:x", "inspect", shopInspect), true},
		"a document on another port": {"AEP", params("service_did", shopDID, "inspect", "https://shop.example:8443/x?y=z"), true},
	} {
		got, err := aep.ParseChallenge(c.scheme, c.params)
		if err != nil || got.Leads() != c.leads {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, c := range map[string]struct {
		scheme string
		params []aep.Param
	}{
		"another scheme":       {"Bearer", params("service_did", shopDID, "inspect", shopInspect)},
		"a DID twice":          {"AEP", params("service_did", shopDID, "inspect", shopInspect, "service_did", shopDID)},
		"a document twice":     {"AEP", params("inspect", shopInspect, "Inspect", shopInspect)},
		"a reason twice":       {"AEP", params("reason", "a", "reason", "b")},
		"an unknown one twice": {"AEP", params("x", "a", "x", "a")},
		"plain http":           {"AEP", params("service_did", shopDID, "inspect", "http://shop.example/x")},
		"loopback http":        {"AEP", params("service_did", shopDID, "inspect", "http://localhost/x")},
		"a relative document":  {"AEP", params("service_did", shopDID, "inspect", "/.well-known/aep")},
		"no scheme":            {"AEP", params("service_did", shopDID, "inspect", "//shop.example/x")},
		"a user name":          {"AEP", params("service_did", shopDID, "inspect", "https://shop.example@evil.example/x")},
		"a fragment":           {"AEP", params("service_did", shopDID, "inspect", shopInspect+"#x")},
		"an empty fragment":    {"AEP", params("service_did", shopDID, "inspect", shopInspect+"#")},
		"no host":              {"AEP", params("service_did", shopDID, "inspect", "https:///x")},
		"only a port":          {"AEP", params("service_did", shopDID, "inspect", "https://:443/x")},
		"a line break":         {"AEP", params("service_did", shopDID, "inspect", "https://shop.example/\n")},
	} {
		_, err := aep.ParseChallenge(c.scheme, c.params)
		if err == nil {
			t.Errorf("%s was taken", name)
			continue
		}
		wantFault(t, err, fault.Auth, "challenge_invalid")
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add("AEP", "service_did", shopDID, "inspect", shopInspect)
	f.Add("aep", "inspect", "https://[::1]:8443/%2e%2e/?#", "inspect", "x")
	f.Fuzz(func(t *testing.T, scheme, name1, value1, name2, value2 string) {
		c, err := aep.ParseChallenge(scheme, params(name1, value1, name2, value2))
		if err != nil {
			wantFault(t, err, fault.Auth, "challenge_invalid")
			return
		}
		if c.Leads() && !strings.EqualFold(c.Inspect[:len("https://")], "https://") {
			t.Errorf("leads to %q", c.Inspect)
		}
	})
}
