package odp

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// problems collects what is wrong with a search: fault.Problem.Param is the name of the flag.
type problems []fault.Problem

func (p *problems) add(param, pointer, format string, args ...any) {
	*p = append(*p, fault.Problem{Param: param, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) check(param, pointer string, err error) {
	if err != nil {
		p.add(param, pointer, "%v", err)
	}
}

func (p *problems) query(query string) {
	switch n := utf8.RuneCountInString(query); {
	case !utf8.ValidString(query):
		p.add("query", "/query", "must be valid UTF-8")
	case n > maxQuery:
		p.add("query", "/query", "must have 1 to %d characters, not %d", maxQuery, n)
	case query != "" && isBlank(query):
		p.add("query", "/query", "must not be white space alone")
	}
}

func (p *problems) limit(limit int) {
	if limit != 0 && !ValidLimit(limit) {
		p.add("limit", "/limit", "must be 1 to %d", MaxPageItems)
	}
}

func (p *problems) filters(list []Expression, cat *Catalogue) {
	if len(list) > maxExpressions {
		p.add("filter", "/filters", "must be %d filters at most, not %d", maxExpressions, len(list))
		return
	}
	for i, e := range list {
		pointer := jsontree.Pointer("/filters", strconv.Itoa(i))
		f, err := cat.Filter(e.ID)
		if err != nil {
			p.check("filter", pointer+"/id", err)
			continue
		}
		place, err := e.Check(f)
		p.check("filter", pointer+place, err)
	}
	if i := repeated(list, cat); i >= 0 {
		p.add("filter", jsontree.Pointer("/filters", strconv.Itoa(i)), "is the same filter as one before")
	}
}

// body returns what is sent, unless there are problems.
func (p *problems) body(tree *jsontree.Node) (jsontext.Value, error) {
	body := tree.Value()
	if most := RequestLimits().Bytes; len(body) > most {
		p.add("", "", "the search has %d bytes and may have %d at most", len(body), most)
	}
	if len(*p) == 0 {
		return body, nil
	}
	err := fault.New(fault.Usage, "invalid_search", "the search is not valid")
	if len(*p) == 1 {
		err.Message = (*p)[0].Message
	}
	err.Problems = *p
	return nil, err
}
