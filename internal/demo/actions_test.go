package demo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestMethodsThatAPathDoesNotHave(t *testing.T) {
	for target, allowed := range map[string]string{
		"/orders": "GET, POST", "/orders/ord_8fJ2": "DELETE, GET", "/menu": "GET", "/club/members": "POST",
	} {
		got := newSite(t).send(http.MethodPut, target, "")
		got.wantError(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
		if allow := got.Header().Get("Allow"); allow != allowed {
			t.Errorf("%s: Allow is %q, want %q", target, allow, allowed)
		}
	}
}

func TestUnknownPathsAreErrorDocuments(t *testing.T) {
	for _, target := range []string{"", "/", "/nothing", "/orders/", "/orders/a/b", "/orders/a%2Fb/c"} {
		newSite(t).get(target).wantError(404, "NOT_FOUND")
	}
	newSite(t).get("/orders/..%2F..%2Fmenu").wantError(404, "ORDER_NOT_FOUND")
	newSite(t).get("/menu/bacon").wantError(404, "FLAVOUR_NOT_FOUND")
}

func TestMenuFilters(t *testing.T) {
	for query, want := range map[string]int{"": 5, "?vegan=true": 3, "?vegan=false": 5, "?maxPrice=4": 2, "?maxPrice=4.00": 2, "?maxPrice=1": 0} {
		got := newSite(t).get("/menu" + query).wantStatus(200)
		if n := strings.Count(got.Body.String(), `"sku"`); n != want {
			t.Errorf("%q lists %d flavours, want %d", query, n, want)
		}
	}
	for query, code := range map[string]string{
		"?vegan=1": "INVALID_VEGAN", "?maxPrice=0": "INVALID_PRICE", "?maxPrice=cheap": "INVALID_PRICE", "?maxPrice=": "INVALID_PRICE", "?maxPrice=1&maxPrice=2": "INVALID_PRICE",
	} {
		newSite(t).get("/menu"+query).wantError(422, code)
	}
}

func TestJoiningTwiceAddsAYear(t *testing.T) {
	s := newSite(t)
	if got := s.get("/club").text("member"); got != "false" {
		t.Errorf("member before joining: %s", got)
	}
	s.send("POST", "/club/members", `{"name":"Ada"}`).wantStatus(201)
	s.send("POST", "/club/members", `{}`).wantStatus(201)
	if got := s.get("/club").text("until"); got != "2028-09-01T18:00:00Z" {
		t.Errorf("member until %s, want two years from now", got)
	}
	for _, body := range []string{`{"name":""}`, `{"name":"  "}`, `{"name":"A\nB"}`} {
		if got := s.send("POST", "/club/members", body); got.Code != 422 {
			t.Errorf("%s: status %d, want 422", body, got.Code)
		}
	}
}

func TestPictures(t *testing.T) {
	png := `"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE="`
	file := func(path, contents string) string {
		return `{"files":[{"path":` + path + `,"contents":` + contents + `}]}`
	}
	for name, test := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"one":                   {`{"files":[` + gif + `]}`, 201, ""},
		"capital extension":     {file(`"A.PNG"`, png), 201, ""},
		"with a file name":      {file(`"a.png"`, `"data:image/png;name=a.png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE="`), 201, ""},
		"none":                  {`{"files":[]}`, 422, "NO_FILES"},
		"no member":             {`{}`, 422, "NO_FILES"},
		"eleven":                {`{"files":[` + strings.Repeat(gif+",", 10) + gif + `]}`, 422, "TOO_MANY_FILES"},
		"one object":            {`{"files":` + gif + `}`, 422, "WRONG_TYPE"},
		"wrong extension":       {file(`"a.svg"`, png), 422, "WRONG_EXTENSION"},
		"parent directory":      {file(`"../a.png"`, png), 422, "INVALID_PATH"},
		"backslash":             {file(`"a\\b.png"`, png), 422, "INVALID_PATH"},
		"escape in the name":    {file(`"a\u001b.png"`, png), 422, "INVALID_PATH"},
		"text":                  {file(`"a.png"`, `"hello"`), 422, "NOT_A_PICTURE"},
		"not base64":            {file(`"a.png"`, `"data:image/png;base64,@@"`), 422, "NOT_BASE64"},
		"name and content part": {file(`"a.gif"`, png), 422, "NOT_A_PICTURE"},
		"unknown order":         {`{"order":"ord_none","files":[` + gif + `]}`, 404, "ORDER_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newSite(t).send("POST", "/photos", test.body)
			if test.status == 201 {
				got.wantStatus(201)
				return
			}
			got.wantError(test.status, test.code)
		})
	}
}

func TestReportsAddUp(t *testing.T) {
	for name, test := range map[string]struct{ target, group, body, total string }{
		"everything":       {"all", "", `{}`, "40.50"},
		"a day":            {"day", "", `{}`, "30.50"},
		"since a day":      {"all?since=2026-09-01", "", `{}`, "30.50"},
		"some flavours":    {"all?flavour=caramel&flavour=truffle", "", `{}`, "16.50"},
		"by status":        {"all", "status", `{}`, "40.50"},
		"large orders":     {"all", "", `{"filter":{"minimum":10.00}}`, "34.00"},
		"without gifts":    {"all", "", `{"filter":{"count":{"gifts":false}}}`, "16.50"},
		"nothing is alike": {"all?flavour=cheddar", "", `{}`, "0.00"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newSite(t).send("POST", "/reports/sales/"+test.target, test.body, "X-Api-Version", reportVersion, "X-Report-Group", test.group)
			if total := got.wantStatus(200).text("total"); total != test.total {
				t.Errorf("total %s, want %s: %s", total, test.total, got.Body)
			}
		})
	}
}

