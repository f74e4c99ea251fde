package auth

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// AgentStore keeps what a run of AEP leaves behind for one account: it implements [aep.Store]. All of it is secret or
// personal, so all of it is in a keyring.
type AgentStore struct {
	store   *Store
	account Account
}

// AgentStore returns the store for the agent of an account.
func (s *Store) AgentStore(account Account) *AgentStore { return &AgentStore{s, account} }

// place is the keyring that has the agent's key.
func (a *AgentStore) place() (Place, error) {
	agent, ok, err := a.store.Agent(a.account)
	if err == nil && !ok {
		err = NoAgent(a.account)
	}
	return agent.Keyring, err
}

// Unfinished implements [aep.Store].
func (a *AgentStore) Unfinished(ctx context.Context, scope aep.Scope) (u aep.Unfinished, ok bool, err error) {
	place, err := a.place()
	if err != nil {
		return u, false, err
	}
	text, err := a.store.keyring(place).get(ctx, agentUnfinished(a.account, scope.Op))
	switch {
	case errors.Is(err, errNotFound):
		return u, false, nil
	case err != nil:
		return u, false, keyringFault(err, "agentctl aep "+string(scope.Op)+" "+a.account.words())
	}
	damaged := strictjson.Decode([]byte(text), &u)
	if damaged == nil && u.Scope == scope {
		return u, true, nil
	}
	return aep.Unfinished{}, false, nil // of an agent before, or damaged: it can be begun anew
}

// SaveUnfinished implements [aep.Store].
func (a *AgentStore) SaveUnfinished(ctx context.Context, u aep.Unfinished) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return a.set(ctx, agentUnfinished(a.account, u.Op), string(text))
}

// ForgetUnfinished implements [aep.Store].
func (a *AgentStore) ForgetUnfinished(ctx context.Context, scope aep.Scope) error {
	place, err := a.place()
	if err != nil {
		return err
	}
	if err := a.store.forget(ctx, place, agentUnfinished(a.account, scope.Op)); err != nil {
		return keyringFault(err, "agentctl aep "+string(scope.Op)+" "+a.account.words())
	}
	return nil
}

func (a *AgentStore) set(ctx context.Context, name, secret string) error {
	place, err := a.place()
	if err != nil {
		return err
	}
	if err := a.store.keyring(place).set(ctx, name, secret); err != nil {
		return keyringFault(err, "agentctl aep status "+a.account.words())
	}
	return nil
}

// Keep implements [aep.Store]: the secret first, then what is known of it.
func (a *AgentStore) Keep(ctx context.Context, c aep.Credential) error {
	text, err := json.Marshal(c) //nolint:gosec // for the keyring, which is where it belongs
	if err != nil {
		return err
	}
	kept := AgentGrant{Type: c.Type, ID: c.ID, Expires: c.Expires.UTC(), Scopes: c.Scopes}
	if err := a.set(ctx, agentGrant(a.account, kept), string(text)); err != nil {
		return err
	}
	return a.change(func(agent *Agent) error {
		same := func(g AgentGrant) bool { return g.Type == kept.Type && g.ID == kept.ID }
		agent.Grants = append(slices.DeleteFunc(agent.Grants, same), kept)
		for len(agent.Grants) > maxAgentGrants {
			if err := a.store.forget(ctx, agent.Keyring, agentGrant(a.account, agent.Grants[0])); err != nil {
				return keyringFault(err, "agentctl aep revoke "+a.account.words())
			}
			agent.Grants = agent.Grants[1:]
		}
		return nil
	})
}

// Drop implements [aep.Store].
func (a *AgentStore) Drop(ctx context.Context, revoked aep.Revocation) error {
	return a.change(func(agent *Agent) error {
		var kept []AgentGrant
		for _, g := range agent.Grants {
			if revoked.Type != "" && g.Type != revoked.Type || revoked.ID != "" && g.ID != revoked.ID {
				kept = append(kept, g)
				continue
			}
			if err := a.store.forget(ctx, agent.Keyring, agentGrant(a.account, g)); err != nil {
				return keyringFault(err, "agentctl aep forget "+a.account.words())
			}
		}
		agent.Grants = kept
		return nil
	})
}

func (a *AgentStore) change(do func(agent *Agent) error) error {
	return a.store.agents().update(func(all map[string]Agent) error {
		agent, ok := all[a.account.String()]
		if !ok {
			return fault.New(fault.Auth, "agent_missing", "the agent for %s was forgotten meanwhile", a.account.Site())
		}
		if err := do(&agent); err != nil {
			return err
		}
		all[a.account.String()] = agent
		return nil
	})
}
