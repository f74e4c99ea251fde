package odpclient

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// The pages of a sequence are asked for in one way: who asks, and in which language, does not change (ODP-45).
func TestPagesAreAskedForAlike(t *testing.T) {
	s := openShed(t, map[string][]answer{list + "/search": once(page("/p/2", "a")), "/p/2": once(page("/p/3", "b")), "/p/3": once(page("", "c"))}, nil)
	out, err := s.SearchOfferings(t.Context(), odp.OfferingSearch{Query: "drill"}, odp.Merge(), Wanted{}, func(resource.Item[*resource.Offering]) error { return nil })
	if err != nil || !out.Complete {
		t.Fatalf("%+v, %v", out, err)
	}
	if want := "POST /shed/offerings/search?representation=terse\nGET /p/2\nGET /p/3"; s.lines() != want {
		t.Fatalf("asked\n%s", s.lines())
	}
	for i, r := range s.log {
		if r.header.Get("Authorization") != "Bearer secret" || r.header.Get("Accept-Language") != "fr" || r.header.Get("Accept") != odp.MediaType {
			t.Errorf("%s: %v", r.line, r.header)
		}
		if first := i == 0; (r.body != "") != first || (r.header.Get("Content-Type") == odp.MediaType) != first {
			t.Errorf("%s: %v %q", r.line, r.header["Content-Type"], r.body)
		}
	}
	if !strings.Contains(s.log[0].body, `"limit":100`) {
		t.Errorf("asked with %s", s.log[0].body)
	}
}

// A page goes to the caller before the next one is asked for.
func TestPagesComeOneByOne(t *testing.T) {
	s := openShed(t, map[string][]answer{list: once(page("/p/2", "a", "b")), "/p/2": once(page("", "c"))}, nil)
	var requests []int
	ids, _, err := s.ids(t, Wanted{Paged: func() error { requests = append(requests, len(s.log)); return nil }})
	if err != nil || !slices.Equal(requests, []int{1, 2}) || len(ids) != 3 {
		t.Errorf("%q, after requests number %v: %v", ids, requests, err)
	}
	stop := errors.New("enough")
	if ids, _, err := s.ids(t, Wanted{Paged: func() error { return stop }}); !errors.Is(err, stop) || len(ids) != 2 {
		t.Errorf("%q, %v", ids, err)
	}
}

func TestHowMuchIsAskedFor(t *testing.T) {
	for name, test := range map[string]struct {
		wanted Wanted
		query  string
	}{
		"a few":         {Wanted{Most: 3}, "representation=terse&limit=3"},
		"many":          {Wanted{Most: 70}, "representation=terse&limit=50"},
		"everything":    {Wanted{}, "representation=terse&limit=100"},
		"full ones":     {Wanted{Most: 1, Full: true}, "representation=full&limit=1"},
		"all full ones": {Wanted{Full: true}, "representation=full&limit=100"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{list: once(page(""))}, nil)
			if _, _, err := s.ids(t, test.wanted); err != nil || s.lines() != "GET "+list+"?"+test.query {
				t.Errorf("%s, %v", s.lines(), err)
			}
		})
	}
}

// What came before a failure stays with the caller, and it is the Service that stopped giving (ODP-46, ODP-50, ODP-51).
func TestSequencesThatBreakOff(t *testing.T) {
	expired := answer{410, odp.ProblemMediaType, nil, `{"type":"https://offeringprotocol.org/problems/continuation-expired","title":"Too late","status":410,"code":"CONTINUATION_EXPIRED"}`}
	for name, test := range map[string]struct {
		second answer
		kind   fault.Kind
		code   string
	}{
		"its own URL comes next":            {page("/p/2", "c"), fault.Unavailable, resource.CodePageLoop},
		"the first page comes next":         {page(list+"?representation=terse&limit=100", "c"), fault.Unavailable, resource.CodePageLoop},
		"it has expired":                    {expired, fault.Unavailable, "CONTINUATION_EXPIRED"},
		"it is gone":                        {answer{status: 404}, fault.Unavailable, "http_404"},
		"another origin comes next":         {page("https://elsewhere.example/p/3", "c"), fault.Unavailable, "page_invalid"},
		"next is empty":                     {answer{body: `{"odp_version":"1.0","items":[],"next":""}`}, fault.Unavailable, "page_invalid"},
		"it is of another version":          {answer{body: `{"odp_version":"2.0","items":[]}`}, fault.Unavailable, "page_invalid"},
		"it has 101 items":                  {page("", strings.Fields(strings.Repeat("x ", 101))...), fault.Unavailable, "page_invalid"},
		"it is of another type":             {answer{mediaType: "application/json", body: `{"odp_version":"1.0","items":[]}`}, fault.Unavailable, "wrong_media_type"},
		"it is too large":                   {answer{body: `{"odp_version":"1.0","items":[],"x":"` + strings.Repeat("x", 524_288) + `"}`}, fault.Unavailable, resource.CodeLimitExceeded},
		"it is too deep":                    {answer{body: `{"odp_version":"1.0","items":[],"x":` + strings.Repeat("[", 16) + strings.Repeat("]", 16) + `}`}, fault.Unavailable, resource.CodeLimitExceeded},
		"it has refinements, not asked for": {answer{body: `{"odp_version":"1.0","items":[],"refinements":[]}`}, fault.Unavailable, "page_invalid"},
		"signing in is wanted":              {answer{status: 401}, fault.Auth, "http_401"},
		"payment is wanted":                 {answer{status: 402}, fault.Payment, "http_402"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{list: once(page("/p/2", "a", "b")), "/p/2": once(test.second)}, nil)
			ids, out, err := s.ids(t, Wanted{})
			e := fault.From(err)
			if err == nil || e.Kind != test.kind || e.Code != test.code || out.Complete {
				t.Errorf("got %+v, %+v", e, out)
			}
			if len(ids) < 2 || len(s.log) > 2 {
				t.Errorf("%q of\n%s", ids, s.lines())
			}
		})
	}
}

