package agentmanifest

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Parse reads a manifest. from is the absolute URL that it was found at, on the origin of the site. It fails only when the
// manifest is unusable as a whole, with a [*fault.Error] of kind [fault.Manifest] whose code is one of too_large, not_json,
// too_deep, duplicate_member, wrong_type, version_missing, version_unsupported and other_format: what is at from belongs to
// another format that uses the same place, and the manifest may be at the next one (AM-1). Any other fault is an issue of
// the site, and takes away at most one capability, which is still listed with its issue if its id is sound.
//
// Input schemas are not compiled here: that is for [ParseAction].
func Parse(doc []byte, from string) (*manifest.Site, error) {
	root, base, err := open(doc, from)
	if err != nil {
		return nil, err
	}
	capabilities := root.Member("capabilities")
	if capabilities.IsArray() && len(capabilities.Items) > MaxCapabilities {
		return nil, fault.New(fault.Manifest, "too_large", "the manifest has more than %d capabilities", MaxCapabilities)
	}
	p := parser{
		site:  &manifest.Site{Format: Format, Version: Version, FoldNames: true, Name: root.Member("identity").Member("name").Text()},
		rules: newRules(), base: base, claims: mismatch(root, base.Hostname()),
	}
	var r report
	p.rules.document(&r, "", root)
	if p.claims != "" {
		r.add("/identity/domain", "identity_mismatch", "the manifest of %q speaks for %q, so all but reading asks first", fault.Word(base.Hostname()), fault.Word(p.claims))
	}
	p.keep(r.issues, nil)
	p.links(root.Member("discovery"))
	if capabilities.IsArray() {
		p.capabilities(capabilities)
	}
	p.conclude()
	return p.site, nil
}

// open reads a document as far as it takes to know that it is a manifest.
func open(doc []byte, from string) (root *jsontree.Node, base *url.URL, err error) {
	base, err = url.Parse(from)
	if err != nil || base.Host == "" {
		return nil, nil, fault.New(fault.Internal, "internal", "%q is no absolute URL", fault.Word(from))
	}
	if err := manifest.CheckObject(doc, MaxBytes, "manifest"); err != nil {
		return nil, nil, err
	}
	root = jsontree.Parse(doc)
	version := root.Member("agentManifestVersion")
	switch {
	case version == nil && base.Path == sharedPlace:
		return nil, nil, fault.New(fault.Manifest, "other_format", "%s is not an AgentManifest: it has no agentManifestVersion", fault.Word(from))
	case version == nil:
		return nil, nil, fault.New(fault.Manifest, "version_missing", "the manifest does not say its version: \"agentManifestVersion\": %q", Version)
	case version.Text() != Version:
		shown := version.Text()
		if shown == "" {
			shown = string(version.Value())
		}
		return nil, nil, fault.New(fault.Manifest, "version_unsupported", "the version %q is not one that agentctl reads: %s", fault.Word(shown), Version)
	}
	return root, base, nil
}

// parser is one manifest while it is read.
type parser struct {
	site   *manifest.Site
	rules  rules
	base   *url.URL // where it was found
	claims string   // whom it speaks for, where that is another; else ""
	more   int      // issues beyond MaxIssues
}

// keep takes over issues. command is that of their capability, if they are of one.
func (p *parser) keep(issues []manifest.Issue, command []string) {
	for _, issue := range issues {
		if len(p.site.Issues) == MaxIssues {
			p.more++
			continue
		}
		issue.Command = command
		p.site.Issues = append(p.site.Issues, issue)
	}
}

func (p *parser) conclude() {
	if p.more > 0 {
		p.site.Issues = append(p.site.Issues, manifest.Issue{Code: "too_many_issues", Message: fmt.Sprintf("%d or more further issues are not listed", p.more)})
	}
}

// links takes over what the site names besides.
func (p *parser) links(discovery *jsontree.Node) {
	for _, name := range []string{"openapi", "mcp"} {
		if address := discovery.Member(name).Text(); address != "" {
			p.site.Links = append(p.site.Links, manifest.Link{Name: name, URL: address})
		}
	}
}

func (p *parser) capabilities(list *jsontree.Node) {
	count := make(map[string]int, len(list.Items))
	for _, n := range list.Items {
		count[manifest.Fold(idOf(n))]++
	}
	for i, n := range list.Items {
		var r report
		pointer := "/capabilities/" + strconv.Itoa(i)
		p.rules.capability(&r, pointer, n)
		id := idOf(n)
		switch {
		case id != "" && !manifest.ValidSegment(id):
			r.add(pointer+"/id", "name_invalid", "%q cannot be a command: it is longer than 64 characters", fault.Word(id))
			id = ""
		case id != "" && count[manifest.Fold(id)] > 1:
			r.add(pointer+"/id", "capability_duplicate", `the id %q is there more than once ("_" and "-" are the same)`, id)
		}
		if id == "" {
			p.keep(r.issues, nil)
			continue
		}
		p.site.Actions = append(p.site.Actions, p.capability(&r, pointer, id, n))
		p.keep(r.issues, []string{id})
	}
}

// idOf returns the id of a capability if it is one, or "".
func idOf(n *jsontree.Node) string {
	if id := n.Member("id").Text(); isName(id, idOthers) {
		return id
	}
	return ""
}

// capability makes the summary of a capability. What r holds before takes it away; what is added here may leave it usable.
func (p *parser) capability(r *report, pointer, id string, n *jsontree.Node) manifest.Summary {
	s := manifest.Summary{Format: Format, Command: []string{id}, Description: description(n), Definition: p.definition(n)}
	if len(r.issues) > 0 {
		s.Issue = issueOf(r.issues[0], id)
		return s
	}
	d := read(n, p.base)
	s.Effect, s.Risk, s.Consent = d.effect, d.risk, d.consent
	if d.consent != n.Member("consentMode").Text() {
		r.add(pointer+"/consentMode", "consent_weak", "it asks first all the same: the risk is %s, requiresConsent is %t", d.risk, d.requiresConsent)
	}
	chosen, err := d.choose("")
	if err != nil {
		r.add(pointer+"/bindings", err.Code, "%s", err.Message)
		s.Issue = issueOf(r.issues[len(r.issues)-1], id)
		return s
	}
	s.Method, s.Endpoint, s.Consent = chosen.Method, chosen.Published, d.asks(chosen, p.claims)
	return s
}

func issueOf(issue manifest.Issue, id string) *manifest.Issue {
	issue.Command = []string{id}
	return &issue
}

// description is what the capability says that it does; its name where it says nothing.
func description(n *jsontree.Node) string {
	if text := n.Member("description").Text(); text != "" {
		return text
	}
	return n.Member("name").Text()
}

// definition is what [ParseAction] needs: the capability, and what it takes from the document around it.
func (p *parser) definition(n *jsontree.Node) []byte {
	d := &jsontree.Node{Kind: '{'}
	d.Set("from", jsontree.String(p.base.String()))
	if p.claims != "" {
		d.Set("claims", jsontree.String(p.claims))
	}
	d.Set("capability", n)
	return d.Value()
}
