package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// agentBaseline: ODP-153. A claim of conformance has to name all that an agent has to do; and what it names has to be done
// here indeed, which a small trial of each shows. Whatever else it names may be left out.
func agentBaseline(t testcase) error {
	claimed := texts(t.first("behaviors"))
	for _, b := range baseline() {
		if !slices.Contains(claimed, b.name) {
			return t.valid(fmt.Errorf("the claim lacks %q", b.name))
		}
		if err := b.try(); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	return t.valid(nil)
}

// behavior is one thing that an agent has to do.
type behavior struct {
	name string
	try  func() error
}

func baseline() []behavior {
	return []behavior{
		{"inspect-service", func() error {
			_, err := small()
			return err
		}},
		{"list-offerings", tryList},
		{"follow-pagination", tryPages},
		{"get-offering", func() error {
			_, err := resource.ParseOffering([]byte(`{"odp_version":"1.0","id":"a","name":"A"}`), odp.Full)
			return err
		}},
		{"process-representations", func() error {
			return resource.CheckDetailFields(
				tree(`{"id":"a","name":"A","detail_fields":["/description"]}`), tree(`{"odp_version":"1.0","id":"a","name":"A","description":"D."}`))
		}},
		{"process-localization", func() error {
			service, err := small()
			if err == nil && (service.Language != "en" || !odp.ValidTag("de-DE-u-co-phonebk") || odp.ValidTag("en-a")) {
				err = errors.New("languages are not understood")
			}
			return err
		}},
		{"honor-caching", tryCache},
		{"handle-errors-and-limits", tryErrors},
		{"enforce-redirect-and-security", func() error {
			return refused(fetch.SameOriginRedirect("https://a.example/x", "https://b.example/x"))
		}},
		{"enforce-compatibility", func() error {
			return errors.Join(odp.CheckVersion("1.7"), refused(odp.CheckVersion("2.0")))
		}},
	}
}

// refused turns a refusal into success.
func refused(err error) error {
	if err == nil {
		return errors.New("what breaks a rule was accepted")
	}
	return nil
}

func small() (*odp.Service, error) {
	return odp.ParseService(serviceWith("keywords", tree(`[]`), nil), "https://service.example")
}

func tryList() error {
	service, err := small()
	if err != nil {
		return err
	}
	url, err := service.Address(odp.ListOfferings, "", odp.View{Limit: 10})
	if err == nil && url != "https://service.example/odp/offerings?limit=10" {
		err = fmt.Errorf("the address is %q", url)
	}
	return err
}

func tryPages() error {
	rules := resource.PageRules{Origin: "https://service.example", Representation: odp.Terse}
	page, err := resource.ParseOfferings([]byte(`{"odp_version":"1.0","items":[{"id":"a","name":"A"}],"next":"/2"}`), rules)
	if err != nil {
		return err
	}
	way := resource.NewTraversal(rules.Origin, "https://service.example/odp/offerings", 0)
	if url, err := way.Next(page.Next); err != nil || url != "https://service.example/2" || !way.Keep(page.Items[0].ID) {
		return fmt.Errorf("the next page is %q: %w", url, err)
	}
	return nil
}

func tryCache() error {
	reused, err := reuses(question{}, question{}, kept{})
	if err == nil && !reused {
		err = errors.New("a fresh answer was asked for again")
	}
	return err
}

func tryErrors() error {
	body := []byte(`{"type":"https://offeringprotocol.org/problems/not-found","title":"None","status":404,"code":"NOT_FOUND"}`)
	if e := resource.Failure(http.StatusNotFound, odp.ProblemMediaType, body, 0); e.Code != "NOT_FOUND" || e.Kind != fault.Rejected {
		return fmt.Errorf("the problem became %s %s", e.Kind, e.Code)
	}
	_, err := resource.ParseOffering(size{bytes: odp.ResourceLimits().Bytes + 1}.document(`{"odp_version":"1.0","id":"a","name":"A"}`), odp.Full)
	return refused(err)
}