// A failure of the first page is what it is.
func TestAnswersThatAreErrors(t *testing.T) {
	problem := func(status int, code, claimed string) answer {
		return answer{status, odp.ProblemMediaType, nil, `{"type":"https://offeringprotocol.org/problems/x","title":"No","status":` + claimed + `,"code":"` + code + `"}`}
	}
	for name, test := range map[string]struct {
		answer answer
		kind   fault.Kind
		code   string
	}{
		"a problem":                     {problem(400, "INVALID_REQUEST", "400"), fault.Rejected, "INVALID_REQUEST"},
		"a problem of another status":   {problem(400, "NOT_FOUND", "400"), fault.Rejected, "http_400"},
		"a problem that lies":           {problem(403, "NOT_AUTHORIZED", "404"), fault.Auth, "http_403"},
		"a problem of an unknown code":  {problem(418, "TEAPOT", "418"), fault.Rejected, "TEAPOT"},
		"a problem of another type":     {answer{404, "application/json", nil, problem(404, "NOT_FOUND", "404").body}, fault.Rejected, "http_404"},
		"no type":                       {answer{mediaType: " ", body: `{"odp_version":"1.0","items":[]}`}, fault.Manifest, "wrong_media_type"},
		"no page":                       {answer{body: `[]`}, fault.Manifest, "page_invalid"},
		"JSON with a member twice":      {answer{body: `{"odp_version":"1.0","items":[],"items":[]}`}, fault.Manifest, "page_invalid"},
		"a redirect to another origin":  {answer{status: 302, header: map[string]string{"Location": "https://elsewhere.example/"}}, fault.Unavailable, "redirect_refused"},
		"a redirect in a circle":        {answer{status: 302, header: map[string]string{"Location": list + "?representation=terse&limit=100"}}, fault.Unavailable, "redirect_refused"},
		"a wait that is too long":       {answer{status: 429, header: map[string]string{"Retry-After": "31"}}, fault.Unavailable, "http_429"},
		"a server that is out of order": {answer{status: 500}, fault.Unavailable, "http_500"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{list: once(test.answer)}, func(f *fetch.Settings) { f.Retries = 3 })
			_, _, err := s.ids(t, Wanted{})
			if e := fault.From(err); err == nil || e.Kind != test.kind || e.Code != test.code {
				t.Errorf("got %+v", e)
			} else if len(s.log) != 1 {
				t.Errorf("asked\n%s", s.lines())
			} else if test.code == "http_429" && e.RetryAfter != 31 {
				t.Errorf("wait %d s", e.RetryAfter)
			}
		})
	}
}

// All pages together may be tried again three times (ODP-121).
func TestPagesShareTheirRetries(t *testing.T) {
	busy := answer{status: 503, header: map[string]string{"Retry-After": "1"}}
	s := openShed(t, map[string][]answer{list: {busy, busy, page("/p/2", "a")}, "/p/2": {busy, busy, page("", "b")}}, func(f *fetch.Settings) { f.Retries = 3 })
	ids, _, err := s.ids(t, Wanted{})
	if e := fault.From(err); err == nil || e.Status != 503 || len(ids) != 1 || len(s.log) != 5 {
		t.Errorf("%q, %v\n%s", ids, err, s.lines())
	}
}

func TestItemsThatAreLeftOut(t *testing.T) {
	s := openShed(t, map[string][]answer{
		list:   once(page("/p/2", "a", "b")),
		"/p/2": once(pageOf("", []string{`{"id":"b","name":"b"}`, `{"id":"../x","name":"x"}`, `{"id":"c","name":"c","actions":[]}`, `{"id":"d","name":"d","price":{"type":"barter"}}`})),
	}, nil)
	ids, out, err := s.ids(t, Wanted{})
	if err != nil || !slices.Equal(ids, []string{"a", "b", "d"}) || out.Repeats != 1 {
		t.Fatalf("%q, %+v, %v", ids, out, err)
	}
	told := strings.Join(s.issues, "\n")
	for _, want := range []string{"item_invalid /items/1/id", "item_invalid /items/2/actions", "price_unsupported /items/3/price", "item_repeated"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told of:\n%s", want, told)
		}
	}
}
