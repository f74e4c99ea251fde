package resource

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const (
	maxDetailFields     = 32
	maxDetailFieldBytes = 256
)

// readDetailFields reads what a terse document says that the full one has besides: the smallest parts that were left out,
// so each is absent here while what it would be in is present (ODP-39).
func readDetailFields(c *odp.Cursor) []string {
	list := c.Optional("detail_fields")
	if list == nil {
		return nil
	}
	fields := make([]string, 0, min(list.Len(), maxDetailFields))
	for _, element := range list.Elements(1, maxDetailFields) {
		field := element.Text(1, maxDetailFieldBytes)
		holder, present := locate(c.Node(), field)
		switch {
		case !element.Is('"'):
			continue
		case !validDetailField(field):
			element.Fail("must be a JSON Pointer of printable ASCII that begins with '/'")
		case field == "/odp_version":
			element.Fail("odp_version is never a detail field")
		case slices.Contains(fields, field):
			element.Fail("%q is there twice", field)
		case present:
			element.Fail("%q is present in this document", field)
		case holder == nil:
			element.Fail("%q is not the smallest part that is left out", field)
		}
		fields = append(fields, field)
	}
	return fields
}

// locate follows a JSON Pointer. holder is what the part would be in, nil when that is neither object nor array.
func locate(n *jsontree.Node, pointer string) (holder *jsontree.Node, present bool) {
	pointer = strings.TrimPrefix(pointer, "/")
	for n != nil {
		if n.Kind != '{' && n.Kind != '[' {
			return nil, false
		}
		token, rest, more := strings.Cut(pointer, "/")
		child := part(n, token)
		if !more {
			return n, child != nil
		}
		n, pointer = child, rest
	}
	return nil, false
}

func part(n *jsontree.Node, token string) *jsontree.Node {
	if n.Kind == '{' {
		if strings.IndexByte(token, '~') >= 0 {
			token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		}
		return n.Member(token)
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Items) {
		return n.Items[i]
	}
	return nil
}

// validDetailField reports whether a field is a JSON Pointer in printable ASCII, not in the form of a fragment.
func validDetailField(field string) bool {
	for i := range len(field) {
		if field[i] < ' ' || field[i] > '~' {
			return false
		}
		if field[i] == '~' && (i+1 == len(field) || field[i+1] != '0' && field[i+1] != '1') {
			return false
		}
	}
	return strings.HasPrefix(field, "/")
}

// CheckDetailFields holds a terse document against the full one: its detail_fields, if it has any, must name exactly the
// smallest parts that were left out, and the full one has none (ODP-39). What is in both is of one type (ODP-37). Values
// that changed meanwhile are no difference (ODP-38), and neither is a list of images cut to the first one (ODP-37).
func CheckDetailFields(terse, full *jsontree.Node) error {
	d := document{name: "the list of detail fields", code: "detail_fields_invalid"}
	whole := odp.NewCursor(full, d.code)
	if whole.Forbid("detail_fields"); whole.Failed() {
		return d.verdict(whole)
	}
	c := odp.NewCursor(terse, d.code)
	compareTypes(c, whole)
	claimed := readDetailFields(c)
	if claimed == nil || c.Failed() {
		return d.verdict(c)
	}
	list := c.Optional("detail_fields")
	missing := omitted(nil, "", terse, full)
	for _, field := range missing {
		if !slices.Contains(claimed, field) {
			list.Fail("%q is left out and not among them", field)
		}
	}
	for _, field := range claimed {
		if !slices.Contains(missing, field) && !strings.HasPrefix(field, "/images/") {
			list.Fail("%q is not in the full document", field)
		}
	}
	return d.verdict(c)
}

// compareTypes records a fault for what is of another type in the full document.
func compareTypes(terse, full *odp.Cursor) {
	node := terse.Node()
	for _, name := range node.Names {
		here, there := terse.Optional(name), full.Optional(name)
		switch {
		case there == nil:
		case typeOf(here.Node()) != typeOf(there.Node()):
			here.Fail("is of another type in the full document")
		case here.Is('{'):
			compareTypes(here, there)
		}
	}
}

// typeOf is the type of a value: true and false have one.
func typeOf(n *jsontree.Node) jsontext.Kind {
	if n.Kind == 'f' {
		return 't'
	}
	return n.Kind
}

// omitted appends the pointers of the smallest parts of full that terse has not.
func omitted(out []string, pointer string, terse, full *jsontree.Node) []string {
	for i, name := range full.Names {
		at := jsontree.Pointer(pointer, name)
		switch kept := terse.Member(name); {
		case at == "/odp_version":
		case kept == nil:
			out = append(out, at)
		case kept.Kind == '{' && full.Items[i].Kind == '{':
			out = omitted(out, at, kept, full.Items[i])
		}
	}
	return out
}
