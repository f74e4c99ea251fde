package mcp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Headers of the transport.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// The two ways in which a request is answered; a client must be able to read both.
const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// maxBody bounds a message.
const maxBody = 64 << 10

// ServeHTTP answers messages (POST), and ends sessions (DELETE). There is no stream to listen to (GET): nothing happens here
// that a client did not ask for.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	// Only pages of this very site may ask: another one could have its name point here.
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		answer(w, http.StatusForbidden, response(nil, nil, refuse(invalidRequest, "pages of another origin may not ask here")))
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodDelete:
		if status, refused := s.checkSession(r); refused != nil {
			answer(w, status, response(nil, nil, refused))
			return
		}
		s.sessions.end(r.Header.Get(sessionHeader))
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "DELETE, POST")
		answer(w, http.StatusMethodNotAllowed, response(nil, nil, refuse(invalidRequest, "%s is not possible here, only DELETE, POST", r.Method)))
	}
}

func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	body, status, refused := readBody(r)
	if refused != nil {
		answer(w, status, response(nil, nil, refused))
		return
	}
	m, refused := parseMessage(body)
	switch {
	case refused != nil:
		answer(w, http.StatusBadRequest, response(m.ID, nil, refused))
	case m.Method == "initialize" && m.ID != nil:
		s.open(w, m)
	case m.Method != "" && m.ID != nil && !known(m.Method): // told before all else: so newer clients find out how old we are
		answer(w, http.StatusOK, response(m.ID, nil, refuse(methodNotFound, "there is no method %q", shorten(m.Method))))
	default:
		if status, refused := s.checkSession(r); refused != nil {
			answer(w, status, response(m.ID, nil, refused))
			return
		}
		s.dispatch(w, r, m)
	}
}

// open begins a session.
func (s *Server) open(w http.ResponseWriter, m message) {
	result, refused := s.initialize(m.Params)
	if refused == nil {
		w.Header().Set(sessionHeader, s.sessions.begin())
	}
	answer(w, http.StatusOK, response(m.ID, result, refused))
}

func known(method string) bool {
	return slices.Contains([]string{"initialize", "ping", "tools/list", "tools/call"}, method)
}

// dispatch answers a message of a session.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request, m message) {
	switch {
	case m.ID == nil || m.Method == "": // a notification; or a response, though nothing was asked
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		result, refused := s.list(m.Params)
		answer(w, http.StatusOK, response(m.ID, result, refused))
	case m.Method == "tools/call":
		s.serveCall(w, r, m)
	default:
		answer(w, http.StatusOK, response(m.ID, struct{}{}, nil)) // ping
	}
}

func (s *Server) serveCall(w http.ResponseWriter, r *http.Request, m message) {
	c, refused := s.parseCall(m.Params)
	switch {
	case refused != nil:
		answer(w, http.StatusOK, response(m.ID, nil, refused))
	case c.tool.Streams:
		stream(w, r, m.ID, c)
	default:
		answer(w, http.StatusOK, response(m.ID, c.run(r.Context(), func(string) {}), nil))
	}
}

// readBody reads a message that arrived as the transport wants it.
func readBody(r *http.Request) (body []byte, status int, refused *rpcError) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != jsonType {
		return nil, http.StatusUnsupportedMediaType, refuse(invalidRequest, "the body must be %s", jsonType)
	}
	if accepted := strings.Join(r.Header.Values("Accept"), ","); !accepts(accepted, jsonType) || !accepts(accepted, streamType) {
		return nil, http.StatusNotAcceptable, refuse(invalidRequest, "the client must accept %s and %s", jsonType, streamType)
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, http.StatusRequestEntityTooLarge, refuse(invalidRequest, "the body is larger than %d bytes", maxBody)
	}
	if err != nil {
		return nil, http.StatusBadRequest, refuse(parseError, "the body did not arrive whole")
	}
	return body, 0, nil
}

// accepts reports whether an Accept header has a media type, or all of its kind.
func accepts(header, mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	for entry := range strings.SplitSeq(header, ",") {
		name, _, _ := strings.Cut(entry, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case mediaType, kind + "/*", "*/*":
			return true
		}
	}
	return false
}

// checkSession refuses a request outside of any session. A client that sends no version speaks one from before there was the
// header; the tools are the same for it.
func (s *Server) checkSession(r *http.Request) (status int, refused *rpcError) {
	if version := r.Header.Get(versionHeader); version != "" && !slices.Contains(versions(), version) {
		return http.StatusBadRequest, refuse(invalidRequest, "the protocol version %q is not spoken here, only %s", shorten(version), strings.Join(versions(), ", "))
	}
	id := r.Header.Get(sessionHeader)
	switch {
	case id == "":
		return http.StatusBadRequest, refuse(invalidRequest, "the request belongs to no session: initialize one")
	case !s.sessions.has(id):
		return http.StatusNotFound, refuse(invalidRequest, "the session is over: initialize another")
	}
	return 0, nil
}

func answer(w http.ResponseWriter, status int, m message) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_, _ = w.Write(encode(m)) //nolint:gosec // it is JSON, and says so; a client that hung up cannot be told
}

// encode cannot fail: the parts of a message are JSON already.
func encode(m message) []byte {
	text, _ := json.Marshal(m)
	return text
}

// stream makes a call and answers with events: what it tells on the way, and the response, which ends the stream.
func stream(w http.ResponseWriter, r *http.Request, id jsontext.Value, c call) {
	w.Header().Set("Content-Type", streamType)
	w.WriteHeader(http.StatusOK)
	send := func(m message) {
		_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", encode(m)) // JSON text has no line breaks
		_ = http.NewResponseController(w).Flush()
	}
	told := 0
	result := c.run(r.Context(), func(text string) {
		if c.token == nil {
			return
		}
		told++
		if m, refused := notification("notifications/progress", map[string]any{"progressToken": c.token, "progress": told, "message": text}); refused == nil {
			send(m)
		}
	})
	send(response(id, result, nil))
}
