package agentactions

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Parse reads a manifest (AA-1). host is the host that it was read from, without a port (AA-2). It fails only when the
// manifest is unusable as a whole, with a [*fault.Error] of kind [fault.Manifest] whose code is one of too_large, not_json,
// too_deep, duplicate_member, wrong_type, version_missing and version_unsupported. Any other fault is an issue of the site,
// and takes away at most one action or flow, which is still listed with its issue if its name is sound.
//
// Input schemas are not compiled here: that is for [ParseAction].
func Parse(doc []byte, host string) (*manifest.Site, error) {
	if err := manifest.CheckObject(doc, MaxBytes, "manifest"); err != nil {
		return nil, err
	}
	p := parser{site: &manifest.Site{Format: Format, FoldNames: true}}
	m := make(map[string]jsontext.Value)
	for name, value := range strictjson.SharedMembers(doc) {
		if value.Kind() != 'n' {
			m[name] = value
		}
	}
	if err := p.version(m["version"]); err != nil {
		return nil, err
	}
	grants := p.grants(m["auth"])
	p.links(m["endpoints"])
	if err := p.actions(m["actions"]); err != nil {
		return nil, err
	}
	if err := p.flows(m["flows"]); err != nil {
		return nil, err
	}
	for i := range p.site.Actions {
		action := &p.site.Actions[i]
		action.Grant = grants && (action.Scope != "" || action.Effect != manifest.Read) // AA-8
	}
	p.host(m["site"], host)
	p.conclude()
	return p.site, nil
}

// parser is one manifest while it is read.
type parser struct {
	site *manifest.Site
	more int // issues beyond MaxIssues
}

// keep takes over what was found wrong in a record. command is that of its action, if it is one.
func (p *parser) keep(r *record, command []string) {
	for _, issue := range r.issues {
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
		p.site.Issues = append(p.site.Issues, manifest.Issue{Code: "too_many_issues", Message: fmt.Sprintf("%d more issues are not listed", p.more)})
	}
}

func (p *parser) version(value jsontext.Value) error {
	version, known, err := readVersion(value)
	if err != nil {
		return err
	}
	p.site.Version = version
	if !known {
		p.flaw("/version", "version_unknown", "version %s is not known: what it adds to 0.1 is ignored", version)
	}
	return nil
}

// flaw records an issue of the site that takes nothing away.
func (p *parser) flaw(pointer, code, format string, args ...any) {
	r := record{}
	r.add(flaw, pointer, code, format, args...)
	p.keep(&r, nil)
}

// grants reads whether calls are made with grants (AA-8).
func (p *parser) grants(auth jsontext.Value) bool {
	r := record{pointer: "/auth"}
	for name, value := range strictjson.SharedMembers(auth) {
		if name == "type" {
			if r.text(flaw, name, value) == "agent-grant" {
				return true
			}
		}
	}
	if auth != nil {
		r.add(flaw, "", "auth_unknown", `the way to authenticate is not known: it should be {"type":"agent-grant"}`)
	}
	p.keep(&r, nil)
	return false
}

// host holds the site's name against the host that the manifest was read from. If it speaks for another one, only reading
// works (AA-2).
func (p *parser) host(value jsontext.Value, host string) {
	name, _ := strictjson.String(value)
	p.site.Name = name
	switch {
	case value == nil:
		p.flaw("/site", "site_missing", "the manifest does not say for which site it speaks")
	case !sameHost(name, host):
		p.flaw("/site", "site_mismatch", "the manifest of %q speaks for the site %q, so only its read actions work", fault.Word(host), fault.Word(name))
		issue := manifest.Issue{Code: "site_mismatch", Pointer: "/site", Message: fmt.Sprintf("the manifest speaks for another site, %q", fault.Word(name))}
		for i := range p.site.Actions {
			if action := &p.site.Actions[i]; action.Effect != manifest.Read && action.Issue == nil {
				action.Issue = &issue
			}
		}
	}
}

// links reads where receipts, refunds and the like live (AA-9): addresses, or objects with one in "url".
func (p *parser) links(endpoints jsontext.Value) {
	r := record{}
	if endpoints != nil && r.is('{', flaw, "endpoints", endpoints) {
		r.pointer = "/endpoints"
	}
	seen := 0
	for name, value := range strictjson.SharedMembers(endpoints) {
		if seen++; seen > MaxEndpoints {
			r.add(flaw, "", "too_many_endpoints", "only the first %d endpoints are read", MaxEndpoints)
			break
		}
		if value.Kind() == '{' {
			value, _ = strictjson.Member(value, "url")
		}
		if url := r.text(flaw, name, value); url != "" {
			p.site.Links = append(p.site.Links, manifest.Link{Name: name, URL: url})
		}
	}
	p.keep(&r, nil)
}

// list yields the elements of a top-level array. More than a limit, or no array at all, make the manifest unusable.
func list(name string, value jsontext.Value, limit int, each func(i int, value jsontext.Value)) error {
	if value == nil {
		return nil
	}
	if value.Kind() != '[' {
		e := fault.New(fault.Manifest, "wrong_type", "the %s of the manifest must be an array", name)
		e.Details = map[string]any{"pointer": "/" + name}
		return e
	}
	for i, element := range strictjson.SharedElements(value) {
		if i == limit {
			return fault.New(fault.Manifest, "too_large", "the manifest has more than %d %s", limit, name)
		}
		each(i, element)
	}
	return nil
}
