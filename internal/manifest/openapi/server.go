package openapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Server is where operations can be sent to.
type Server struct {
	URL         string // absolute, with the defaults of its variables, without a slash at its end
	Description string
}

// serverList is the list of servers of a document, a path or an operation that can be used, the first one in use, or why
// there is none.
type serverList struct {
	list  []Server
	wrong *Error
}

// base returns the absolute URL that paths are joined to.
func (s serverList) base(pointer string) (string, *Error) {
	if s.wrong != nil {
		e := *s.wrong
		e.Pointer = pointer
		return "", &e
	}
	return s.list[0].URL, nil
}

// nearer returns the servers that a path or an operation has of its own, else those that it had before. Those that a
// person named are not replaced.
func (d *Document) nearer(before serverList, value jsontext.Value) serverList {
	if d.override != "" || value.Kind() == 'n' || value.Kind() == '[' && isEmpty(value) {
		return before
	}
	return d.servers(value)
}

func isEmpty(list jsontext.Value) bool {
	for range strictjson.SharedElements(list) {
		return false
	}
	return true
}

// servers reads a list of servers. Without one there is "/", which belongs to the address of the document.
func (d *Document) servers(value jsontext.Value) serverList {
	if value == nil || value.Kind() == 'n' || value.Kind() == '[' && isEmpty(value) {
		value = jsontext.Value(`[{"url":"/"}]`)
	}
	if value.Kind() != '[' {
		return serverList{wrong: &Error{CodeServer, "", "the servers are no list"}}
	}
	var out serverList
	for _, n := range jsontree.Parse(value).Items {
		text, err := FillServer(n)
		if err == nil {
			text, err = d.absolute(text)
		}
		if err == nil {
			out.list = append(out.list, Server{text, n.Member("description").Text()})
		} else if out.wrong == nil {
			out.wrong = err
		}
	}
	if len(out.list) > 0 {
		out.wrong = nil
	}
	return out
}

// absolute resolves the URL of a server, and holds it to what requests may go to.
func (d *Document) absolute(text string) (string, *Error) {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" {
		return "", &Error{CodeServer, "", "the server " + quoted(text) + " is no plain URL"}
	}
	if !u.IsAbs() {
		from, err := url.Parse(d.from)
		if err != nil || !from.IsAbs() {
			return "", &Error{CodeServer, "", "the document does not say where its server is: name one with --server"}
		}
		u = from.ResolveReference(u)
		u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", &Error{CodeServer, "", "the server " + quoted(text) + " is no https URL"}
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", &Error{CodeServer, "", "the server " + quoted(text) + " is plain http, which is for localhost, 127.0.0.1 and [::1] only"}
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func quoted(text string) string { return string(strictjson.Quote(fault.Word(text))) }

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// FillServer returns the URL of a server with the defaults of its variables in place.
func FillServer(server *jsontree.Node) (string, *Error) {
	rest := server.Member("url").Text()
	if rest == "" {
		return "", &Error{CodeServer, "", "its server has no URL"}
	}
	var out strings.Builder
	for {
		before, behind, found := strings.Cut(rest, "{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(behind, "}")
		variable := server.Member("variables").Member(name)
		value := variable.Member("default")
		if !closed || value == nil || value.Kind != '"' || !oneOfEnum(variable, value.Text()) {
			return "", &Error{CodeServer, "", "the variable " + quoted(name) + " of its server has no default that can be used"}
		}
		out.WriteString(value.Text())
		rest = after
	}
}

func oneOfEnum(variable *jsontree.Node, value string) bool {
	enum := variable.Member("enum")
	return enum == nil || slices.ContainsFunc(enum.Items, func(n *jsontree.Node) bool { return n.Text() == value })
}
