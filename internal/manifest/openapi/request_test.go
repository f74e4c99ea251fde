package openapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParametersInTheirPlaces(t *testing.T) {
	const list, object = `["a b","c,d",1.50]`, `{"k":"v w","n":2}`
	for name, c := range map[string]struct {
		path, parameter, value string
		want                   string // the URL behind the origin, or the header X or Cookie
	}{
		"simple":                  {"/f/{p}", `"in":"path"`, `"a/b?c#d%2e é"`, "/f/a%2Fb%3Fc%23d%252e%20%C3%A9"},
		"simple, digits":          {"/f/{p}.pdf", `"in":"path"`, `12345678901234567890`, "/f/12345678901234567890.pdf"},
		"simple, list":            {"/f/{p}", `"in":"path"`, list, "/f/a%20b,c%2Cd,1.50"},
		"simple, object":          {"/f/{p}", `"in":"path"`, object, "/f/k,v%20w,n,2"},
		"simple, exploded":        {"/f/{p}", `"in":"path","explode":true`, object, "/f/k=v%20w,n=2"},
		"label":                   {"/f/{p}", `"in":"path","style":"label"`, `"a"`, "/f/.a"},
		"label, list":             {"/f/{p}", `"in":"path","style":"label"`, list, "/f/.a%20b,c%2Cd,1.50"},
		"label, exploded":         {"/f/{p}", `"in":"path","style":"label","explode":true`, object, "/f/.k=v%20w.n=2"},
		"matrix":                  {"/f/{p}", `"in":"path","style":"matrix"`, `"a"`, "/f/;p=a"},
		"matrix, list":            {"/f/{p}", `"in":"path","style":"matrix"`, list, "/f/;p=a%20b,c%2Cd,1.50"},
		"matrix, list, exploded":  {"/f/{p}", `"in":"path","style":"matrix","explode":true`, list, "/f/;p=a%20b;p=c%2Cd;p=1.50"},
		"matrix, object":          {"/f/{p}", `"in":"path","style":"matrix"`, object, "/f/;p=k,v%20w,n,2"},
		"matrix, exploded":        {"/f/{p}", `"in":"path","style":"matrix","explode":true`, object, "/f/;k=v%20w;n=2"},
		"JSON in a path":          {"/f/{p}", `"in":"path","content":{"application/json":{}}`, `[1]`, "/f/%5B1%5D"},
		"a path with a query":     {"/f?a=b", `"in":"query"`, `1`, "/f?a=b&p=1"},
		"a path of any letters":   {"/f é|{p}", `"in":"path"`, `1`, "/f%20%C3%A9%7C1"},
		"a path with a fragment":  {"/f/{p}#q=1&{r}", `"in":"path"`, `1`, "/f/1"},
		"… and a query":           {"/f?a=b#c?d", `"in":"query"`, `1`, "/f?a=b&p=1"},
		"text of any type":        {"/f/{p}", `"in":"path","content":{"*/*":{"schema":{"type":"string"}}}`, `"a b"`, "/f/a%20b"},
		"objects of any type":     {"/f", `"in":"query","content":{"*/*":{}}`, `{"a":1}`, "/f?p=%7B%22a%22%3A1%7D"},
		"form":                    {"/f", `"in":"query"`, `"a&b=c+d"`, "/f?p=a%26b%3Dc%2Bd"},
		"form, list":              {"/f", `"in":"query"`, list, "/f?p=a%20b&p=c%2Cd&p=1.50"},
		"form, empty list":        {"/f", `"in":"query"`, `[]`, "/f"},
		"form, not exploded":      {"/f", `"in":"query","explode":false`, list, "/f?p=a%20b,c%2Cd,1.50"},
		"form, object":            {"/f", `"in":"query"`, object, "/f?k=v%20w&n=2"},
		"spaces":                  {"/f", `"in":"query","style":"spaceDelimited"`, `["a","b"]`, "/f?p=a%20b"},
		"pipes":                   {"/f", `"in":"query","style":"pipeDelimited"`, `["a","b|c"]`, "/f?p=a%7Cb%7Cc"},
		"deep":                    {"/f", `"in":"query","style":"deepObject","explode":true`, `{"a":{"b":[1,2]},"c d":"e"}`, "/f?p%5Ba%5D%5Bb%5D%5B0%5D=1&p%5Ba%5D%5Bb%5D%5B1%5D=2&p%5Bc%20d%5D=e"},
		"reserved characters":     {"/f", `"in":"query","allowReserved":true`, `"a/b?c&d#e+f g:h"`, "/f?p=a/b?c%26d%23e%2Bf%20g:h"},
		"JSON in a query":         {"/f", `"in":"query","content":{"application/json":{}}`, `{"a":1.0}`, "/f?p=%7B%22a%22%3A1.0%7D"},
		"text in a query":         {"/f", `"in":"query","content":{"text/plain":{}}`, `"a b"`, "/f?p=a%20b"},
		"a cookie":                {"/f", `"in":"cookie"`, `"a; b"`, "p=a%3B%20b"},
		"cookies":                 {"/f", `"in":"cookie"`, `["a","b"]`, "p=a; p=b"},
		"a header":                {"/f", `"in":"header"`, `["a b",1]`, "a b,1"},
		"a header that is nobody": {"/f", `"in":"header"`, `"a\r\nb"`, ""},
		"null":                    {"/f", `"in":"query"`, `null`, ""},
		"objects in a list":       {"/f", `"in":"query"`, `[{}]`, ""},
		"null in depth":           {"/f", `"in":"query","style":"deepObject"`, `{"a":null}`, ""},
		"a dot":                   {"/f/{p}", `"in":"path"`, `".."`, ""},
		"a dot of a label":        {"/f/{p}", `"in":"path","style":"label"`, `""`, ""},
		"nothing in a path":       {"/f/{p}", `"in":"path"`, `""`, ""},
		"NUL in a path":           {"/f/{p}", `"in":"path"`, `"\u0000"`, ""},
		"an empty list of matrix": {"/f/{p}", `"in":"path","style":"matrix"`, `[]`, ""},
		"a URL that is too long":  {"/f", `"in":"query"`, `"` + strings.Repeat("x", 65<<10) + `"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := tryAction(parse(t, documentOf("3.1.0", "get", c.path, `,"parameters":[{"name":"p",`+c.parameter+`}]`, "")), "x")
			if err != nil {
				if c.want != "" {
					t.Error(err)
				}
				return
			}
			request, problems := a.Request(values(t, `{"p":`+c.value+`}`), Own{})
			if c.want == "" {
				if request != nil || len(problems) == 0 {
					t.Errorf("got %+v", request)
				}
				return
			}
			if request == nil {
				t.Fatal(problems)
			}
			got := strings.TrimPrefix(request.URL, "https://a.example") + request.Header.Get("p") + request.Header.Get("Cookie")
			if got != c.want && got != "/f"+c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// An operation that a version or the words of a fragment belong to has a parameter of one value for them.
func TestTheOnlyValueOfAParameterIsSent(t *testing.T) {
	a := action(t, parse(t, documentOf("3.0.0", "get", "/#Action=Do", `,"parameters":[
		{"name":"Action","in":"query","required":true,"schema":{"type":"string","enum":["Do"]}},
		{"name":"X-Version","in":"header","required":true,"schema":{"$ref":"#/components/schemas/V"}},
		{"name":"cors","in":"query","required":true,"schema":{"type":"boolean","enum":[true]}},
		{"name":"maybe","in":"query","schema":{"enum":["a"]}},
		{"name":"which","in":"query","required":true,"schema":{"enum":["a","b"]}}]`, `,"components":{"schemas":{"V":{"enum":["2016-11-15"]}}}`)), "x")
	if accepts(t, a, `{}`) || !accepts(t, a, `{"which":"a"}`) || accepts(t, a, `{"which":"a","Action":"Drop"}`) {
		t.Errorf("got %s", a.Input)
	}
	request, problems := a.Request(values(t, `{"which":"b"}`), Own{})
	if problems != nil {
		t.Fatal(problems)
	}
	if request.URL != "https://a.example/?Action=Do&cors=true&which=b" || request.Header.Get("X-Version") != "2016-11-15" {
		t.Errorf("got %s %v", request.URL, request.Header)
	}
}

func TestHeadersOfTheTransportAreLeftToIt(t *testing.T) {
	a := action(t, parse(t, documentOf("3.1.0", "get", "/x", `,"parameters":[{"name":"content-length","in":"header","required":true},
		{"name":"Sec-WebSocket-Protocol","in":"header","required":true},{"name":"Accept-Encoding","in":"header"}]`, "")), "x")
	request, problems := a.Request(values(t, `{}`), Own{})
	if problems != nil || len(request.Header) != 1 || a.Issues != nil {
		t.Errorf("got %+v, %v, %v", request, problems, a.Issues)
	}
}

func TestBodiesOfMethodsThatMayHaveOne(t *testing.T) {
	for method, want := range map[string]string{"get": "", "head": "", "options": `{"a":1}`, "delete": `{"a":1}`} {
		a := action(t, parse(t, documentOf("3.0.3", method, "/x", `,"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"a":{}}}}}}`, "")), "x")
		request, problems := a.Request(values(t, `{"a":1}`), Own{})
		if problems != nil || string(request.Body) != want {
			t.Errorf("%s: got %s, %v", method, request.Body, problems)
		}
	}
}

// A form that is one file has no name for it.
func TestAFormOfOneFile(t *testing.T) {
	a := action(t, parse(t, documentOf("3.0.3", "post", "/x", `,"requestBody":{"content":{"multipart/form-data":{"schema":{"type":"string","format":"binary"}}}}`, "")), "x")
	request, problems := a.Request(values(t, `{"file":"f.bin"}`), Own{Open: open})
	if problems != nil || !accepts(t, a, `{"file":"f.bin"}`) || len(a.FileArgs) != 1 || !strings.Contains(string(request.Body), `name="file"; filename="f.bin"`) {
		t.Errorf("got %s, %v, %s", request.Body, problems, a.Input)
	}
}

func TestHeadersThatOpenAPIMakes(t *testing.T) {
	a := action(t, parse(t, documentOf("3.0.0", "get", "/x", `,"parameters":[{"name":"authorization","in":"header","required":true},{"name":"Accept","in":"header"},{"name":"CONTENT-TYPE","in":"header"}],
		"responses":{"200":{"$ref":"#/components/responses/R"},"404":{"content":{"text/html":{}}}}`, `,"components":{"responses":{"R":{"content":{"application/pdf":{},"text/csv":{}}}}}`)), "x")
	request, problems := a.Request(values(t, `{}`), Own{})
	if problems != nil {
		t.Fatal(problems)
	}
	if diff := cmp.Diff(http.Header{"Accept": {"application/pdf, text/csv"}}, request.Header); diff != "" {
		t.Error(diff)
	}
}

func open(path string) (File, error) {
	if path == "missing" {
		return File{}, errors.New("is not there")
	}
	return File{Type: "image/png", Data: []byte("<" + path + ">")}, nil
}

func TestBodies(t *testing.T) {
	const members = `{"type":"object","properties":{"a":{},"b":{},"c":{}}}`
	for name, c := range map[string]struct {
		content, arguments string
		own                *Body
		want, mediaType    string // "" where there must be a problem
	}{
		"JSON before all else":          {`"text/plain":{},"application/x-www-form-urlencoded":{"schema":` + members + `},"application/json":{"schema":` + members + `}`, `{"a":1}`, nil, `{"a":1}`, "application/json"},
		"merge patch before patch":      {`"application/json-patch+json":{},"application/merge-patch+json":{"schema":` + members + `}`, `{"a":null}`, nil, `{"a":null}`, "application/merge-patch+json"},
		"any type":                      {`"*/*":{"schema":` + members + `}`, `{"a":1}`, nil, `{"a":1}`, "application/json"},
		"a form":                        {`"application/x-www-form-urlencoded":{"schema":` + members + `}`, `{"a":"x y","b":[1,2],"c":true}`, nil, `a=x%20y&b=1&b=2&c=true`, "application/x-www-form-urlencoded"},
		"objects in a form":             {`"application/x-www-form-urlencoded":{"schema":` + members + `}`, `{"a":{"x":1},"b":[{"y":2}]}`, nil, `a=%7B%22x%22%3A1%7D&b=%7B%22y%22%3A2%7D`, "application/x-www-form-urlencoded"},
		"… in depth":                    {`"application/x-www-form-urlencoded":{"schema":` + members + `,"encoding":{"a":{"style":"deepObject"},"b":{"style":"deepObject","explode":true},"c":{"explode":false}}}`, `{"a":{"x":1},"b":[{"y":2}],"c":[1,2]}`, nil, `a%5Bx%5D=1&b%5B0%5D%5By%5D=2&c=1,2`, "application/x-www-form-urlencoded"},
		"null in a form":                {`"application/x-www-form-urlencoded":{"schema":` + members + `}`, `{"a":null}`, nil, "", ""},
		"text":                          {`"text/plain":{"schema":{"type":"string"}}`, `{"body":"héllo"}`, nil, "héllo", "text/plain; charset=utf-8"},
		"XML":                           {`"application/xml":{"schema":` + members + `}`, `{"body":"<a/>"}`, nil, "<a/>", "application/xml"},
		"bytes":                         {`"application/octet-stream":{"schema":{"type":"string","format":"binary"}}`, `{"body":"@f.bin"}`, nil, "<f.bin>", "application/octet-stream"},
		"bytes that are not there":      {`"application/octet-stream":{}`, `{"body":"missing"}`, nil, "", ""},
		"a body of the caller's":        {`"application/json":{"schema":` + members + `}`, `{}`, &Body{Data: []byte(`{"a": 1}`)}, `{"a": 1}`, "application/json"},
		"… of another type":             {`"application/json":{},"image/*":{}`, `{}`, &Body{Type: "image/png", Data: []byte("x")}, "x", "image/png"},
		"… of a type not named":         {`"application/json":{}`, `{}`, &Body{Type: "image/png", Data: []byte("x")}, "", ""},
		"… that does not fit":           {`"application/json":{"schema":{"type":"object"}}`, `{}`, &Body{Data: []byte("[]")}, "", ""},
		"… beside arguments":            {`"application/json":{"schema":` + members + `}`, `{"a":1}`, &Body{Data: []byte("{}")}, "", ""},
		"… without its boundary":        {`"multipart/form-data":{"schema":` + members + `}`, `{}`, &Body{Data: []byte("x")}, "", ""},
		"a form of anything":            {`"application/x-www-form-urlencoded":{}`, `{"a":"x","b":[1]}`, nil, "a=x&b=1", "application/x-www-form-urlencoded"},
		"… without anything":            {`"application/x-www-form-urlencoded":{"schema":{"description":"?"}}`, `{}`, nil, "", "application/x-www-form-urlencoded"},
		"… with members that must be":   {`"application/x-www-form-urlencoded":{"schema":{"required":["a"]}}`, `{"a":1}`, nil, "a=1", "application/x-www-form-urlencoded"},
		"a form that is a text":         {`"application/x-www-form-urlencoded":{"schema":{"type":"string"}}`, `{"body":"a=x+y"}`, nil, "a=x+y", "application/x-www-form-urlencoded"},
		"only a range":                  {`"image/*":{}`, `{}`, nil, "", ""},
		"a type that splits a header":   {"\"text/plain\\r\\nX: y\":{},\"application/json\":{\"schema\":" + members + "}", `{"a":1}`, nil, `{"a":1}`, "application/json"},
		"a range with a body of a type": {`"image/*":{}`, `{}`, &Body{Type: "image/gif", Data: []byte("x")}, "x", "image/gif"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := tryAction(parse(t, documentOf("3.1.0", "post", "/x", `,"requestBody":{"required":true,"content":{`+c.content+`}}`, "")), "x")
			if err != nil {
				t.Fatal(err)
			}
			request, problems := a.Request(values(t, c.arguments), Own{Body: c.own, Open: open})
			if c.mediaType == "" {
				if request != nil || len(problems) == 0 {
					t.Errorf("got %s", request.Body)
				}
				return
			}
			if request == nil {
				t.Fatal(problems)
			}
			if string(request.Body) != c.want || request.Header.Get("Content-Type") != c.mediaType {
				t.Errorf("got %q of %q", request.Body, request.Header.Get("Content-Type"))
			}
		})
	}
}

