package cli

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

// inspectReport is "agentctl aep inspect" as a document.
type inspectReport struct {
	Site       string          `json:"site"`
	Service    aep.DID         `json:"service"`
	URL        string          `json:"url"`
	Version    string          `json:"aep_version"`
	Commands   []string        `json:"commands"`
	GrantTypes []string        `json:"grant_types"`
	Methods    []string        `json:"authentication_methods"`
	Algorithms []aep.Algorithm `json:"signing_algorithms"`
	Required   []string        `json:"claims_required"`
	Preferred  []string        `json:"claims_preferred"`
	Optional   []string        `json:"claims_optional"`
	Agent      *agentReport    `json:"agent,omitempty"` // yours; absent when there is none
}

func (r *run) newAEPInspect() *cobra.Command {
	return r.aepCommand("inspect", "Tell what a site asks of agents", func(ctx context.Context, s *aepSite) error {
		in, err := s.inspect(ctx)
		if err != nil {
			return err
		}
		report := inspectReport{
			s.word, in.Service, in.URL, in.Version, orNone(in.Commands), orNone(in.GrantTypes), orNone(in.Methods),
			append([]aep.Algorithm{}, in.Algorithms...), orNone(in.Required), orNone(in.Preferred), orNone(in.Optional), nil,
		}
		agent, ok, err := s.store.Agent(s.account)
		if err != nil {
			return err
		}
		if ok {
			known := reportAgent(s.account, agent)
			report.Agent = &known
		}
		return s.print(report, func() error { return s.showInspect(report) })
	})
}

func orNone(list []string) []string { return append([]string{}, list...) }

func (s *aepSite) showInspect(report inspectReport) error {
	h := s.newHelp()
	h.paragraph(s.heading(render.CleanLine(report.Service.String())))
	var algorithms []string
	for _, a := range report.Algorithms {
		algorithms = append(algorithms, string(a))
	}
	var rows [][]string
	for _, row := range []struct {
		name string
		list []string
	}{
		{"commands", report.Commands},
		{"grants", report.GrantTypes},
		{"takes", report.Methods},
		{"signed by", algorithms},
		{"must know", report.Required},
		{"would like to know", report.Preferred},
		{"may be told", report.Optional},
	} {
		if len(row.list) > 0 {
			rows = append(rows, []string{row.name, render.CleanLine(strings.Join(row.list, ", "))})
		}
	}
	state, next := "you have none", "agentctl aep document "+s.word+" --below did:web:DOMAIN"
	if report.Agent != nil {
		state = stateWord(report.Agent.State) + ", " + report.Agent.Agent.String()
		if next = "agentctl aep status " + s.word; report.Agent.State == "" {
			next = "agentctl aep enroll " + s.word
		}
	}
	h.rows(append(rows, []string{"your agent", render.CleanLine(state)}))
	h.line("")
	h.line(s.strong(next))
	return h.write(s.Out)
}

func (r *run) newAEPDocument() *cobra.Command {
	var below, algorithm text
	check := false
	cmd := r.aepCommand("document", "Print the document of your agent at a site, and make the agent if there is none", func(ctx context.Context, s *aepSite) error {
		return s.document(ctx, string(below), string(algorithm), check)
	})
	cmd.Long = `Print the document of your agent at a site, to be published at the URL that is told. If there is
no agent yet it is made: with a key and an address of its own below --below, so that sites cannot tell
that two agents are yours. A site reads the document when it checks who signed.`
	cmd.Example = `  agentctl aep document shop.example --below did:web:agents.example.org > did.json
  agentctl aep document shop.example --check`
	cmd.Flags().Var(&below, "below", "make a new agent below this `DID`, a did:web of an address where you can publish")
	cmd.Flags().Var(&algorithm, "algorithm", "the `KIND` of a new key: EdDSA or ES256; without it, what the site likes best")
	cmd.Flags().BoolVar(&check, "check", false, "get the document from where it has to be, and compare it")
	return cmd
}

func (s *aepSite) document(ctx context.Context, below, algorithm string, check bool) error {
	_, known, err := s.store.Agent(s.account)
	if err != nil {
		return err
	}
	switch {
	case known && (below != "" || algorithm != ""):
		return fault.New(fault.Usage, "agent_exists", "there is an agent for %s already", s.word).WithHint("agentctl aep forget %s forgets it, with its key", s.word)
	case !known && check:
		return fault.New(fault.Usage, "agent_missing", "there is no agent for %s", s.word).WithHint("agentctl aep document %s --below did:web:DOMAIN makes one", s.word)
	case !known:
		if err := s.create(ctx, below, algorithm); err != nil {
			return err
		}
	}
	identity, agent, err := s.store.AgentIdentity(ctx, s.account)
	if err != nil {
		return err
	}
	if check {
		if err := s.conn.timed(ctx, func(ctx context.Context) error { return s.client.CheckPublished(ctx, identity) }); err != nil {
			return err
		}
		return s.print(reportAgent(s.account, agent), func() error {
			return s.say("%s has the document of your agent", agent.DID.DocumentURL())
		})
	}
	document, err := identity.Document()
	if err != nil {
		return err
	}
	if err := s.printJSON(document); err != nil {
		return err
	}
	return s.say("publish it at %s, then: agentctl aep document %s --check", agent.DID.DocumentURL(), s.word)
}

// create makes an agent for the Service as it is now.
func (s *aepSite) create(ctx context.Context, below, algorithm string) error {
	if below == "" {
		return fault.New(fault.Usage, "agent_missing", "there is no agent for %s, and --below does not say where its document can be published", s.word).
			WithHint("agentctl aep document %s --below did:web:DOMAIN", s.word)
	}
	parent, err := aep.ParseDID(below)
	if err != nil {
		return fault.New(fault.Usage, "invalid_flag", "--below: %w", err)
	}
	in, err := s.inspect(ctx)
	if err != nil {
		return err
	}
	kind, ok := in.Algorithm()
	if algorithm != "" {
		kind, ok = aep.Algorithm(algorithm), algorithm == string(aep.EdDSA) || algorithm == string(aep.ES256)
	}
	if !ok {
		return fault.New(fault.Usage, "algorithm_unsupported", "%s takes no kind of key that agentctl makes: EdDSA and ES256", s.word)
	}
	identity, err := aep.NewIdentity(parent, kind, rand.Reader)
	if err != nil {
		return err
	}
	return s.store.AddAgent(ctx, s.account, in.Service, identity)
}
