package auth

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Agent is what is known of a person's agent at one Service of AEP without touching a keyring. It holds no secret.
type Agent struct {
	Service   aep.DID       `json:"service"`
	DID       aep.DID       `json:"agent"`
	KeyName   string        `json:"key"` // behind "#" in its document
	Algorithm aep.Algorithm `json:"algorithm"`
	Keyring   Place         `json:"keyring"`
	Added     time.Time     `json:"added"`
	State     aep.State     `json:"state,omitempty"` // as the Service told it last; "" when it was never asked
	Asked     time.Time     `json:"asked,omitzero"`  // when that was
	Grants    []AgentGrant  `json:"grants,omitempty"`
}

// AgentGrant is what is known of a credential that a Service granted.
type AgentGrant struct {
	Type    aep.GrantType `json:"type"`
	ID      string        `json:"id,omitempty"`
	Expires time.Time     `json:"expires_at"`
	Scopes  []string      `json:"scopes,omitempty"`
}

// StoredAgent is an account with its agent.
type StoredAgent struct {
	Account
	Agent
}

// maxAgentGrants is how many credentials of one agent are kept; older ones are the Service's to forget.
const maxAgentGrants = 32

// agents is the file that tells which accounts have an agent.
func (s *Store) agents() document[Agent] {
	return document[Agent]{filepath.Join(s.ConfigDir, "aep.json"), func(name string, a Agent) bool {
		return strings.Contains(name, "://") && !a.Service.IsZero() && !a.DID.IsZero() && (a.Keyring == System || a.Keyring == File)
	}}
}

// The names of an agent's secrets in a keyring. No account has a "!" in its name.
func agentKey(account Account) string { return account.String() + "!aep" }

func agentUnfinished(account Account, op aep.Op) string {
	return account.String() + "!aep:" + string(op)
}

func agentGrant(account Account, g AgentGrant) string {
	return account.String() + "!aep:" + string(g.Type) + ":" + g.ID
}

// Agent tells whether an account has an agent.
func (s *Store) Agent(account Account) (agent Agent, ok bool, err error) {
	all, err := s.agents().read()
	if err != nil {
		return Agent{}, false, err
	}
	agent, ok = all[account.String()]
	return agent, ok, nil
}

// Agents lists all agents, in the order of their accounts.
func (s *Store) Agents() ([]StoredAgent, error) {
	all, err := s.agents().read()
	if err != nil {
		return nil, err
	}
	list := make([]StoredAgent, 0, len(all))
	for name, agent := range all {
		list = append(list, StoredAgent{parseAccount(name), agent})
	}
	slices.SortFunc(list, func(a, b StoredAgent) int { return strings.Compare(a.String(), b.String()) })
	return list, nil
}

// AddAgent keeps the key of a new agent, then what is known of it. An account has one agent (AEP-12).
func (s *Store) AddAgent(ctx context.Context, account Account, service aep.DID, identity aep.Identity) error {
	text, err := identity.Key.PKCS8()
	if err != nil {
		return err
	}
	agent := Agent{
		Service: service, DID: identity.Agent, KeyName: identity.Name, Algorithm: identity.Algorithm(), Keyring: s.place,
		Added: s.Now().UTC().Truncate(time.Second),
	}
	return s.agents().update(func(all map[string]Agent) error {
		if _, exists := all[account.String()]; exists {
			return fault.New(fault.Usage, "agent_exists", "there is an agent for %s already", account.Site()).
				WithHint("agentctl aep forget %s forgets it, with its key", account.words())
		}
		all[account.String()] = agent
		if err := s.keyring(agent.Keyring).set(ctx, agentKey(account), string(text)); err != nil {
			return keyringFault(err, "agentctl aep document "+account.words())
		}
		return nil
	})
}

// AgentIdentity gets the key of an account's agent from its keyring. The fault is agent_missing when there is none.
func (s *Store) AgentIdentity(ctx context.Context, account Account) (aep.Identity, Agent, error) {
	agent, ok, err := s.Agent(account)
	if err != nil {
		return aep.Identity{}, Agent{}, err
	}
	if !ok {
		return aep.Identity{}, Agent{}, NoAgent(account)
	}
	text, err := s.keyring(agent.Keyring).get(ctx, agentKey(account))
	if err != nil {
		return aep.Identity{}, Agent{}, keyringFault(err, "agentctl aep forget "+account.words()+", and begin anew")
	}
	key, err := aep.ParseKey([]byte(text))
	if err != nil || key.Algorithm() != agent.Algorithm {
		return aep.Identity{}, Agent{}, fault.New(fault.Auth, "identity_damaged", "the key in the keyring is not that of the agent for %s", account.Site()).
			WithHint("agentctl aep forget %s, and begin anew", account.words())
	}
	return aep.Identity{Agent: agent.DID, Key: key, Name: agent.KeyName}, agent, nil
}

// NoAgent is the fault of an account without an agent.
func NoAgent(account Account) *fault.Error {
	return fault.New(fault.Auth, "agent_missing", "there is no agent for %s", account.Site()).WithHint("agentctl aep document %s --below did:web:DOMAIN makes one", account.words())
}

// SetAgentState keeps what a Service says of an agent.
func (s *Store) SetAgentState(account Account, state aep.State) error {
	return s.agents().update(func(all map[string]Agent) error {
		agent, ok := all[account.String()]
		if ok {
			agent.State, agent.Asked = state, s.Now().UTC().Truncate(time.Second)
			all[account.String()] = agent
		}
		return nil
	})
}

// ForgetAgent deletes everything of an agent, the secrets first: what cannot be deleted stays listed.
func (s *Store) ForgetAgent(ctx context.Context, account Account) error {
	return s.agents().update(func(all map[string]Agent) error {
		agent, ok := all[account.String()]
		if !ok {
			return NoAgent(account)
		}
		names := []string{agentKey(account), agentUnfinished(account, aep.OpEnroll), agentUnfinished(account, aep.OpGrant), agentUnfinished(account, aep.OpRevoke)}
		for _, g := range agent.Grants {
			names = append(names, agentGrant(account, g))
		}
		for _, name := range names {
			if err := s.forget(ctx, agent.Keyring, name); err != nil {
				return keyringFault(err, "agentctl aep forget "+account.words())
			}
		}
		delete(all, account.String())
		return nil
	})
}

// AgentCredential gets the newest credential of a type that is still good, from its keyring. ok is false when there is none.
func (s *Store) AgentCredential(ctx context.Context, account Account, kind aep.GrantType) (c aep.Credential, ok bool, err error) {
	agent, ok, err := s.Agent(account)
	if err != nil || !ok {
		return c, false, err
	}
	for _, g := range slices.Backward(agent.Grants) {
		if g.Type != kind || !g.Expires.After(s.Now()) {
			continue
		}
		text, err := s.keyring(agent.Keyring).get(ctx, agentGrant(account, g))
		switch {
		case errors.Is(err, errNotFound):
			continue
		case err != nil:
			return c, false, keyringFault(err, "agentctl aep grant "+account.words()+" "+string(kind))
		}
		if err := strictjson.Decode([]byte(text), &c); err != nil || c.Service != agent.Service || c.Agent != agent.DID || c.Type != kind {
			continue
		}
		return c, true, nil
	}
	return c, false, nil
}
