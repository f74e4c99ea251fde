package mcp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/fault"
)

// Program is the name of the program that speaks the protocol.
const Program = "agentctl-mcp"

// goodbye is how long the program may take to take leave of the server.
const goodbye = time.Second

// Server is an MCP server in another program, which is started at once and runs until [Server.Close]. It does one thing at a
// time. When the context of a request ends, so does the program, and with it all that can be done with the server.
type Server struct {
	settings Settings

	mu      sync.Mutex // one request at a time
	process *companion.Process
	lines   *bufio.Scanner
	list    []jsontext.Value // the tools as they came; nil while they have not been asked for
}

// Start starts the program at an absolute path. Without it the fault is "mcp_missing", of kind [fault.Internal].
func Start(ctx context.Context, program string, settings Settings) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	process, err := companion.Start(program, "serve")
	switch {
	case errors.Is(err, companion.ErrMissing):
		return nil, fault.New(fault.Internal, "mcp_missing", "the program %s, which speaks MCP, is not beside agentctl", Program).
			WithHint("install it in the directory of agentctl")
	case err != nil:
		return nil, fault.New(fault.Internal, "mcp_failed", "%w", err)
	}
	return &Server{settings: settings, process: process, lines: newLines(process.Out)}, nil
}

// Connect opens a session with the server at a URL. The header fields in secrets go to the origin of the URL alone, with
// every request; they reach the program through its pipe, never through arguments or environment.
func (s *Server) Connect(ctx context.Context, url string, secrets http.Header) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
	_, err := s.ask(ctx, request{Op: opConnect, Connect: &Target{
		URL: url, Secrets: secrets, Settings: s.settings, Verbose: s.settings.Trace != nil || s.settings.Note != nil,
	}})
	return err
}

// Tools returns all tools that the server lists, those that cannot be used among them, in its order. The server is asked once.
func (s *Server) Tools(ctx context.Context) ([]Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureList(ctx); err != nil {
		return nil, err
	}
	tools := readTools(s.list)
	for i := range tools {
		tools[i].checkSchemas()
	}
	return tools, nil
}

// Tool returns one tool that can be used. Others are faults of kind [fault.Manifest]: "tool_missing", "tool_unusable".
func (s *Server) Tool(ctx context.Context, name string) (*Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tool(ctx, name)
}

// Call calls a tool with a JSON object as its arguments. The call is sent once; with an idempotency key, which goes as the
// header Idempotency-Key, it is tried again like a read. A tool that the server does not list, or that cannot be used, is
// not called: see [Server.Tool].
//
// What a server says is a fault of kind [fault.Rejected]: "mcp_error" for an error of the protocol, with its code, message and
// data as details, "tool_error" when the tool itself failed, which comes with its result, and "mcp_input_required" when
// the server wants to ask something back. Sent says whether the call can have had its effect.
func (s *Server) Call(ctx context.Context, tool string, arguments jsontext.Value, idempotencyKey string) (*Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(arguments) > MaxMessageBytes {
		return nil, fault.New(fault.Usage, "invalid_arguments", "the arguments are larger than %d MiB", MaxMessageBytes>>20)
	}
	if _, err := s.tool(ctx, tool); err != nil {
		return nil, err
	}
	answer, err := s.ask(ctx, request{Op: opCall, Call: &Call{tool, arguments, idempotencyKey}})
	if err != nil {
		return nil, err
	}
	result, err := readResult(answer.Result)
	if err != nil {
		return nil, err
	}
	return result, result.fault(s.redact)
}

// Close ends the session and the program.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return nil
	}
	err := s.process.End(2 * goodbye)
	s.process = nil
	return err
}

// tool finds a usable tool in the list.
func (s *Server) tool(ctx context.Context, name string) (*Tool, error) {
	if err := s.ensureList(ctx); err != nil {
		return nil, err
	}
	tools := readTools(s.list)
	for i := range tools {
		tool := &tools[i]
		if tool.Name != name {
			continue
		}
		if tool.checkSchemas(); tool.Unusable != "" {
			return nil, fault.New(fault.Manifest, "tool_unusable", "the tool %q cannot be used: %s", fault.Word(name), tool.Unusable)
		}
		return tool, nil
	}
	return nil, fault.New(fault.Manifest, "tool_missing", "the MCP server lists no tool %q", fault.Word(name))
}

func (s *Server) ensureList(ctx context.Context) error {
	if s.list != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ListLimit)
	defer cancel()
	answer, err := s.ask(ctx, request{Op: opTools})
	if err == nil {
		s.list = append([]jsontext.Value{}, answer.Tools...) // not nil
	}
	return err
}

// ask sends one request and waits for its answer. When ctx ends the program gets a moment to take leave of the server.
func (s *Server) ask(ctx context.Context, q request) (line, error) {
	if err := ctx.Err(); err != nil {
		return line{}, err
	}
	if s.process == nil {
		return line{}, fault.New(fault.Internal, "mcp_failed", "%s has ended", Program)
	}
	process := s.process
	stop := context.AfterFunc(ctx, func() {
		_ = process.In.Close()
		time.AfterFunc(goodbye, process.Kill)
	})
	answer, sending, err := s.exchange(q)
	if !stop() || err != nil { // it has ended, or is no longer to be talked to
		failed := process.End(goodbye)
		s.process = nil
		if err != nil && ctx.Err() == nil {
			err = fault.New(fault.Internal, "mcp_failed", "%s ended early: %w", filepath.Base(Program), errors.Join(failed, err))
		}
	}
	switch {
	case err == nil && answer.Failure == nil: // even when ctx ended meanwhile: the answer is there
		return answer, nil
	case err == nil && ctx.Err() == nil:
		e := answer.Failure.Fault()
		e.Message = s.redact(e.Message)
		return line{}, e
	case answer.Failure != nil && answer.Failure.Sent == fault.SentNo: // it knows better
		sending = false
	}
	return line{}, givenUp(cmp.Or(ctx.Err(), err), sending)
}

// givenUp is a request without an answer. sending says whether the call of a tool went out.
func givenUp(why error, sending bool) error {
	e := *fault.From(why)
	e.Sent = fault.SentNo
	if sending {
		e.Sent = fault.SentUnknown
	}
	if e.Code == "timeout" {
		e.Message, e.Hint = "the MCP server did not answer within the time limit", "allow more with --timeout"
	}
	return &e
}

// exchange writes a request and reads lines until the answer. sending says whether the call of a tool went out.
func (s *Server) exchange(q request) (answer line, sending bool, err error) {
	if err := writeLine(s.process.In, q); err != nil {
		return answer, false, err
	}
	for {
		var l line
		if err := readLine(s.lines, &l); err != nil {
			return answer, sending, err
		}
		switch {
		case l.Done:
			return l, sending, nil
		case l.Sending:
			sending = true
		case l.Event != nil && s.settings.Trace != nil:
			s.settings.Trace(l.Event.event())
		case l.Note != "" && s.settings.Note != nil:
			s.settings.Note(l.Note)
		}
	}
}

func (s *Server) redact(text string) string {
	if s.settings.Redact == nil {
		return text
	}
	return s.settings.Redact(text)
}
