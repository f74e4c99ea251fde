package agentmanifest

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func capability(t testing.TB, doc, id, binding string) *Capability {
	t.Helper()
	c, err := ParseAction(action(t, parse(t, doc), id), binding)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheBestBindingIsTaken(t *testing.T) {
	for name, test := range map[string]struct {
		change []string
		choice string
		want   string // kind and URL
	}{
		"the lowest priority":          {nil, "", "http https://shed.example/api/tools"},
		"one that was chosen":          {nil, "html", "html https://shed.example/tools"},
		"a fallback that was chosen":   {nil, "static", "static https://shed.example/tools.json"},
		"the first of equals":          {[]string{`"priority": 3`, `"priority": 1`}, "", "html https://shed.example/tools"},
		"a fallback comes last":        {[]string{`"kind": "http"`, `"kind": "soap"`}, "", "html https://shed.example/tools"},
		"a fallback is better than no": {[]string{`"kind": "http"`, `"kind": "soap"`, `"kind": "html"`, `"kind": "gopher"`}, "", "static https://shed.example/tools.json"},
		"a huge priority":              {[]string{`"priority": 1`, `"priority": 1e300`}, "", "html https://shed.example/tools"},
	} {
		t.Run(name, func(t *testing.T) {
			c := capability(t, edit(t, test.change...), "find_tools", test.choice)
			if got := c.Binding.Kind + " " + c.Binding.URL; got != test.want || len(c.Bindings) != 3 {
				t.Errorf("got %q of %d, want %q", got, len(c.Bindings), test.want)
			}
		})
	}
}

func TestWhyABindingCannotBeUsed(t *testing.T) {
	const (
		finds   = `{"kind": "http", "endpoint": "/api/tools", "priority": 1, "schemaMode": "inherits", "method": "GET", "contentType": "application/json"}`
		borrows = `{"kind": "http", "endpoint": "/api/borrow", "method": "POST", "priority": 3, "schemaMode": "overrides", "inputSchema": {"type": "object"}, "outputSchema": "/schemas/other.json"}`
	)
	for name, test := range map[string]struct{ id, old, binding, want string }{
		"an unknown kind":                {"find_tools", finds, `{"kind":"soap"}`, `agentctl does not know this kind`},
		"http without an endpoint":       {"find_tools", finds, `{"kind":"http","url":"/x"}`, `it has no "endpoint"`},
		"openapi without a document":     {"find_tools", finds, `{"kind":"openapi","operationId":"x"}`, `it has no "spec"`},
		"mcp without a server":           {"find_tools", finds, `{"kind":"mcp","tool":"x"}`, `it has no "server"`},
		"mcp without a tool":             {"find_tools", finds, `{"kind":"mcp","server":"/mcp"}`, `it has no "tool"`},
		"a file without an address":      {"find_tools", finds, `{"kind":"static"}`, `it has no "url"`},
		"a file that changes something":  {"borrow", borrows, `{"kind":"static","url":"/x"}`, `it only fetches something, but the capability changes something`},
		"a page that is posted to":       {"find_tools", finds, `{"kind":"html","url":"/x","method":"POST"}`, `its method is POST, but it can only be fetched`},
		"a checkout that is posted to":   {"borrow", borrows, `{"kind":"hosted-checkout","url":"/x","method":"POST"}`, `its method is POST, but it can only be fetched`},
		"deleting that changes nothing":  {"find_tools", finds, `{"kind":"http","endpoint":"/x","method":"DELETE"}`, `its method is DELETE, but the capability says that it changes nothing`},
		"a script":                       {"find_tools", finds, `{"kind":"html","url":"javascript:alert(1)"}`, `its url "javascript:alert(1)" must not have the scheme "javascript"`},
		"a file of this machine":         {"find_tools", finds, `{"kind":"static","url":"file:///etc/passwd"}`, `its url "file:///etc/passwd" must not have the scheme "file"`},
		"another host by a double slash": {"find_tools", finds, `{"kind":"http","endpoint":"//evil.example/x"}`, `its endpoint "//evil.example/x" must not begin with "//"`},
		"a backslash":                    {"find_tools", finds, `{"kind":"http","endpoint":"/\\evil.example/x"}`, `its endpoint "/\\evil.example/x" must not hold spaces, control characters or "\"`},
		"user information":               {"find_tools", finds, `{"kind":"http","endpoint":"https://me:you@shed.example/x"}`, `its endpoint "https://me:you@shed.example/x" must not hold user information`},
		"plain HTTP":                     {"find_tools", finds, `{"kind":"http","endpoint":"http://shed.example/x"}`, `its endpoint "http://shed.example/x" must begin with https://`},
		"a body of another type":         {"borrow", borrows, `{"kind":"http","endpoint":"/x","method":"POST","contentType":"multipart/form-data"}`, `agentctl makes no body of the content type "multipart/form-data"`},
		"a body with a header in it":     {"borrow", borrows, `{"kind":"http","endpoint":"/x","method":"POST","contentType":"application/json\r\nX: y"}`, `agentctl makes no body of the content type "application/json\r\nX: y"`},
		"mapped without a mapping":       {"find_tools", finds, `{"kind":"http","endpoint":"/x","schemaMode":"mapped"}`, `it is mapped, but has no mapping`},
		"a mapping that leads nowhere":   {"find_tools", finds, `{"kind":"http","endpoint":"/x","schemaMode":"mapped","inputMapping":"data:x"}`, `its inputMapping "data:x" must not have the scheme "data"`},
		"a credential for another site":  {"borrow", borrows, `{"kind":"http","endpoint":"https://other.example/x"}`, `it is on another origin, to which the credential that it needs is not sent`},
	} {
		t.Run(name, func(t *testing.T) {
			binding := strings.TrimSuffix(test.binding, "}") + `,"priority":1`
			if !strings.Contains(binding, "schemaMode") {
				binding += `,"schemaMode":"none"`
			}
			kind := strings.Split(test.binding, `"`)[3]
			_, err := ParseAction(action(t, parse(t, edit(t, test.old, binding+"}", `"kind": "html"`, `"kind": "x"`, `"kind": "static"`, `"kind": "y"`)), test.id), kind)
			e := fault.From(err)
			if e == nil || e.Kind != fault.Manifest || e.Code != "binding_unsupported" {
				t.Fatalf("got %v", err)
			}
			if want := kind + ": " + test.want; !strings.HasSuffix(e.Message, want) && !strings.Contains(e.Message, want+";") {
				t.Errorf("got %q, want %q", e.Message, want)
			}
		})
	}
}

func TestABindingThatIsNotThere(t *testing.T) {
	_, err := ParseAction(action(t, parse(t, full), "borrow"), "html")
	e := fault.From(err)
	if e == nil || e.Kind != fault.Usage || e.Code != "binding_unknown" || !strings.HasSuffix(e.Message, `it has no binding of the kind "html", only mcp, openapi, http`) {
		t.Errorf("got %v", err)
	}
}

func TestSchemasByMode(t *testing.T) {
	const (
		inherits = `"priority": 1, "schemaMode": "inherits", "method": "GET"`
		schema   = `{"type":"object","required":["q"],"properties":{"q":{"type":"string"},"limit":{"type":"integer"}}}`
	)
	for name, test := range map[string]struct {
		change      []string
		id, binding string
		input, at   string
		output      string // schema or address
	}{
		"inherits":                   {nil, "find_tools", "http", schema, "", ""},
		"none holds to what is said": {[]string{inherits, `"priority": 1, "schemaMode": "none"`}, "find_tools", "http", schema, "", ""},
		"none, and nothing is said": {
			[]string{inherits, `"priority": 1, "schemaMode": "none"`, `"inputSchema": {"type": "object", "required": ["q"]`, `"x": {"type": "object", "required": ["q"]`},
			"find_tools", "http", anyArguments, "", "",
		},
		"a page takes nothing":        {nil, "find_tools", "html", noArguments, "", ""},
		"a checkout takes nothing":    {nil, "buy", "", noArguments, "", ""},
		"external":                    {nil, "borrow", "mcp", "", "", ""},
		"external without a document": {[]string{`"schemaMode": "overrides", "inputSchema": {"type": "object"}`, `"schemaMode": "external"`}, "borrow", "http", "", "https://shed.example/.well-known/schemas/borrow.json", "https://shed.example/schemas/borrowed.json"},
		"overrides":                   {nil, "borrow", "http", `{"type":"object"}`, "", "https://shed.example/schemas/other.json"},
		"overrides nothing":           {[]string{`"inputSchema": {"type": "object"}, "outputSchema": "/schemas/other.json"`, `"x": 1`}, "borrow", "http", "", "https://shed.example/.well-known/schemas/borrow.json", "https://shed.example/schemas/borrowed.json"},
		"mapped":                      {nil, "borrow", "openapi", "", "https://shed.example/.well-known/schemas/borrow.json", "https://shed.example/schemas/borrowed.json"},
	} {
		t.Run(name, func(t *testing.T) {
			c := capability(t, edit(t, test.change...), test.id, test.binding)
			if string(c.Input) != test.input || c.InputSchemaURL != test.at || string(c.Output)+c.OutputSchemaURL != test.output {
				t.Errorf("input %s at %q, output %s at %q", c.Input, c.InputSchemaURL, c.Output, c.OutputSchemaURL)
			}
		})
	}
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	for name, test := range map[string]struct{ schema, code string }{
		"not a schema":       {`{"type": 1}`, "schema_invalid"},
		"no object fits":     {`{"type": "string"}`, "schema_invalid"},
		"a reference out":    {`{"$ref": "https://evil.example/x"}`, "schema_remote_ref"},
		"its address":        {`"data:application/json,7"`, "address_refused"},
		"a file's address":   {`"file:///x"`, "address_refused"},
		"an address with //": {`"//evil.example/x"`, "address_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := edit(t, `{"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}}`, test.schema)
			_, err := ParseAction(action(t, parse(t, doc), "find_tools"), "")
			e := fault.From(err)
			if e == nil || e.Kind != fault.Manifest || e.Code != test.code || !strings.HasPrefix(e.Details["pointer"].(string), "/inputSchema") {
				t.Errorf("got %v, %+v", err, e)
			}
		})
	}
	c := capability(t, edit(t, `"/schemas/other.json"`, `"urn:x"`), "borrow", "http")
	if c.OutputSchemaURL != "" || len(c.Issues) != 1 || c.Issues[0].Code != "address_refused" {
		t.Errorf("output at %q, issues %+v", c.OutputSchemaURL, c.Issues)
	}
}

func TestTheSchemaAtAnAddressIsGivenLater(t *testing.T) {
	c := capability(t, full, "borrow", "openapi")
	if err := c.UseInput([]byte(`{"type":"object","required":["tool","days"],"properties":{"days":{"type":"integer"},"tool":{"type":"string"}}}`)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Args, " "); got != "tool days" {
		t.Errorf("by position: %q", got)
	}
	if err := c.UseInput([]byte(`{"type":7}`)); fault.From(err).Kind != fault.Manifest {
		t.Errorf("got %v", err)
	}
}

func TestAnotherOrigin(t *testing.T) {
	elsewhere := []string{`"/api/tools"`, `"https://api.other.example/tools"`}
	reads := capability(t, edit(t, elsewhere...), "find_tools", "")
	if !reads.CrossOrigin || reads.Consent != "none" || codes(reads.Issues)[0] != "cross_origin " {
		t.Errorf("reading: %t, consent %q, issues %+v", reads.CrossOrigin, reads.Consent, reads.Issues)
	}
	doc := edit(t, append(elsewhere, `"stateChange": false`, `"stateChange": true`)...)
	site := parse(t, doc)
	changes := capability(t, doc, "find_tools", "")
	if s := action(t, site, "find_tools"); !changes.CrossOrigin || changes.Consent != "explicit" || s.Consent != "explicit" {
		t.Errorf("changing: %t, consent %q and %q", changes.CrossOrigin, changes.Consent, s.Consent)
	}
	if same := capability(t, edit(t, `"/api/tools"`, `"https://SHED.example:443/api/tools"`), "find_tools", ""); same.CrossOrigin {
		t.Error("the same origin, spelled out, counts as another")
	}
}

func TestReachHoldsToWhereADocumentReallyLeads(t *testing.T) {
	const there = "https://api.other.example/x"
	reads := capability(t, full, "find_tools", "")
	if err := reads.Reach("https://shed.example/other"); err != nil || reads.CrossOrigin {
		t.Errorf("the same origin: %v, %t", err, reads.CrossOrigin)
	}
	if err := reads.Reach(there); err != nil || !reads.CrossOrigin || reads.Consent != "none" || len(reads.Issues) != 1 {
		t.Errorf("reading: %v, %+v", err, reads.Issues)
	}
	if err := capability(t, full, "borrow", "").Reach(there); fault.From(err).Code != "cross_origin" {
		t.Errorf("with a credential: %v", err)
	}
	changes := capability(t, edit(t, `"stateChange": false`, `"stateChange": true`), "find_tools", "http")
	if err := changes.Reach(there); err != nil || changes.Consent != "explicit" {
		t.Errorf("changing: %v, %q", err, changes.Consent)
	}
	if err := changes.Reach("not a URL"); err != nil || !changes.CrossOrigin {
		t.Errorf("nowhere: %v, %t", err, changes.CrossOrigin)
	}
}

func TestWhatACapabilityDeclares(t *testing.T) {
	c := capability(t, full, "borrow", "")
	if !c.RequiresAuthentication || !c.Idempotent || c.HumanReview || c.ID != "borrow" || c.Intent != "borrow" || c.Type != "action" || c.Risk != "high" {
		t.Errorf("got %+v", c)
	}
	if b := c.Binding; b.Kind != MCP || b.Tool != "borrow" || b.URL != "https://shed.example/mcp" || b.Method != "" {
		t.Errorf("got %+v", b)
	}
	if o := capability(t, full, "borrow", "openapi").Binding; o.OperationID != "borrow" || o.InputMapping != "https://shed.example/in.json" || o.OutputMapping != "https://shed.example/out.json" {
		t.Errorf("got %+v", o)
	}
	if b := capability(t, full, "buy", ""); !b.HumanReview || b.Binding.URL != "https://pay.example/shed" || len(b.Issues) > 0 {
		t.Errorf("got %+v", b)
	}
}
