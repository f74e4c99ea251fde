package aep

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// signTime is how long a platform may take to sign: its owner may have to agree.
const signTime = 5 * time.Minute

// HostedSigner is an agent whose platform signs for it (AEP-35).
type HostedSigner struct {
	Platform  *Platform
	Document  *PlatformDocument
	Hosted    Hosted
	Context   jsontext.Value // an object for the platform, passed on as it is; nil: none
	algorithm Algorithm
}

// Signer returns an agent as one that signs for a Service, with an algorithm that both know.
func (p *Platform) Signer(d *PlatformDocument, h Hosted, in *Inspect) (*HostedSigner, error) {
	i := slices.IndexFunc(in.Algorithms, func(a Algorithm) bool {
		return (a == EdDSA || a == ES256) && slices.Contains(h.Algorithms, a)
	})
	if i < 0 {
		return nil, fault.New(fault.Auth, "algorithm_unsupported", "%s takes no signature that the platform of %q makes", in.Origin, fault.Word(h.Agent.String()))
	}
	return &HostedSigner{Platform: p, Document: d, Hosted: h, algorithm: in.Algorithms[i]}, nil
}

// DID returns the agent.
func (s *HostedSigner) DID() DID { return s.Hosted.Agent }

// Algorithm returns how the platform is expected to sign.
func (s *HostedSigner) Algorithm() Algorithm { return s.algorithm }

// Sign has the platform sign an assertion, waits while that is pending, and looks at what it signed (AEP-36).
func (s *HostedSigner) Sign(ctx context.Context, a Assertion) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	client, handle := s.Platform.Client, s.Context
	for start := client.Now(); ; {
		got, err := s.Platform.send(ctx, s.Hosted.path(s.Document.sign), signBody(a, handle))
		if err != nil {
			return "", err
		}
		r, err := s.Platform.success(got, http.StatusOK, http.StatusAccepted)
		if err != nil {
			return "", err
		}
		answer, err := readSigned(r, got.status)
		switch {
		case err != nil:
			return "", err
		case answer.token != "":
			a.Issued = client.Now() // the platform's own clock says when; it is held to ours
			if err := answer.check(a, s.algorithm); err != nil {
				return "", badAnswer("sign", "%w", err)
			}
			return answer.token, nil
		case client.Now().Add(answer.wait).Sub(start) > signTime:
			return "", fault.New(fault.Unavailable, "signature_pending", "the platform has not signed within %s", signTime)
		}
		if answer.context != nil {
			handle = answer.context
		}
		if err := client.sleep(ctx, answer.wait); err != nil {
			return "", err
		}
	}
}

// signBody asks for an assertion. The times are the platform's to set.
func signBody(a Assertion, handle jsontext.Value) jsontext.Value {
	var body manifest.Values
	body.Set("jti", strictjson.Quote(a.ID))
	body.Set("lifetime_seconds", strictjson.Quote(strconv.FormatInt(a.Expires.Unix()-a.Issued.Unix(), 10)))
	body.Set("op", strictjson.Quote(string(a.Op)))
	body.Set("service_did", strictjson.Quote(a.Service.String()))
	if a.Resource != "" {
		body.Set("resource", strictjson.Quote(a.Resource))
	}
	if handle != nil {
		body.Set("platform_context", handle)
	}
	return body.Object()
}

// signed is a platform's answer: the assertion, or how long to wait for it.
type signed struct {
	token, jti     string
	agent, service DID
	wait           time.Duration
	context        jsontext.Value // to come back with
}

func readSigned(r *reader, status int) (signed, error) {
	var s signed
	if n := r.root.Member("platform_context"); n != nil {
		r.object("/platform_context")
		s.context = n.Value()
	}
	switch state := r.text("/status"); {
	case state == "completed" && status == http.StatusOK:
		s.token, s.jti = r.text("/client_assertion"), r.text("/jti")
		s.agent, s.service = r.did("/agent_did"), r.did("/service_did")
	case state == "pending" && status == http.StatusAccepted:
		s.wait = r.seconds("/retry_after_seconds")
	default:
		r.fail("/status", "must be \"completed\" with status 200, or \"pending\" with 202")
	}
	if r.err != nil {
		return signed{}, badAnswer("sign", "%w", r.err)
	}
	return s, nil
}

func (s signed) check(a Assertion, algorithm Algorithm) error {
	if s.jti != a.ID || s.agent != a.Agent || s.service != a.Service {
		return badAnswer("sign", "it is about another assertion")
	}
	return a.CheckSigned(s.token, algorithm)
}
