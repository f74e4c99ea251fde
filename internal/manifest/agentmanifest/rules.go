package agentmanifest

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// rules are what the JSON Schema of the format demands (AM-2), of the document without its capabilities and of one of them.
type rules struct {
	document   rule
	capability rule
}

func newRules() rules {
	place := address()
	id := name(idOthers)
	return rules{document: documentRule(id, place), capability: capabilityRule(id, place)}
}

func documentRule(id, place rule) rule {
	return object(
		may("$schema", text),
		need("agentManifestVersion", oneOf(Version)),
		need("id", id),
		need("status", oneOf("draft", "example", "experimental", "stable", "deprecated")),
		need("templateKind", words),
		need("identity", object(
			need("name", words), need("domain", words), need("owner", words), need("contact", words), may("jurisdiction", text),
		)),
		need("platform", object(
			need("type", words),
			need("stack", list(1, words)),
			need("integrationMode", oneOf("static", "bridge", "runtime", "static-or-bridge", "static-or-runtime", "bridge-or-runtime")),
			need("servingNotes", list(1, words)),
		)),
		need("discovery", object(
			need("recommendedLocations", list(1, place)), may("llmContext", list(0, place)), may("openapi", place), may("mcp", place),
		)),
		need("knowledge", list(1, object(need("id", id), need("type", words), need("source", place), may("refresh", text)))),
		need("capabilities", list(1, anything)), // each is judged by itself
		need("policies", object(need("consent", words), need("auth", words), need("dataMinimization", words), need("audit", words))),
		may("extensionPoints", distinct),
	)
}

// distinct is the rule for an array of strings that are not empty and not the same.
func distinct(r *report, pointer string, n *jsontree.Node) {
	list(0, words)(r, pointer, n)
	known := make(map[string]bool, len(n.Items))
	for _, item := range n.Items {
		if item.Kind == '"' && known[item.Text()] {
			r.add(pointer, "repeated", "%q is there more than once", fault.Word(item.Text()))
		}
		known[item.Text()] = true
	}
}

func capabilityRule(id, place rule) rule {
	contract := schemaRule(place)
	enforcer := oneOf("server", "client", "none", "not-declared")
	members := object(
		need("id", id),
		need("name", text),
		need("description", text),
		need("intent", name("_")),
		need("risk", oneOf("low", "medium", "high", "critical")),
		need("type", oneOf("resource", "query", "action", "transaction", "conversation", "handoff")),
		need("stateChange", boolean),
		need("consentMode", oneOf("none", "implicit", "explicit", "step_up", "human_review")),
		need("requiresConsent", boolean),
		need("requiresAuthentication", boolean),
		may("inputSchema", contract),
		may("outputSchema", contract),
		may("enforcement", object(
			may("inputValidation", enforcer), may("policy", enforcer), may("consent", enforcer), may("auth", enforcer),
			may("audit", boolean), may("idempotency", boolean),
		)),
		need("bindings", list(1, bindingRule(contract, place))),
		may("protocols", list(0, words)),
		may("audit", list(0, words)),
	)
	return func(r *report, pointer string, n *jsontree.Node) {
		members(r, pointer, n)
		grave(r, pointer, n)
	}
}

func bindingRule(contract, place rule) rule {
	return object(
		need("kind", words),
		need("priority", positive),
		may("fallbackOnly", boolean),
		need("schemaMode", oneOf("none", "inherits", "external", "overrides", "mapped")),
		may("url", place), may("endpoint", place), may("method", oneOf("GET", "POST", "PUT", "PATCH", "DELETE")), may("contentType", words),
		may("spec", place), may("operationId", words),
		may("server", place), may("tool", words),
		may("inputSchema", contract), may("outputSchema", contract),
		may("inputMapping", place), may("outputMapping", place),
	)
}

// grave is the rule for capabilities that must not ask for too little (AM-8).
func grave(r *report, pointer string, n *jsontree.Node) {
	critical, transaction := n.Member("risk").Text() == "critical", n.Member("type").Text() == "transaction"
	if !critical && !transaction {
		return
	}
	for _, member := range []string{"stateChange", "requiresConsent"} {
		if value := n.Member(member); value != nil && value.Kind != 't' {
			r.add(jsontree.Pointer(pointer, member), "consent_weak", "must be true for what is critical or a transaction")
		}
	}
	if mode := n.Member("consentMode"); critical && mode != nil && !slices.Contains([]string{"explicit", "step_up", "human_review"}, mode.Text()) {
		r.add(jsontree.Pointer(pointer, "consentMode"), "consent_weak", "must be explicit, step_up or human_review for what is critical")
	}
}

// schemaRule is the rule for a schema, or for the address of one.
func schemaRule(place rule) rule {
	return func(r *report, pointer string, n *jsontree.Node) {
		switch n.Kind {
		case '{':
		case '"':
			place(r, pointer, n)
		default:
			r.add(pointer, "wrong_type", "must be a JSON Schema object or its address")
		}
	}
}

// address is the rule for a path or a URI. Where it may lead is judged apart from it, see [resolve].
func address() rule {
	uri, err := schema.Compile(jsontext.Value(`{"format":"uri"}`))
	if err != nil { // it is a schema
		panic(err)
	}
	return func(r *report, pointer string, n *jsontree.Node) {
		if !r.is('"', pointer, n) {
			return
		}
		text := n.Text()
		if text != "" && isRelative(text) {
			return
		}
		if ok, err := uri.Accepts(n, schema.NewBudget(len(text))); text == "" || err != nil || !ok {
			r.add(pointer, "address_invalid", `%q must begin with "/", "./" or "../", or be a URI`, fault.Word(text))
		}
	}
}
