package resource

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
)

func problem(code string, status int, more string) string {
	return fmt.Sprintf(`{"type":"https://offeringprotocol.org/problems/x-1","title":"T","status":%d,"code":%q%s}`, status, code, more)
}

func TestProblemsThatAreNone(t *testing.T) {
	params := func(p string) string { return problem("INVALID_REQUEST", 400, `,"invalid_params":`+p) }
	for name, c := range map[string]struct {
		doc     string
		status  int
		pointer string
	}{
		"no type":                        {`{"title":"T","status":400,"code":"X"}`, 400, "/type"},
		"a type elsewhere":               {strings.Replace(problem("X", 400, ""), "offeringprotocol.org", "a.example", 1), 400, "/type"},
		"a type in capitals":             {strings.Replace(problem("X", 400, ""), "x-1", "X", 1), 400, "/type"},
		"a type without a word":          {strings.Replace(problem("X", 400, ""), "x-1", "", 1), 400, "/type"},
		"a type that begins with a dash": {strings.Replace(problem("X", 400, ""), "x-1", "-x", 1), 400, "/type"},
		"no title":                       {strings.Replace(problem("X", 400, ""), `"title":"T",`, "", 1), 400, "/title"},
		"an empty title":                 {strings.Replace(problem("X", 400, ""), `"T"`, `""`, 1), 400, "/title"},
		"a title of 129 characters":      {strings.Replace(problem("X", 400, ""), `"T"`, `"`+strings.Repeat("t", 129)+`"`, 1), 400, "/title"},
		"another status":                 {problem("X", 422, ""), 400, "/status"},
		"a status that is a text":        {strings.Replace(problem("X", 400, ""), "400", `"400"`, 1), 400, "/status"},
		"a status of success":            {problem("X", 200, ""), 200, "/status"},
		"no code":                        {strings.Replace(problem("X", 400, ""), `"code":"X"`, `"x":1`, 1), 400, "/code"},
		"a code in small letters":        {problem("x", 400, ""), 400, "/code"},
		"a code that begins with _":      {problem("_X", 400, ""), 400, "/code"},
		"a code of 65 letters":           {problem(strings.Repeat("X", 65), 400, ""), 400, "/code"},
		"a core code on another status":  {problem("NOT_FOUND", 410, ""), 410, "/code"},
		"an empty detail":                {problem("X", 400, `,"detail":""`), 400, "/detail"},
		"a long detail":                  {problem("X", 400, `,"detail":"`+strings.Repeat("x", 2049)+`"`), 400, "/detail"},
		"an instance that is a number":   {problem("X", 400, `,"instance":1`), 400, "/instance"},
		"an instance with a space":       {problem("X", 400, `,"instance":"/a b"`), 400, "/instance"},
		"an instance that is no URI":     {problem("X", 400, `,"instance":"/%zz"`), 400, "/instance"},
		"invalid_params of another code": {problem("X", 400, `,"invalid_params":[{"in":"query","name":"a","reason":"b"}]`), 400, "/invalid_params"},
		"no invalid_params":              {params(`[]`), 400, "/invalid_params"},
		"a parameter elsewhere":          {params(`[{"in":"cookie","name":"a","reason":"b"}]`), 400, "/invalid_params/0/in"},
		"a parameter without a name":     {params(`[{"in":"query","name":"","reason":"b"}]`), 400, "/invalid_params/0/name"},
		"a body name that is no pointer": {params(`[{"in":"body","name":"a","reason":"b"}]`), 400, "/invalid_params/0/name"},
		"a pointer with a bad escape":    {params(`[{"in":"body","name":"/a~2","reason":"b"}]`), 400, "/invalid_params/0/name"},
		"a name of 257 characters":       {params(`[{"in":"query","name":"` + strings.Repeat("x", 257) + `","reason":"b"}]`), 400, "/invalid_params/0/name"},
		"an empty reason":                {params(`[{"in":"query","name":"a","reason":""}]`), 400, "/invalid_params/0/reason"},
		"33 invalid_params":              {params(`[` + strings.Repeat(`{"in":"query","name":"a","reason":"b"},`, 32) + `{}]`), 400, "/invalid_params"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseProblem([]byte(c.doc), c.status)
			requireAt(t, err, c.pointer)
		})
	}
}

