package odpclient

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// toolShed is a Service with operations of every kind of authentication.
const toolShed = `{"odp_version":"1.0","name":"Tool Shed","description":"Tools to borrow.","language":"en","localizations":["en","fr"],
"operations":[{"name":"list-offerings","authentication":"not-required"},{"name":"get-offering","authentication":"optional"},
 {"name":"search-offerings","authentication":"required"},{"name":"list-collections","authentication":"not-required"},
 {"name":"get-collection","authentication":"not-required"},{"name":"list-collection-offerings","authentication":"not-required"}],
"http":{"endpoint_base":"/shed","openapi":{"url":"/openapi.json"}},"protocols":{"enrollment":[{"name":"aep"}]},
"search_capabilities":{"filters":{"inline":[{"id":"weight","title":"Weight","description":"Of it.","type":"decimal","operators":["lte","gte"]}]},
 "sorts":{"linked":{"href":"/sorts"}}}}`

const list = "/shed/offerings"

// answer is what the fake Service says. A status of 0 is 200, a media type of "" the protocol's own.
type answer struct {
	status    int
	mediaType string
	header    map[string]string
	body      string
}

// asked is a request as the Service got it.
type asked struct {
	line   string // "GET /shed/offerings?…"
	header http.Header
	body   string
}

// shed is the fake Service: answers by path and query, else by path; several in turn, the last one for good.
type shed struct {
	*Client
	answers map[string][]answer
	issues  []string
	now     time.Time
	stall   func() // when set, it is called instead of an answer

	mu  sync.Mutex
	log []asked
}

// openShed starts a Service. setup may change what fetches.
func openShed(t *testing.T, answers map[string][]answer, setup func(*fetch.Settings)) *shed {
	t.Helper()
	s := &shed{answers: answers, now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	service, err := odp.ParseService([]byte(toolShed), odp.Origin(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	settings := fetch.Settings{Now: func() time.Time { return s.now }, Sleep: func(context.Context, time.Duration) error { return nil }}
	if setup != nil {
		setup(&settings)
	}
	s.Client = &Client{HTTP: fetch.New(settings), Service: service, Language: "fr", Note: func(issue odp.Issue) {
		s.issues = append(s.issues, issue.Code+" "+issue.Pointer+" "+issue.Message)
	}}
	s.Credential = func(context.Context, odp.Authentication) (authorization, account string, err error) {
		return "Bearer secret", "somebody", nil
	}
	return s
}

func (s *shed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stall != nil {
		s.stall()
		<-r.Context().Done()
		return
	}
	s.log = append(s.log, asked{r.Method + " " + r.URL.RequestURI(), r.Header, string(body)})
	key := r.URL.RequestURI()
	if s.answers[key] == nil {
		key = r.URL.Path
	}
	turns := s.answers[key]
	if len(turns) == 0 {
		http.NotFound(w, r)
		return
	}
	if len(turns) > 1 {
		s.answers[key] = turns[1:]
	}
	a := turns[0]
	if a.mediaType == "" {
		a.mediaType = odp.MediaType
	}
	w.Header().Set("Content-Type", a.mediaType)
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.body)
}

// lines are the requests so far, a line each.
func (s *shed) lines() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, len(s.log))
	for i := range s.log {
		out[i] = s.log[i].line
	}
	return strings.Join(out, "\n")
}

// ids lists offerings and returns their ids.
func (s *shed) ids(t *testing.T, w Wanted) (ids []string, out *Outcome, err error) {
	t.Helper()
	out, err = s.Offerings(t.Context(), "", w, func(item resource.Item[*resource.Offering]) error {
		ids = append(ids, item.ID)
		return nil
	})
	return ids, out, err
}

// page is a page of offerings, and of the address of the next page unless that is "".
func page(next string, ids ...string) answer {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = `{"id":"` + id + `","name":"` + id + `"}`
	}
	return pageOf(next, items)
}

func pageOf(next string, items []string) answer {
	body := `{"odp_version":"1.0","items":[` + strings.Join(items, ",") + `]`
	if next != "" {
		body += `,"next":"` + next + `"`
	}
	return answer{body: body + "}"}
}

func once(a answer) []answer { return []answer{a} }
