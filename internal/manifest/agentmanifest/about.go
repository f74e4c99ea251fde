package agentmanifest

import (
	"net/url"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// About is what a manifest tells of its site beside the capabilities (AM-19). All of it is the site's word.
type About struct {
	ID           string `json:"id,omitempty"`
	Status       string `json:"status,omitempty"` // "draft", "example", "experimental", "stable" or "deprecated"
	TemplateKind string `json:"templateKind,omitempty"`

	Name         string `json:"name,omitempty"`
	Domain       string `json:"domain,omitempty"`
	Owner        string `json:"owner,omitempty"`
	Contact      string `json:"contact,omitempty"`
	Jurisdiction string `json:"jurisdiction,omitempty"`
	// Mismatch is the domain, where it does not fit the host that the manifest was read from (AM-5).
	Mismatch string `json:"mismatch,omitempty"`

	Platform  Platform    `json:"platform"`
	Policies  []Policy    `json:"policies,omitempty"` // as published, in order
	Knowledge []Knowledge `json:"knowledge,omitempty"`
	Context   []string    `json:"llmContext,omitempty"` // absolute URLs
}

// Platform is what a site runs on.
type Platform struct {
	Type            string   `json:"type,omitempty"`
	Stack           []string `json:"stack,omitempty"`
	IntegrationMode string   `json:"integrationMode,omitempty"`
	ServingNotes    []string `json:"servingNotes,omitempty"`
}

// Policy is a rule of the site's, for people to read.
type Policy struct {
	Name string `json:"name"`
	Text string `json:"text"` // compact JSON where it is no string
}

// Knowledge is a public source.
type Knowledge struct {
	ID      string `json:"id"`
	Type    string `json:"type,omitempty"`
	Source  string `json:"source"` // as published
	URL     string `json:"url,omitempty"`
	Refresh string `json:"refresh,omitempty"`
	// CrossOrigin tells that it is on another origin: it is read without a credential, as every source.
	CrossOrigin bool   `json:"crossOrigin,omitempty"`
	Refused     string `json:"refused,omitempty"` // why it cannot be read; "" when it can
}

// ReadAbout reads what a manifest tells of its site. from is as for [Parse], and so are the errors. What breaks the schema is
// left out.
func ReadAbout(doc []byte, from string) (*About, error) {
	root, base, err := open(doc, from)
	if err != nil {
		return nil, err
	}
	identity, platform := root.Member("identity"), root.Member("platform")
	a := &About{
		ID: root.Member("id").Text(), Status: root.Member("status").Text(), TemplateKind: root.Member("templateKind").Text(),
		Name: identity.Member("name").Text(), Domain: identity.Member("domain").Text(), Owner: identity.Member("owner").Text(),
		Contact: identity.Member("contact").Text(), Jurisdiction: identity.Member("jurisdiction").Text(), Mismatch: mismatch(root, base.Hostname()),
		Platform: Platform{
			Type: platform.Member("type").Text(), Stack: texts(platform.Member("stack")),
			IntegrationMode: platform.Member("integrationMode").Text(), ServingNotes: texts(platform.Member("servingNotes")),
		},
		Policies: policies(root.Member("policies")),
	}
	if sources := root.Member("knowledge"); sources.IsArray() {
		for _, n := range sources.Items[:min(len(sources.Items), MaxKnowledge)] {
			if k, ok := knowledge(n, base); ok {
				a.Knowledge = append(a.Knowledge, k)
			}
		}
	}
	for _, address := range texts(root.Member("discovery").Member("llmContext")) {
		if to, err := resolve(address, base); err == nil {
			a.Context = append(a.Context, to)
		}
	}
	return a, nil
}

// Source returns the first source of knowledge that has an id.
func (a *About) Source(id string) (Knowledge, bool) {
	for _, k := range a.Knowledge {
		if k.ID == id {
			return k, true
		}
	}
	return Knowledge{}, false
}

func texts(list *jsontree.Node) []string {
	var out []string
	if list.IsArray() {
		for _, item := range list.Items {
			if text := item.Text(); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

func policies(n *jsontree.Node) []Policy {
	if n == nil || n.Kind != '{' {
		return nil
	}
	var out []Policy
	for i, name := range n.Names {
		text := n.Items[i].Text()
		if n.Items[i].Kind != '"' {
			text = string(n.Items[i].Value())
		}
		out = append(out, Policy{name, text})
	}
	return out
}

func knowledge(n *jsontree.Node, from *url.URL) (k Knowledge, ok bool) {
	k = Knowledge{ID: n.Member("id").Text(), Type: n.Member("type").Text(), Source: n.Member("source").Text(), Refresh: n.Member("refresh").Text()}
	to, err := resolve(k.Source, from)
	if err != nil {
		k.Refused = "its address " + err.Error()
	} else {
		k.URL, k.CrossOrigin = to, !SameOrigin(to, from.String())
	}
	return k, manifest.ValidSegment(k.ID)
}
