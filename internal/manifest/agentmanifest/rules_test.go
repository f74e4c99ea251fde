package agentmanifest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// judges are the published JSON Schema of the document, and of a capability.
type judges struct{ document, capability *schema.Schema }

func publishedSchema(t testing.TB) judges {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(published(t), "schema", "agent-manifest.v0.1.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	compile := func(n *jsontree.Node) *schema.Schema {
		compiled, err := schema.Compile(n.Value())
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	}
	whole := jsontree.Parse(raw)
	part := &jsontree.Node{Kind: '{'}
	part.Set("$ref", jsontree.String("#/$defs/capability"))
	part.Set("$defs", whole.Member("$defs"))
	return judges{compile(whole), compile(part)}
}

func accepts(t testing.TB, s *schema.Schema, n *jsontree.Node) bool {
	t.Helper()
	ok, err := s.Accepts(n, schema.NewBudget(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// faults are ours: of the document, and of each capability.
func faults(n *jsontree.Node) (document report, capabilities []report) {
	all := newRules()
	all.document(&document, "", n)
	if list := n.Member("capabilities"); list.IsArray() {
		capabilities = make([]report, len(list.Items))
		for i, c := range list.Items {
			all.capability(&capabilities[i], "", c)
		}
	}
	return document, capabilities
}

// requireSameJudgement holds our rules to the published schema, for the document and for each of its capabilities.
func (j judges) requireSameJudgement(t *testing.T, change string, n *jsontree.Node) {
	t.Helper()
	document, capabilities := faults(n)
	ours := len(document.issues) == 0
	for i, r := range capabilities {
		sound := len(r.issues) == 0
		ours = ours && sound
		if theirs := accepts(t, j.capability, n.Member("capabilities").Items[i]); theirs != sound {
			t.Errorf("%s: the schema accepts capability %d: %t; ours: %+v", change, i, theirs, r.issues)
		}
	}
	if theirs := accepts(t, j.document, n); theirs != ours {
		t.Errorf("%s: the schema accepts the document: %t; ours: %+v", change, theirs, document.issues)
	}
}

// strangers are values that may stand anywhere.
func strangers() []string {
	return []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `1.0`, `1.5`, `2e3`, `1e400`, `""`, `"x"`, `"X y"`, `"é"`, `"a.b_c-d"`, `"-a"`, `"a_b"`,
		`"/x"`, `"//x"`, `"./x"`, `"../x"`, `".../x"`, `"https://a.example/b"`, `"https:// a"`, `"mailto:a@b"`, `[]`, `{}`, `[""]`, `["a","a"]`, `[1,1]`, `{"a":1}`,
		`"critical"`, `"transaction"`, `"none"`, `"explicit"`, `"0.1-draft"`, `"GET"`, `"get"`,
	}
}

// mutate calls each for many documents that differ from one in a single place.
func mutate(root *jsontree.Node, values []*jsontree.Node, each func(change string)) {
	var walk func(pointer string, n *jsontree.Node)
	walk = func(pointer string, n *jsontree.Node) {
		for i, item := range n.Items {
			at := jsontree.Pointer(pointer, n.Token(i))
			for _, value := range values {
				n.Items[i] = value
				each(at + " becomes " + string(value.Value()))
			}
			n.Items[i] = item
			walk(at, item)
			names, items := n.Names, n.Items
			if n.Kind == '{' {
				n.Names = slices.Delete(slices.Clone(names), i, i+1)
			}
			n.Items = slices.Delete(slices.Clone(items), i, i+1)
			each(at + " goes")
			n.Names, n.Items = names, items
		}
	}
	walk("", root)
}

func TestOurRulesAreThoseOfThePublishedSchema(t *testing.T) {
	judges := publishedSchema(t)
	var all []*jsontree.Node
	for _, text := range strangers() {
		all = append(all, jsontree.Parse(jsontext.Value(text)))
	}
	changes := 0
	check := func(doc []byte, values []*jsontree.Node) {
		root := jsontree.Parse(doc)
		judges.requireSameJudgement(t, "as published", root)
		mutate(root, values, func(change string) {
			changes++
			judges.requireSameJudgement(t, change, root)
		})
	}
	check([]byte(full), all)
	for _, doc := range examples(t) {
		check(doc, all[:1])
	}
	if changes < 5000 {
		t.Errorf("only %d changes", changes)
	}
}

func TestRequiredMembersMayBeAnythingElseWhereTheSchemaAllowsIt(t *testing.T) {
	judges := publishedSchema(t)
	for _, pair := range [][2]string{ // two changes at once: what is grave, and how it asks
		{`"risk": "high"`, `"risk": "critical"`},
		{`"type": "action"`, `"type": "transaction"`},
	} {
		for _, weak := range [][2]string{
			{`"consentMode": "step_up"`, `"consentMode": "implicit"`},
			{`"consentMode": "step_up"`, `"consentMode": "explicit"`},
			{`"stateChange": true, "consentMode": "step_up"`, `"stateChange": false, "consentMode": "step_up"`},
			{`"consentMode": "step_up", "requiresConsent": true`, `"consentMode": "step_up", "requiresConsent": false`},
			{`"consentMode": "step_up", "requiresConsent": true`, `"consentMode": 1`},
		} {
			doc := strings.Replace(strings.Replace(full, pair[0], pair[1], 1), weak[0], weak[1], 1)
			judges.requireSameJudgement(t, pair[1]+" "+weak[1], jsontree.Parse(jsontext.Value(doc)))
		}
	}
}

func BenchmarkParse(b *testing.B) {
	capability := full[strings.Index(full, `{
      "id": "find_tools"`):strings.Index(full, `,
    {
      "id": "borrow"`)]
	var doc bytes.Buffer
	doc.WriteString(full[:strings.Index(full, `"capabilities": [`)] + `"capabilities": [` + capability)
	for i := range 2000 {
		doc.WriteString("," + strings.Replace(capability, "find_tools", "find-"+string(rune('a'+i%26))+strings.Repeat("x", 1+i%40), 1))
	}
	doc.WriteString(`], "x":1}`)
	b.SetBytes(int64(doc.Len()))
	for b.Loop() {
		if _, err := Parse(doc.Bytes(), found); err != nil {
			b.Fatal(err)
		}
	}
}
