package input

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// checkWhole holds all arguments together against the schema of the whole.
func (c *call) checkWhole(values *manifest.Values) {
	failures, partly := c.failures(values)
	if c.reread(values, failures) {
		failures, partly = c.failures(values)
	}
	c.slow("", "")
	if partly {
		failures = slices.DeleteFunc(failures, c.mayFollow)
	}
	leaves := leaves(failures)
	for _, p := range problemsOf("", slices.DeleteFunc(slices.Clone(leaves), c.isStray)) {
		c.problem(p)
	}
	for _, f := range leaves {
		if c.isStray(f) {
			c.strays(f)
		}
	}
}

func (c *call) failures(values *manifest.Values) (failures []schema.Failure, partly bool) {
	object, partly := c.object(values)
	failures, c.err = c.set.whole.Check(jsontree.Parse(object), c.budget)
	return failures, partly
}

// reread reads texts as strings after all that were read as other JSON, where it turns out that only strings are valid. It
// is for members about which nothing was known when they were read: a pattern of names or a condition is about them.
func (c *call) reread(values *manifest.Values, failures []schema.Failure) bool {
	again := false
	for _, f := range failures {
		name := paramOf(f.Pointer)
		i, free := c.extras[name]
		if !free || f.Keyword != "type" || !f.Kinds.Any(schema.StringKind) || f.Pointer != c.params[i].pointer(nil) {
			continue
		}
		if texts := c.arguments[i].texts; len(texts) == 1 && len(texts[0].path) == 0 {
			values.Set(name, strictjson.Quote(texts[0].text))
			again = true
		}
	}
	return again
}

// object puts the arguments together. What was given but could not be read is there as null, so that it is not missing
// besides: then the object is only partly what was meant.
func (c *call) object(values *manifest.Values) (object jsontext.Value, partly bool) {
	whole := manifest.Values{}
	partly = c.unread
	for i := range c.params {
		value, given := values.Get(c.params[i].Name)
		if c.arguments[i].failed {
			value, given, partly = jsontext.Value("null"), true, true
		}
		if given {
			whole.Set(c.params[i].Name, value)
		}
	}
	return whole.Object(), partly
}

// mayFollow reports whether a failure may only follow from what could not be read, or be a second word about it.
func (c *call) mayFollow(f schema.Failure) bool {
	switch {
	case f.Pointer != "":
		return c.failed(paramOf(f.Pointer))
	case missingMembers(f) != nil || f.Keyword == "minProperties":
		return c.unread // nobody knows what is missing from a document that cannot be read
	case f.Keyword == "additionalProperties":
		return false
	}
	return true // a form that the whole has or has not
}

func (c *call) failed(name string) bool {
	i, ok := c.find(name)
	return ok && c.arguments[i].failed
}

// isStray reports whether a failure is about arguments that must not be there at all.
func (c *call) isStray(f schema.Failure) bool {
	return f.Pointer == "" && f.Keyword == "additionalProperties" || f.Keyword == "false" && strings.Count(f.Pointer, "/") == 1
}

// strays says of arguments that must not be there whether they exist at all.
func (c *call) strays(f schema.Failure) {
	names := f.Names
	if f.Pointer != "" {
		names = []string{paramOf(f.Pointer)}
	}
	for _, name := range names {
		pointer := jsontree.Pointer("", name)
		switch _, declared := c.set.index[name]; {
		case c.failed(name):
		case declared:
			c.problem(fault.Problem{Param: name, Pointer: pointer, Keyword: f.Keyword, Message: "is not allowed together with the others"})
		default:
			c.unknown(pointer, name)
		}
	}
}
