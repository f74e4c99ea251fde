package interagentic

import (
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// ParseIndex reads an index (IA-8). It fails only when the document is unusable as a whole, with a [*fault.Error] of kind
// [fault.Manifest] whose code is one of too_large, not_json, too_deep, duplicate_member and wrong_type. Any other fault
// is an issue of the site, and takes away at most one action or group: an action whose command is sound is listed with
// its issue, so that calling it can tell why it does not work.
func ParseIndex(doc []byte) (*manifest.Site, error) {
	r, err := open(doc, MaxIndexBytes)
	if err != nil {
		return nil, err
	}
	x := indexReader{reader: r, site: &manifest.Site{Format: Format}}
	if err := x.read(); err != nil {
		return nil, err
	}
	x.site.Issues = r.issues()
	return x.site, nil
}

type indexReader struct {
	*reader
	site *manifest.Site
}

func (x *indexReader) read() error {
	var (
		base *manifest.Issue
		err  error
	)
	for name := range x.object(fatal) {
		switch name {
		case "name":
			x.set(&x.site.Name)
		case "description":
			x.set(&x.site.Description)
		case "version":
			x.set(&x.site.Version)
		case "auth":
			x.auth()
		case "baseUrl":
			base = x.baseURL()
		case "groups":
			err = x.groups()
		case "actions":
			err = x.actions()
		default:
			x.skip()
		}
		if err != nil {
			return err
		}
	}
	if base != nil { // nobody knows where the endpoints are
		for i := range x.site.Actions {
			if action := &x.site.Actions[i]; action.Issue == nil {
				action.Issue = base
			}
		}
	}
	return nil
}

// auth reads the way to authenticate. There is one; with another, calls may be refused.
func (x *indexReader) auth() {
	if auth, ok := x.text(flaw); ok && auth != "interagentic" {
		x.add(flaw, "auth_unknown", "%q is not a known way to authenticate", fault.Word(auth))
	}
}

// baseURL reads what endpoints are joined to. It returns why it is unusable, or nil.
func (x *indexReader) baseURL() *manifest.Issue {
	mark := len(x.found)
	base, _ := x.text(fatal)
	if bad := checkBase(base); bad != nil {
		x.add(fatal, bad.code, "the baseUrl %s", bad.message)
	}
	if issue := x.worst(mark); issue != nil {
		kept := *issue
		return &kept
	}
	x.site.BaseURL = base
	return nil
}

func (x *indexReader) groups() error {
	seen := make(map[string]bool)
	for i := range x.array(flaw) {
		if i == MaxGroups {
			return fault.New(fault.Manifest, "too_large", "the index has more than %d groups", MaxGroups)
		}
		group, ok := x.group()
		switch {
		case !ok:
		case seen[joined(group.Command)]:
			x.add(flaw, "group_duplicate", "the group %q is there twice, the first one counts", joined(group.Command))
		default:
			seen[joined(group.Command)] = true
			x.site.Groups = append(x.site.Groups, group)
		}
	}
	return nil
}

func (x *indexReader) group() (group manifest.Group, ok bool) {
	mark := len(x.found)
	for name := range x.object(fatal) {
		switch name {
		case "command":
			group.Command = x.command()
		case "description":
			x.set(&group.Description)
		default:
			x.skip()
		}
	}
	return group, x.requireCommand(group.Command, mark)
}

// requireCommand reports whether a group or an action, whose findings begin at mark, has a sound command.
func (x *indexReader) requireCommand(command []string, mark int) bool {
	if command == nil && x.worst(mark) == nil {
		x.add(fatal, "command_missing", "%s has no command", lastName(x.at()))
	}
	return command != nil
}

func (x *indexReader) actions() error {
	if kind := x.d.PeekKind(); kind != '[' && kind != 'n' {
		e := fault.New(fault.Manifest, "wrong_type", "the actions of the index must be an array")
		e.Details = map[string]any{"pointer": "/actions"}
		return e
	}
	first := make(map[string]bool)
	for i := range x.array(fatal) {
		if i == MaxActions {
			return fault.New(fault.Manifest, "too_large", "the index has more than %d actions", MaxActions)
		}
		mark := len(x.found)
		action := x.action()
		if !x.requireCommand(action.Command, mark) {
			continue
		}
		if key := joined(action.Command); first[key] {
			x.add(fatal, "command_duplicate", "the command %q is there twice, the first one counts", key)
		} else {
			first[key] = true
		}
		x.conclude(&action, mark)
		x.site.Actions = append(x.site.Actions, action)
	}
	return nil
}

// conclude gives the findings from mark on to the action.
func (x *indexReader) conclude(action *manifest.Summary, mark int) {
	for i := mark; i < len(x.found); i++ {
		x.found[i].Command = action.Command
	}
	if issue := x.worst(mark); issue != nil {
		kept := *issue // not the one in found, which moves when that grows
		action.Issue = &kept
	}
}

func (x *indexReader) action() manifest.Summary {
	var (
		action manifest.Summary
		price  price
	)
	for name := range x.object(fatal) {
		switch name {
		case "command":
			action.Command = x.command()
		case "endpoint":
			action.Endpoint = x.endpoint()
		case "method":
			action.Method = x.method()
		case "description":
			x.set(&action.Description)
		case "role":
			x.set(&action.Role)
		case "payment":
			price = x.payment()
		default:
			x.skip()
		}
	}
	if price.cost != nil {
		action.Payment = price.cost.Mode
	}
	action.Effect = effectOf(action.Method, price.spends)
	return action
}