func TestReportsShowTheRequestAsItArrived(t *testing.T) {
	const body = `{"archive":{"token":"{{ARCHIVE_TOKEN}}"},"filter":{"minimum":1.50}}`
	got := newSite(t).send("POST", "/reports/sales/all?currency=USD", body, "X-Api-Version", reportVersion, "Authorization", "Bearer s3cret")
	if echoed := got.wantStatus(200).text("received", "body"); echoed != body {
		t.Errorf("the body is shown as %s, want %s", echoed, body)
	}
	if strings.Contains(got.Body.String(), "s3cret") {
		t.Error("the report repeats a credential")
	}
}

func TestReportsThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		target, body, version, group string
		status                       int
	}{
		"no version":       {"all", `{}`, "", "", 400},
		"other version":    {"all", `{}`, "2025-01", "", 400},
		"unknown period":   {"decade", `{}`, reportVersion, "", 422},
		"unknown group":    {"all", `{}`, reportVersion, "colour", 422},
		"unknown column":   {"all", `{"columns":["profit"]}`, reportVersion, "", 422},
		"unknown flavour":  {"all?flavour=bacon", `{}`, reportVersion, "", 422},
		"other currency":   {"all?currency=EUR", `{}`, reportVersion, "", 422},
		"no day":           {"all?since=yesterday", `{}`, reportVersion, "", 422},
		"two days":         {"all?since=2026-01-01&since=2026-01-02", `{}`, reportVersion, "", 422},
		"negative minimum": {"all", `{"filter":{"minimum":-1}}`, reportVersion, "", 422},
		"no body":          {"all", ``, reportVersion, "", 415},
	} {
		t.Run(name, func(t *testing.T) {
			got := newSite(t).send("POST", "/reports/sales/"+test.target, test.body, "X-Api-Version", test.version, "X-Report-Group", test.group)
			got.wantStatus(test.status)
			if got.text("error", "code") == "" {
				t.Errorf("no error document: %s", got.Body)
			}
		})
	}
}

// Markdown is for people, JSON for programs; errors are the same for both.
func TestHumanReadablePages(t *testing.T) {
	for command, example := range exampleRequests() {
		if example.status >= 400 {
			continue
		}
		t.Run(command, func(t *testing.T) {
			separator := "?"
			if strings.Contains(example.target, "?") {
				separator = "&"
			}
			got := newSite(t).send(example.method, example.target+separator+"humanReadable=true", example.body, example.headers...)
			page := got.wantStatus(example.status).Body.String()
			if mediaType := got.Header().Get("Content-Type"); mediaType != "text/markdown; charset=utf-8" {
				t.Errorf("Content-Type %q", mediaType)
			}
			if !strings.HasPrefix(page, "# ") || !strings.Contains(page, "\n> Next: `agentctl demo ") || !strings.HasSuffix(page, "`\n") {
				t.Errorf("the page lacks its heading or its next step:\n%s", page)
			}
		})
	}
	newSite(t).get("/teapot?humanReadable=true").wantError(http.StatusTeapot, "I_AM_A_TEAPOT")
}

// What a page suggests next must be a command that the shop has.
func TestNextStepsExist(t *testing.T) {
	commands := details(t)
	for command, example := range exampleRequests() {
		separator := "?"
		if strings.Contains(example.target, "?") {
			separator = "&"
		}
		page := newSite(t).send(example.method, example.target+separator+"humanReadable=true", example.body, example.headers...).Body.String()
		_, next, ok := strings.Cut(page, "> Next: `agentctl demo ")
		if !ok {
			continue
		}
		words := strings.Fields(strings.TrimRight(next, "`\n"))
		found := false
		for i := range words {
			_, known := commands[strings.Join(words[:i+1], " ")]
			found = found || known
		}
		if !found {
			t.Errorf("%q suggests %q, which does not exist", command, next)
		}
	}
}

func TestTextFromACallerIsHarmlessInMarkdown(t *testing.T) {
	s := newSite(t)
	id := s.send("POST", "/orders", `{"qty":1,"note":"# a | b <script> [x](http://y) `+"`z`"+`"}`).wantStatus(201).text("id")
	page := s.get("/orders/" + id + "?humanReadable=true").wantStatus(200).Body.String()
	if want := "\\# a \\| b \\<script\\> \\[x\\](http://y) \\`z\\`"; !strings.Contains(page, want) {
		t.Errorf("the note is not shown as %s:\n%s", want, page)
	}
}

func TestOnlyLoopbackNamesAreServed(t *testing.T) {
	guarded := loopbackOnly(newSite(t))
	for host, want := range map[string]int{
		"localhost:26767": 200, "127.0.0.1:1": 200, "[::1]:1": 200, "localhost": 200, "[::1]": 200, "evil.example:26767": 421, "localhost.evil.example": 421, "": 421,
	} {
		request := httptest.NewRequest(http.MethodGet, apiBase+"/menu", nil)
		request.Host = host
		recorder := httptest.NewRecorder()
		guarded.ServeHTTP(recorder, request)
		if recorder.Code != want {
			t.Errorf("host %q: status %d, want %d", host, recorder.Code, want)
		}
	}
}
