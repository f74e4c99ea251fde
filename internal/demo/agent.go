package demo

import (
	"embed"
	"net/http"

	"github.com/agentctl/agentctl/internal/demo/reply"
)

// The cinema is the third part of the club. It publishes an AgentManifest: capabilities, each with its risk and the consent
// that it needs, bound to pages, files, HTTP, OpenAPI operations and the tools of an MCP server.

// agentFiles are its documents that do not change.
//
//go:embed agent
var agentFiles embed.FS

// The places that the manifest and its documents name.
const (
	agentManifestPath = "/.well-known/agent.json"
	agentBase         = "/agent"
)

// agentDocuments lists what is served as it was written: the path, the file and its media type.
func agentDocuments() [][3]string {
	const (
		jsonType   = "application/json"
		schemaType = "application/schema+json"
		htmlType   = "text/html; charset=utf-8"
	)
	return [][3]string{
		{agentManifestPath, "agent.json", "application/agent-manifest+json"},
		{"/llms.txt", "llms.txt", "text/plain; charset=utf-8"},
		{agentBase + "/openapi.json", "openapi.json", "application/vnd.oai.openapi+json;version=3.1"},
		{agentBase + "/mcp.json", "mcp.json", jsonType},
		{agentBase + "/opening-hours.json", "opening-hours.json", jsonType},
		{agentBase + "/allergens.json", "allergens.json", jsonType},
		{agentBase + "/house-rules", "house-rules.html", htmlType},
		{agentBase + "/party", "party.html", htmlType},
		{agentBase + "/schemas/opening-hours.json", "schemas/opening-hours.json", schemaType},
		{agentBase + "/schemas/snacks.json", "schemas/snacks.json", schemaType},
		{agentBase + "/schemas/event.json", "schemas/event.json", schemaType},
		{agentBase + "/schemas/cancellation.json", "schemas/cancellation.json", schemaType},
		{agentBase + "/schemas/envelope.json", "schemas/envelope.json", schemaType},
	}
}

// enquiry is a capability that only reads.
type enquiry struct {
	capability string
	run        func(r *http.Request) (any, error)
}

func (s *shop) enquiries() map[string]enquiry {
	return map[string]enquiry{
		"/snacks":             {"find-snacks", s.findSnacks},
		"/screenings":         {"whats-on", s.listScreenings},
		"/bookings":           {"my-seats", s.listBookings},
		"/events/{event}":     {"host-an-event", s.showEvent},
		"/receipts/{receipt}": {"", s.showReceipt}, // of any capability
	}
}

// openCinema adds the cinema to the site.
func (s *shop) openCinema(mux *http.ServeMux) {
	for _, document := range agentDocuments() {
		mux.HandleFunc("GET "+document[0], func(w http.ResponseWriter, r *http.Request) {
			text, err := agentFiles.ReadFile("agent/" + document[1])
			if err != nil {
				writeError(w, err)
				return
			}
			reply.Lasting(w, r, document[2], text)
		})
	}
	for path, e := range s.enquiries() {
		mux.HandleFunc("GET "+agentBase+path, func(w http.ResponseWriter, r *http.Request) {
			doc, err := e.run(r)
			if err != nil {
				writeRefusal(w, e.capability, err)
				return
			}
			writeJSON(w, http.StatusOK, doc)
		})
	}
	for pattern, d := range s.deeds() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serveDeed(w, r, d) })
	}
	mux.Handle("POST "+agentBase+"/party", http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.payParty)))
	mux.Handle(agentBase+"/mcp", s.usher())
}
