package agentmanifest

import (
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/arguments"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// The kinds of bindings that can be used (AM-15).
const (
	HTTP           = "http"
	OpenAPI        = "openapi"
	MCP            = "mcp"
	Static         = "static"
	HTML           = "html"
	HostedCheckout = "hosted-checkout"
)

// The ways in which a binding stands to the schemas of its capability (AM-16).
const (
	None      = "none"
	Inherits  = "inherits"
	External  = "external"
	Overrides = "overrides"
	Mapped    = "mapped"
)

// Binding is one way of reaching a capability.
type Binding struct {
	Kind         string
	Priority     int  // from 1; the lowest is taken
	FallbackOnly bool // taken only when no other one can be
	// URL is where it leads, absolute: the endpoint of HTTP, the document of OpenAPI, the server of MCP (which may be metadata
	// that names the endpoint), the page or file of the others.
	URL         string
	Published   string // the same as published
	Method      string // of HTTP, static, html: as it is sent; "" for the others
	ContentType string // of the body that HTTP sends, canonical; "" when none is sent
	OperationID string // of OpenAPI; "" when the manifest names none
	Tool        string // of MCP
	SchemaMode  string
	// InputMapping and OutputMapping are addresses of documents for [ParseMapping], absolute, of a mapped binding; "" for none.
	InputMapping  string
	OutputMapping string
	CrossOrigin   bool // it leads to another origin than that of the manifest (AM-4)
	// Unsupported tells why the binding cannot be used, "" when it can.
	Unsupported string

	input, output *jsontree.Node // its own schemas, or their addresses
}

// refuse records the first reason why the binding cannot be used.
func (b *Binding) refuse(format string, args ...any) {
	if b.Unsupported == "" {
		b.Unsupported = fmt.Sprintf(format, args...)
	}
}

// readBinding reads a binding of a capability, which fits the schema.
func (d *declared) readBinding(n *jsontree.Node, from *url.URL) Binding {
	b := Binding{
		Kind: n.Member("kind").Text(), Priority: priority(n.Member("priority")), FallbackOnly: isTrue(n.Member("fallbackOnly")),
		SchemaMode: n.Member("schemaMode").Text(), input: n.Member("inputSchema"), output: n.Member("outputSchema"),
	}
	place := "url"
	switch b.Kind {
	case HTTP:
		place = "endpoint"
		b.readMethod(n, d.stateChange)
	case OpenAPI:
		place = "spec"
		b.OperationID = n.Member("operationId").Text()
	case MCP:
		place = "server"
		if b.Tool = n.Member("tool").Text(); b.Tool == "" {
			b.refuse(`it has no "tool"`)
		}
	case Static, HTML:
		b.readPage(n, d.stateChange)
	case HostedCheckout:
		b.readPage(n, false)
		b.Method = "" // nothing is sent
	default:
		b.refuse("agentctl does not know this kind")
		return b
	}
	b.Published = n.Member(place).Text()
	b.URL = b.place(n, place, from, true)
	b.CrossOrigin = b.URL != "" && !SameOrigin(b.URL, from.String())
	if b.CrossOrigin && d.authentication && b.Kind != OpenAPI && b.Kind != HostedCheckout {
		b.refuse("it is on another origin, to which the credential that it needs is not sent")
	}
	b.readMappings(n, from)
	return b
}

// place reads a member that is an address. One that leads nowhere makes the binding unsupported.
func (b *Binding) place(n *jsontree.Node, name string, from *url.URL, required bool) string {
	address := n.Member(name)
	if address == nil {
		if required {
			b.refuse("it has no %q", name)
		}
		return ""
	}
	to, err := resolve(address.Text(), from)
	if err != nil {
		b.refuse("its %s %q %v", name, fault.Word(address.Text()), err)
	}
	return to
}

// readMethod reads how a request of the kind http is made. A method that is made for changes contradicts a capability that
// changes nothing: whom to believe nobody knows.
func (b *Binding) readMethod(n *jsontree.Node, stateChange bool) {
	b.Method = http.MethodGet
	if method := n.Member("method").Text(); method != "" {
		b.Method = method
	}
	if !stateChange && slices.Contains([]string{http.MethodPut, http.MethodPatch, http.MethodDelete}, b.Method) {
		b.refuse("its method is %s, but the capability says that it changes nothing", b.Method)
	}
	if !arguments.HasBody(b.Method) { // the content type is that of the answer
		return
	}
	b.ContentType = arguments.JSON
	if published := n.Member("contentType").Text(); published != "" {
		media, params, err := mime.ParseMediaType(published)
		b.ContentType = mime.FormatMediaType(media, params)
		if err != nil || media != arguments.JSON && !strings.HasSuffix(media, "+json") && media != arguments.Form || b.ContentType == "" {
			b.refuse("agentctl makes no body of the content type %q", fault.Word(published))
		}
	}
}

// readPage reads a binding that only fetches something.
func (b *Binding) readPage(n *jsontree.Node, stateChange bool) {
	b.Method = http.MethodGet
	if method := n.Member("method").Text(); method != "" && method != http.MethodGet {
		b.refuse("its method is %s, but it can only be fetched", method)
	}
	if stateChange {
		b.refuse("it only fetches something, but the capability changes something")
	}
}

// readMappings reads the mappings of a mapped binding (AM-16).
func (b *Binding) readMappings(n *jsontree.Node, from *url.URL) {
	if b.SchemaMode != Mapped {
		return
	}
	b.InputMapping = b.place(n, "inputMapping", from, false)
	b.OutputMapping = b.place(n, "outputMapping", from, false)
	if b.InputMapping == "" && b.OutputMapping == "" {
		b.refuse("it is mapped, but has no mapping")
	}
}

// priority reads a whole number; one that is beyond all bounds comes last.
func priority(n *jsontree.Node) int {
	value, err := decimal.NewFromString(string(n.Raw))
	if err != nil || value.GreaterThan(decimal.NewFromInt(math.MaxInt32)) {
		return math.MaxInt32
	}
	return int(value.IntPart())
}

func isTrue(n *jsontree.Node) bool { return n != nil && n.Kind == 't' }