func TestFilesInForms(t *testing.T) {
	a := action(t, shop(t), "upload")
	if diff := cmp.Diff([]string{"file"}, a.FileArgs); diff != "" {
		t.Error(diff)
	}
	arguments := values(t, `{"file":"dir/a \"b\".png","tags":["x","y"],"meta":{"k":1.0}}`)
	request, problems := a.Request(arguments, Own{Open: open})
	if problems != nil {
		t.Fatal(problems)
	}
	boundary, ok := strings.CutPrefix(request.Header.Get("Content-Type"), "multipart/form-data; boundary=")
	if !ok {
		t.Fatal(request.Header)
	}
	want := strings.ReplaceAll("--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a %22b%22.png\"\r\nContent-Type: image/png\r\n\r\n<dir/a \"b\".png>\r\n"+
		"--B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nx\r\n--B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\ny\r\n"+
		"--B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"k\":1.0}\r\n--B--\r\n", "B", boundary)
	if diff := cmp.Diff(want, string(request.Body)); diff != "" {
		t.Error(diff)
	}
	again, _ := a.Request(arguments, Own{Open: open})
	if string(again.Body) != string(request.Body) {
		t.Error("the same arguments make another request, which no approval is for")
	}
	for name, own := range map[string]Own{"no way to read": {}, "a file that is missing": {Open: open}} {
		if _, problems := a.Request(values(t, `{"file":"missing"}`), own); len(problems) != 1 || problems[0].Param != "file" {
			t.Errorf("%s: got %v", name, problems)
		}
	}
}
