package schema

import "github.com/agentctl/agentctl/internal/schema/jsontree"

func (c *check) object(rules *objectRules, n *jsontree.Node, seen []bool) bool {
	ok := c.counts(rules.counts, len(n.Items))
	if c.goesOn(ok) {
		ok = c.needs(rules.required, n, Failure{Keyword: "required"}) && ok
	}
	for _, d := range rules.dependent {
		if c.goesOn(ok) && c.has(n, d.name) {
			ok = c.needs(d.needs, n, Failure{Keyword: d.keyword, Text: d.name}) && ok
		}
	}
	if c.goesOn(ok) {
		ok = c.members(rules, n, seen) && ok
	}
	if rules.names != nil && c.goesOn(ok) {
		ok = c.names(rules.names, n) && ok
	}
	for _, d := range rules.schemas {
		if c.goesOn(ok) && c.has(n, d.Name) {
			ok = c.schema(d.Schema, n, seen) && ok
		}
	}
	return ok
}

// has looks for a member. Names are compared one by one, which is paid for.
func (c *check) has(n *jsontree.Node, name string) bool {
	return c.spend(1+len(n.Names)/8) && n.Member(name) != nil
}

// needs fails with the members that are missing.
func (c *check) needs(names []string, n *jsontree.Node, f Failure) bool {
	for _, name := range names {
		if c.has(n, name) {
			continue
		}
		if f.Names = append(f.Names, name); !c.goesOn(false) || len(f.Names) == maxNames {
			break
		}
	}
	return len(f.Names) == 0 || c.fail(f)
}

func (c *check) members(rules *objectRules, n *jsontree.Node, seen []bool) bool {
	if rules.properties == nil && rules.patterns == nil && rules.additional == nil {
		return true
	}
	if !c.spend(len(n.Names) / 2) {
		return false
	}
	ok := true
	var unknown []string
	for i, name := range n.Names {
		holds, known := c.member(rules, n, i)
		if !known && rules.additional != nil {
			known = true
			if rules.additional.never {
				if holds = false; len(unknown) < maxNames {
					unknown = append(unknown, name)
				}
			} else {
				holds = c.item(rules.additional, n, i)
			}
		}
		if known {
			markOne(seen, i)
		}
		if ok = ok && holds; !c.goesOn(ok) {
			return false
		}
	}
	if unknown != nil {
		return c.fail(Failure{Keyword: "additionalProperties", Names: unknown})
	}
	return ok
}

// member judges a member by what is said about its name, if anything is.
func (c *check) member(rules *objectRules, n *jsontree.Node, i int) (ok, known bool) {
	ok = true
	if s := rules.property(n.Names[i]); s != nil {
		ok, known = c.item(s, n, i), true
	}
	for _, p := range rules.patterns {
		if !c.goesOn(ok) {
			return false, true
		}
		if c.match(p.names, n.Names[i]) {
			ok, known = c.item(p.schema, n, i) && ok, true
		}
	}
	return ok, known
}

func (o *objectRules) property(name string) *Schema {
	if o.index != nil {
		return o.index[name]
	}
	for _, p := range o.properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

func (c *check) names(s *Schema, n *jsontree.Node) bool {
	ok := true
	for _, name := range n.Names {
		if !c.holds(s, jsontree.String(name), nil) {
			ok = c.fail(Failure{Keyword: "propertyNames", Text: name})
		}
		if !c.goesOn(ok) {
			return false
		}
	}
	return ok
}
