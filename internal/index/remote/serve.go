package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
)

// Server answers for an index.
type Server struct {
	// Open opens the index at the first request that needs it.
	Open func(context.Context) (index.Index, error)
	// Fold brings the index up to date before it is asked, and returns notes for people.
	Fold func(context.Context, index.Index) ([]string, error)
	// Rebuild makes the index anew. It is not open meanwhile.
	Rebuild func(context.Context) (*Rebuilt, []string, error)

	index index.Index // nil while it is not open
}

// Serve answers requests until in ends. Its error is about the two streams; what goes wrong with the index is a reply.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.close()
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q request
		switch err := requests.Decode(&q); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault.New(fault.Usage, "invalid_request", "the request cannot be read: %w", err)
		}
		answer, err := s.answer(ctx, q)
		answer.Failure = companion.FailureOf(err)
		if err := replies.Encode(answer); err != nil {
			return err
		}
	}
}

func (s *Server) close() {
	if s.index != nil {
		_ = s.index.Close() // all that was asked for has been answered
		s.index = nil
	}
}

func (s *Server) answer(ctx context.Context, q request) (a reply, err error) {
	if q.Op == opRebuild {
		s.close()
		a.Rebuilt, a.Notes, err = s.Rebuild(ctx)
		return a, err
	}
	if s.index == nil {
		if s.index, err = s.Open(ctx); err != nil {
			s.index = nil // an interface that holds a nil pointer is not nil
			return a, err
		}
	}
	if q.Op != opPut { // what is put now is newer than what waits, and folding is for those who ask
		if a.Notes, err = s.Fold(ctx, s.index); err != nil {
			return a, err
		}
	}
	return s.ask(ctx, q, a)
}

func (s *Server) ask(ctx context.Context, q request, a reply) (reply, error) {
	var err error
	switch {
	case q.Op == opPut && q.Site != nil:
		err = s.index.Put(ctx, *q.Site)
	case q.Op == opRemove:
		a.Known, err = s.index.Remove(ctx, q.Origin)
	case q.Op == opSearch && q.Query != nil:
		a.Hits, err = s.index.Search(ctx, *q.Query)
	case q.Op == opSites:
		a.Sites, err = s.index.Sites(ctx)
	case q.Op == opStats:
		var stats index.Stats
		stats, err = s.index.Stats(ctx)
		a.Stats = &stats
	default:
		err = fault.New(fault.Usage, "invalid_request", "%q is no request, or it is not whole", q.Op)
	}
	return a, err
}
