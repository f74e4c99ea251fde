package agentactions

import (
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/arguments"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Request renders the action with arguments that were validated before (AA-5). origin is "https://host[:port]". What the
// path takes is not sent again; the rest is a JSON body, an empty object when there is nothing else, or the query where
// the method has no body. The problems are arguments that must not go where the path puts them; there is no request when
// there are any.
func (a *Action) Request(origin string, values *manifest.Values) (*call.Request, []fault.Problem) {
	url, problems := a.url(origin, values)
	if len(problems) > 0 {
		return nil, problems
	}
	r := &call.Request{Method: a.Method, Header: make(http.Header), Effect: a.Effect, Cost: a.Cost.Settled(values)}
	r.URL = string(url)
	arguments.Put(r, a.rest(values), arguments.JSON)
	return r, nil
}

// url returns the URL without a query.
func (a *Action) url(origin string, values *manifest.Values) ([]byte, []fault.Problem) {
	var problems []fault.Problem
	out := append(make([]byte, 0, 256), strings.TrimRight(origin, "/")...)
	for _, piece := range a.path {
		if !piece.property {
			out = appendText(out, piece.text)
			continue
		}
		message := "is needed for the URL's path"
		if value, given := values.Get(piece.text); given {
			var err error
			if out, err = appendProperty(out, value); err == nil {
				continue
			}
			message = err.Error()
		}
		problem := fault.Problem{Param: piece.text, Pointer: jsontree.Pointer("", piece.text), Keyword: "path", Message: message}
		if len(problems) == 0 || problems[len(problems)-1] != problem {
			problems = append(problems, problem)
		}
	}
	return out, problems
}

// rest returns the arguments that the path does not take.
func (a *Action) rest(values *manifest.Values) *manifest.Values {
	rest := &manifest.Values{}
	for _, name := range values.Names() {
		if value, _ := values.Get(name); !a.inPath(name) {
			rest.Set(name, value)
		}
	}
	return rest
}

func (a *Action) inPath(name string) bool {
	for _, piece := range a.path {
		if piece.property && piece.text == name {
			return true
		}
	}
	return false
}
