package aep_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// vector is one case of the protocol's published test vectors.
type vector struct {
	ID        string         `json:"id"`
	Category  string         `json:"category"`
	AppliesTo []string       `json:"applies_to"`
	Input     jsontext.Value `json:"input"`
	Expected  jsontext.Value `json:"expected"`
}

// into decodes a part of a vector.
func into[T any](t *testing.T, raw jsontext.Value) (v T) {
	t.Helper()
	must(t, json.Unmarshal(raw, &v))
	return v
}

// published reads the vectors for agents, which lie beside the project; AGENTCTL_SHARED says where else.
func published(t *testing.T) []vector {
	t.Helper()
	shared := os.Getenv("AGENTCTL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	var vectors []vector
	root := filepath.Join(shared, "data", "aep", "test-vectors")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		v := into[vector](t, text)
		if slices.Contains(v.AppliesTo, "agent") {
			vectors = append(vectors, v)
		}
		return nil
	})
	if err != nil {
		t.Skipf("no published vectors: %v", err)
	}
	return vectors
}

func TestVectors(t *testing.T) {
	runners := vectorRunners()
	vectors := published(t)
	for _, v := range vectors {
		name := v.Category + "/" + v.ID
		t.Run(name, func(t *testing.T) {
			run := runners[name]
			if run == nil {
				run = runners[v.Category]
			}
			if run == nil {
				t.Fatal("nothing runs this vector")
			}
			run(t, v)
		})
	}
	t.Logf("%d vectors for agents", len(vectors))
}

// vectorRunners are what runs a vector, by its name or, where all of a category are alike, by that.
func vectorRunners() map[string]func(*testing.T, vector) {
	return map[string]func(*testing.T, vector){
		"caching/public-discovery-cache":                       cachingVector,
		"claims":                                               claimsVector,
		"client-assertion/enroll-claims":                       assertionVector,
		"credentials/api-key/grant-response":                   credentialVector,
		"credentials/basic/grant-response":                     credentialVector,
		"credentials/oauth-bearer/grant-response":              credentialVector,
		"enroll/request-claims-catalog":                        enrollVector,
		"enroll/request-minimal":                               enrollVector,
		"errors":                                               errorVector,
		"grant-revoke/grant-before-enroll-rejected":            grantBeforeEnrollVector,
		"grant-revoke/grant-request-oauth-bearer":              grantVector,
		"grant-revoke/revoke-request-all-grant-types":          revokeVector,
		"inspect/claims-catalog-advertisement":                 inspectVector,
		"inspect/minimal-http":                                 inspectVector,
		"inspect/service-did-origin-binding":                   bindingVector,
		"openapi/path-matching":                                pathMatchingVector,
		"openapi/security-inheritance":                         securityVector,
		"platform/discovery":                                   platformDiscoveryVector,
		"platform/idempotency-replay-conflict":                 platformConflictVector,
		"platform/lifecycle-request":                           lifecycleVector,
		"platform/lifecycle-response":                          hostedVector,
		"platform/list-response":                               hostedListVector,
		"platform/provision-request":                           provisionVector,
		"platform/provision-response":                          hostedVector,
		"platform/provision-response-distinct-services":        distinctVector,
		"platform/sign-request":                                signRequestVector,
		"platform/sign-response-pending":                       signPendingVector,
		"protected-resource/api-key-wrong-header-rejected":     wrongHeaderVector,
		"protected-resource/assertion-and-credential-failures": failuresVector,
		"protected-resource/authenticate-assertion":            authenticateVector,
		"protected-resource/authorization-ambiguity":           ambiguityVector,
		"protected-resource/authorization-carriers":            carriersVector,
		"protected-resource/authorization-field-safety":        fieldSafetyVector,
		"protected-resource/authorization-payment-composition": compositionVector,
		"protected-resource/credential-presentations":          presentationsVector,
		"status": statusVector,
	}
}