func TestFailuresSayWhatTheServiceSays(t *testing.T) {
	const media = "application/problem+json; charset=utf-8"
	for name, c := range map[string]struct {
		status int
		media  string
		body   string
		want   fault.Error
	}{
		"an invalid request": {
			400, media, problem("INVALID_REQUEST", 400, `,"detail":"D","invalid_params":[{"in":"body","name":"/filters/0/value","reason":"R"},{"in":"query","name":"limit","reason":"S"},{"in":"body","name":"","reason":"Q"}]`),
			fault.Error{Kind: fault.Rejected, Code: "INVALID_REQUEST", Message: "T: D", Problems: []fault.Problem{
				{Pointer: "/filters/0/value", Keyword: "body", Message: "R"}, {Param: "limit", Keyword: "query", Message: "S"}, {Keyword: "body", Message: "Q"},
			}},
		},
		"a code of its own":        {409, media, problem("SOLD", 409, ""), fault.Error{Kind: fault.Rejected, Code: "SOLD", Message: "T"}},
		"not signed in":            {401, media, problem("NOT_AUTHENTICATED", 401, ""), fault.Error{Kind: fault.Auth, Code: "NOT_AUTHENTICATED", Message: "T"}},
		"too many requests":        {429, media, problem("RATE_LIMITED", 429, ""), fault.Error{Kind: fault.Unavailable, Code: "RATE_LIMITED", Message: "T"}},
		"an expired sequence":      {410, media, problem("CONTINUATION_EXPIRED", 410, ""), fault.Error{Kind: fault.Unavailable, Code: "CONTINUATION_EXPIRED", Message: "T", Hint: "start again from the first page"}},
		"payment needed":           {402, media, problem("PAY", 402, ""), fault.Error{Kind: fault.Payment, Code: "PAY", Message: "T"}},
		"another media type":       {404, "application/json", problem("NOT_FOUND", 404, ""), fault.Error{Kind: fault.Rejected, Code: "http_404", Message: "404 Not Found"}},
		"another status in it":     {503, media, problem("X", 500, ""), fault.Error{Kind: fault.Unavailable, Code: "http_503", Message: "503 Service Unavailable"}},
		"no body":                  {500, "", "", fault.Error{Kind: fault.Unavailable, Code: "http_500", Message: "500 Internal Server Error"}},
		"more than 16,384 bytes":   {404, media, problem("NOT_FOUND", 404, strings.Repeat(" ", 16_384)), fault.Error{Kind: fault.Rejected, Code: "http_404", Message: "404 Not Found"}},
		"a status nobody heard of": {499, "", "", fault.Error{Kind: fault.Rejected, Code: "http_499", Message: "499"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Failure(c.status, c.media, []byte(c.body), 7)
			c.want.Status, c.want.RetryAfter, c.want.Sent = c.status, 7, fault.SentYes
			c.want.Details = map[string]any{"retryable": c.status == 429 || c.status == 503}
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLiveSignals(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header http.Header
		want   string
	}{
		"a scheme in small letters":             {401, http.Header{"www-authenticate": {`aep x="y"`}}, "[aep]"},
		"a scheme behind another one":           {401, http.Header{"Www-Authenticate": {`Basic realm="a, AEP b", AEP x="y"`}}, "[aep]"},
		"a scheme alone":                        {401, http.Header{"Www-Authenticate": {"AEP"}}, "[aep]"},
		"a scheme in a quoted text":             {401, http.Header{"Www-Authenticate": {`Basic realm="x, AEP y\", AEP z"`}}, "[]"},
		"another scheme that begins like it":    {401, http.Header{"Www-Authenticate": {`AEPX a="b"`}}, "[]"},
		"two fields":                            {402, http.Header{"Www-Authenticate": {"Basic", "Payment a=b"}, "Payment-Required": {"x"}}, "[mpp x402]"},
		"a payment header on another status":    {401, http.Header{"Payment-Required": {"x"}}, "[]"},
		"a payment challenge on another status": {401, http.Header{"Www-Authenticate": {"Payment a=b"}}, "[]"},
		"sign-in on another status":             {402, http.Header{"Www-Authenticate": {"AEP a=b"}}, "[]"},
		"an empty header":                       {402, http.Header{"Payment-Required": {" "}}, "[]"},
		"success":                               {200, http.Header{"Payment-Required": {"x"}}, "[]"},
	} {
		if got := fmt.Sprint(Signals(c.status, c.header)); got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestSequencesOfAnswers(t *testing.T) {
	for _, c := range []struct {
		asked    []Protocol
		statuses []int
		want     bool
	}{
		{[]Protocol{AEP}, []int{401, 200}, true},
		{[]Protocol{MPP}, []int{402, 204}, true},
		{[]Protocol{MPP, X402}, []int{402, 200}, true},
		{[]Protocol{X402, AEP}, []int{401, 402, 200}, true},
		{[]Protocol{AEP, MPP}, []int{402, 401, 200}, false},
		{[]Protocol{AEP, MPP}, []int{401, 200}, false},
		{nil, []int{402, 200}, false},
		{nil, []int{500}, false},
		{[]Protocol{AEP}, []int{401}, false},
		{nil, nil, false},
	} {
		if got := ValidSequence(c.asked, c.statuses); got != c.want {
			t.Errorf("%v, %v: got %v", c.asked, c.statuses, got)
		}
	}
}

func TestSecretsStayWithTheirOrigin(t *testing.T) {
	fields := []string{"Accept", "authorization", "COOKIE", "X-Api-Key"}
	for _, c := range []struct {
		kind RequestKind
		same bool
		want int
	}{
		{ServiceOperation, true, 3},
		{ServiceOperation, false, 0},
		{ActionCall, true, 3},
		{ActionCall, false, 0},
		{SupportingDocument, true, 0},
		{"other", true, 0},
	} {
		if got := Forwarded(c.kind, c.same, fields); len(got) != c.want {
			t.Errorf("%s, %v: got %v", c.kind, c.same, got)
		}
	}
}
