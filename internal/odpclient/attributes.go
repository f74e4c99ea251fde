package odpclient

import (
	"context"
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// maxJudges is how many schemas attributes are held against in one run. A list may have a million Offerings, each with a
// schema of its own, and every schema may be 16 documents (ODP-88, ODP-124).
const maxJudges = 16

// judges are schemas of attributes, or why there are none, by absolute URL. Nothing is asked for twice.
type judges struct {
	known map[string]judge
	full  bool // there were more, and it was said
}

type judge struct {
	schema *schema.Schema
	failed error
}

// CheckAttributes holds the attributes of a full Offering against their schema, fetched anonymously, and drops them where
// they do not match or cannot be judged; all else of the Offering stays (ODP-86, ODP-87). What was dropped is noted. Behind
// 16 schemas others are not looked at any more, and the attributes stay as they are, which is noted once. The error is that
// of ctx.
func (c *Client) CheckAttributes(ctx context.Context, o *resource.Offering) error {
	if o.Attributes == nil {
		return nil
	}
	j, ok := c.judgeOf(ctx, o.SchemaURL)
	if err := ctx.Err(); err != nil || !ok {
		return err
	}
	o.CheckAttributes(odp.Full, j.schema, j.failed)
	if o.Attributes == nil {
		issue := o.Issues[len(o.Issues)-1]
		issue.Message = fmt.Sprintf("the attributes of %q are left out: %s", o.ID, issue.Message)
		c.note(issue)
	}
	return nil
}

// judgeOf compiles a schema, once. ok is false for one too many.
func (c *Client) judgeOf(ctx context.Context, reference string) (j judge, ok bool) {
	if c.judges == nil {
		c.judges = &judges{known: map[string]judge{}}
	}
	url, err := resource.Follow(c.Service.Origin, reference)
	if err != nil {
		return judge{failed: err}, true
	}
	j, ok = c.judges.known[url]
	switch {
	case ok:
		return j, true
	case len(c.judges.known) == maxJudges:
		if !c.judges.full {
			c.judges.full = true
			c.note(odp.Issue{Code: "attributes_unchecked", Message: fmt.Sprintf("there are more than %d schemas: attributes of the others are not checked", maxJudges)})
		}
		return judge{}, false
	}
	j.schema, j.failed = c.graph(ctx, url).Compile()
	c.judges.known[url] = j
	return j, true
}

// judged puts the judgement of attributes before use, where items are full ones.
func (c *Client) judged(ctx context.Context, w Wanted, use func(resource.Item[*resource.Offering]) error) func(resource.Item[*resource.Offering]) error {
	if !w.Full {
		return use // terse attributes are never judged (ODP-86)
	}
	return func(item resource.Item[*resource.Offering]) error {
		had := item.Value.Attributes != nil
		if err := c.CheckAttributes(ctx, item.Value); err != nil {
			return err
		}
		if had && item.Value.Attributes == nil {
			DropAttributes(item.Node)
		}
		return use(item)
	}
}

// DropAttributes takes the attributes out of an Offering as it came: whoever reads it takes them for valid (ODP-87).
func DropAttributes(offering *jsontree.Node) {
	dropMember(offering, "attributes")
}
