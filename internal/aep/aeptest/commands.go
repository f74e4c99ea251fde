package aeptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

type credential struct {
	agent, kind, id        string
	token, username, realm string // token is also the API key and the password
	expires                time.Time
}

// enroll answers as AEP-18 and AEP-19 say. Who is known keeps the state that it has.
func (s *Service) enroll(did, key string, body []byte) stored {
	var in struct {
		Agent  string                     `json:"agent_did"`
		Claims map[string]json.RawMessage `json:"claims"`
		Key    string                     `json:"idempotency_key"`
	}
	if json.Unmarshal(body, &in) != nil || in.Agent != did || in.Key != key {
		return problem(http.StatusBadRequest, "invalid_request")
	}
	if known := s.agents[did]; known != nil {
		return stored{http.StatusOK, map[string]any{"status": known.state}}
	}
	var missing []string
	for _, name := range s.Required {
		if _, ok := in.Claims[name]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return problem(http.StatusUnprocessableEntity, "requirements_unmet", "requirements_pending", missing)
	}
	claims, _ := json.Marshal(in.Claims)
	s.agents[did] = &agent{s.First, claims}
	answer := map[string]any{"status": s.First}
	if s.First == "pending" {
		answer["owner_action_required"], answer["verification_pending"] = "true", s.Required
	}
	return stored{http.StatusOK, answer}
}

func (s *Service) status(did string, hasBody bool) stored {
	a := s.agents[did]
	switch {
	case hasBody:
		return problem(http.StatusBadRequest, "invalid_request")
	case a == nil:
		return problem(http.StatusUnauthorized, "not_recognized")
	}
	return stored{http.StatusOK, map[string]any{"status": a.state, "since": "2026-05-28T12:00:00Z"}}
}

// refusal is why an agent cannot have, or use, a credential now; a zero one is none.
func (s *Service) refusal(did string) (stored, bool) {
	a := s.agents[did]
	if a == nil {
		return problem(http.StatusUnauthorized, "not_recognized"), true
	}
	switch a.state {
	case "active":
		return stored{}, false
	case "pending":
		return problem(http.StatusForbidden, "verification_pending"), true
	case "rejected":
		return problem(http.StatusUnauthorized, "not_recognized"), true
	}
	return problem(http.StatusForbidden, "identity_"+a.state), true
}

// grant answers as AEP-23 and AEP-24 say.
func (s *Service) grant(did string, body []byte) stored {
	var in struct {
		Type   string   `json:"grant_type"`
		Scopes []string `json:"requested_scopes"`
	}
	if refused, ok := s.refusal(did); ok {
		return refused
	}
	if json.Unmarshal(body, &in) != nil || in.Type == "" {
		return problem(http.StatusBadRequest, "invalid_request")
	}
	if !slices.Contains(s.GrantTypes, in.Type) {
		return problem(http.StatusBadRequest, "unsupported_grant_type")
	}
	s.count++
	c := &credential{
		agent: did, kind: in.Type, id: fmt.Sprintf("%s-%d", in.Type, s.count), token: fmt.Sprintf("secret-%s-%d", in.Type, s.count),
		username: "agent", realm: s.Host, expires: s.World.Now().Add(time.Hour),
	}
	s.issued = append(s.issued, c)
	answer := map[string]any{"credential_id": c.id, "expires_at": c.expires.Format(time.RFC3339), "scopes": in.Scopes}
	switch in.Type {
	case "oauth-bearer":
		answer["access_token"], answer["token_type"] = c.token, "Bearer"
	case "api-key":
		answer["api_key"], answer["header"] = c.token, "x-api-key"
	case "basic":
		answer["username"], answer["password"], answer["realm"] = c.username, c.token, c.realm
	}
	return stored{http.StatusOK, answer}
}

// revoke answers as AEP-27 says.
func (s *Service) revoke(did string, body []byte) stored {
	var in map[string]string
	if json.Unmarshal(body, &in) != nil {
		return problem(http.StatusBadRequest, "invalid_request")
	}
	all, kind, id := in["all_grant_types"], in["grant_type"], in["credential_id"]
	if all != "" && (all != "true" || len(in) != 1) || all == "" && kind == "" {
		return problem(http.StatusBadRequest, "invalid_request")
	}
	if s.agents[did] == nil {
		return problem(http.StatusUnauthorized, "not_recognized")
	}
	s.issued = slices.DeleteFunc(s.issued, func(c *credential) bool {
		return c.agent == did && (all != "" || c.kind == kind && (id == "" || c.id == id))
	})
	return stored{http.StatusOK, map[string]any{}}
}

// protected answers for everything that is no command (AEP-28 to AEP-32): with the agent's DID, or why not.
func (s *Service) protected(out http.ResponseWriter, r *http.Request) {
	did, refused := s.who(r)
	if refused.status == 0 {
		send(out, http.StatusOK, "application/json", map[string]any{"agent": did})
		return
	}
	if refused.status == http.StatusUnauthorized {
		out.Header().Set("WWW-Authenticate", fmt.Sprintf(`AEP service_did="%s", inspect="https://%s/.well-known/aep", reason="authentication_required"`, s.DID, s.Host))
	}
	refused.send(out)
}

func (s *Service) who(r *http.Request) (did string, refused stored) {
	stranger := problem(http.StatusUnauthorized, "not_recognized")
	var shown []string // credentials that AEP knows; a payment in Authorization is none
	for _, value := range r.Header.Values("Authorization") {
		if !strings.HasPrefix(value, "Payment ") {
			shown = append(shown, value)
		}
	}
	shown = append(shown, r.Header.Values("AEP-Authorization")...)
	keys := r.Header.Values("X-Api-Key")
	switch {
	case len(shown)+len(keys) == 0:
		return "", problem(http.StatusUnauthorized, "authentication_required")
	case len(shown)+len(keys) > 1:
		return "", stranger
	case len(keys) == 1:
		return s.holder("api-key", keys[0])
	}
	scheme, value, _ := strings.Cut(shown[0], " ")
	method := map[string]string{"AEP": "aep-jwt", "Bearer": "oauth-bearer", "Basic": "basic"}[scheme] //nolint:gosec // names of methods
	switch {
	case method == "" || strings.Contains(value, ","):
		return "", stranger
	case !slices.Contains(s.Methods, method):
		return "", problem(http.StatusUnauthorized, "unsupported_authentication_method")
	case method == "aep-jwt":
		claims, err := s.verify(r.Context(), value, "authenticate", "https://"+s.Host+r.URL.RequestURI())
		if err != nil {
			return "", stranger
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		refused, _ = s.refusal(claims.Subject)
		return claims.Subject, refused
	case method == "basic":
		user, password, ok := (&http.Request{Header: http.Header{"Authorization": {shown[0]}}}).BasicAuth()
		if !ok || user != "agent" {
			return "", stranger
		}
		return s.holder(method, password)
	}
	return s.holder(method, value)
}

// holder is whom a credential was issued to. One that is over, revoked or made up is not told from another.
func (s *Service) holder(kind, token string) (did string, refused stored) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.issued {
		if c.kind == kind && c.token == token && s.World.Now().Before(c.expires) {
			refused, _ = s.refusal(c.agent)
			return c.agent, refused
		}
	}
	return "", problem(http.StatusUnauthorized, "not_recognized")
}
