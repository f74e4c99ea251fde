package agentmanifest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest"
)

const found = "https://example.com/.well-known/agent-manifest.json"

// published is where the format's schema and examples lie: beside the project, or where AGENTCTL_SHARED says.
func published(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AGENTCTL_SHARED")
	if dir == "" {
		dir = "../../../../shared"
	}
	dir = filepath.Join(dir, "data", "agentmanifest")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the published data is not here: %v", err)
	}
	return dir
}

// examples are the published manifests, by file name.
func examples(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"base", "ecommerce", "minimal", "nextjs", "strapi", "woocommerce"} {
		doc, err := os.ReadFile(filepath.Join(published(t), "examples", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = doc
	}
	return out
}

// bindings tells for each capability of the examples how it is reached.
func expected() map[string][]string {
	return map[string][]string{
		"base":        {"read-site-summary static GET", "search-public-content static GET", "request-contact openapi "},
		"ecommerce":   {"search-products static GET", "prepare-checkout openapi ", "place-order hosted-checkout "},
		"minimal":     {"read-site-summary static GET"},
		"nextjs":      {"search-content static GET", "request-contact http POST", "prepare-transaction http POST"},
		"strapi":      {"search-public-content http GET", "read-entry http GET", "submit-lead http POST"},
		"woocommerce": {"search-products http GET", "check-availability http GET", "prepare-cart http POST", "place-order http POST"},
	}
}

func TestEveryPublishedExampleLoads(t *testing.T) {
	for name, doc := range examples(t) {
		t.Run(name, func(t *testing.T) {
			site, err := Parse(doc, found)
			if err != nil {
				t.Fatal(err)
			}
			if len(site.Issues) > 0 {
				t.Errorf("issues: %+v", site.Issues)
			}
			var got []string
			for _, s := range site.Actions {
				c, err := ParseAction(s, "")
				if err != nil {
					t.Errorf("%q: %v", s.Command, err)
					continue
				}
				got = append(got, c.ID+" "+c.Binding.Kind+" "+c.Method)
				requireReady(t, c)
			}
			if want := expected()[name]; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// requireReady holds a capability of an example to what a call needs.
func requireReady(t *testing.T, c *Capability) {
	t.Helper()
	external := c.Binding.SchemaMode == External && c.Binding.Kind == OpenAPI
	if (c.Input == nil && c.InputSchemaURL == "") != external {
		t.Errorf("%s: input %s, schema at %q, mode %s", c.ID, c.Input, c.InputSchemaURL, c.Binding.SchemaMode)
	}
	request, problems := c.Request(&manifest.Values{})
	if sends := c.Binding.Kind == HTTP || c.Binding.Kind == Static; sends != (request != nil) || sends != (len(problems) == 0) {
		t.Errorf("%s: request %+v, problems %v", c.ID, request, problems)
	}
}
