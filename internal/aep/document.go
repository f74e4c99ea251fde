package aep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxDocumentBytes is the largest DID document that is read.
const maxDocumentBytes = 64 << 10

// didDocument is what an agent's owner publishes (AEP-11).
type didDocument struct {
	Context        []string             `json:"@context"`
	ID             string               `json:"id"`
	Methods        []verificationMethod `json:"verificationMethod"`
	Authentication []string             `json:"authentication"`
}

type verificationMethod struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Controller string `json:"controller"`
	Key        JWK    `json:"publicKeyJwk"`
}

// Document returns the agent's did.json, for its owner to publish at [DID.DocumentURL] of the agent.
func (i Identity) Document() ([]byte, error) {
	public, err := i.Key.Public()
	if err != nil {
		return nil, err
	}
	id := i.methodID()
	doc, err := json.MarshalIndent(didDocument{
		Context:        []string{"https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"},
		ID:             i.Agent.String(),
		Methods:        []verificationMethod{{ID: id, Type: "JsonWebKey2020", Controller: i.Agent.String(), Key: public}},
		Authentication: []string{id},
	}, "", "  ")
	return append(doc, '\n'), err
}

// methodID names the key within the document, which an id without a fragment cannot.
func (i Identity) methodID() string {
	if i.Name == "" {
		return i.Agent.String() + "#k1"
	}
	return i.keyID()
}

// CompareDocument says why a Service that reads doc would not recognise the agent; nil when it would.
func (i Identity) CompareDocument(doc []byte) error {
	if err := strictjson.Check(doc); err != nil {
		return fmt.Errorf("it is no JSON document: %w", err)
	}
	public, err := i.Key.Public()
	if err != nil {
		return err
	}
	root := jsontree.Parse(doc)
	if id := root.Member("id").Text(); id != i.Agent.String() {
		return fmt.Errorf("it is the document of %q", fault.Word(id))
	}
	methods := root.Member("verificationMethod")
	at := -1
	if methods.IsArray() {
		at = slices.IndexFunc(methods.Items, func(m *jsontree.Node) bool { return i.names(m.Member("id")) })
	}
	if at < 0 {
		return fmt.Errorf("it has no key %q", i.methodID())
	}
	method := methods.Items[at]
	if readJWK(method.Member("publicKeyJwk")) != public {
		return fmt.Errorf("its key %q is another one", i.methodID())
	}
	if controller := method.Member("controller").Text(); controller != i.Agent.String() {
		return fmt.Errorf("its key %q belongs to %q", i.methodID(), fault.Word(controller))
	}
	if !i.authenticates(root.Member("authentication")) {
		return fmt.Errorf("it does not let the key %q authenticate", i.methodID())
	}
	return nil
}

// names reports whether an id in a document, which may be relative to it, is that of the key.
func (i Identity) names(id *jsontree.Node) bool {
	text := id.Text()
	if strings.HasPrefix(text, "#") {
		text = i.Agent.String() + text
	}
	return text == i.methodID()
}

func (i Identity) authenticates(list *jsontree.Node) bool {
	return list.IsArray() && slices.ContainsFunc(list.Items, func(n *jsontree.Node) bool {
		return i.names(n) || i.names(n.Member("id"))
	})
}

func readJWK(n *jsontree.Node) JWK {
	return JWK{n.Member("kty").Text(), n.Member("crv").Text(), n.Member("x").Text(), n.Member("y").Text()}
}

// CheckPublished fetches an agent's document from where Services look for it and compares it (AEP-11). Its faults have
// code "did_document_missing" or "did_document_differs".
func (c *Client) CheckPublished(ctx context.Context, who Identity) error {
	url := who.Agent.DocumentURL()
	doc, err := c.HTTP.Get(ctx, fetch.Ask{
		URL: url, Header: http.Header{"Accept": {"application/did+json, application/json"}}, MaxBytes: maxDocumentBytes, Lifetime: -1,
	})
	switch {
	case err != nil:
		return err
	case doc.Status != http.StatusOK:
		return documentFault("did_document_missing", url, errors.New(http.StatusText(doc.Status)))
	}
	if err := who.CompareDocument(doc.Body); err != nil {
		return documentFault("did_document_differs", url, err)
	}
	return nil
}

func documentFault(code, url string, err error) *fault.Error {
	return fault.New(fault.Auth, code, "the document at %q is not the agent's: %w", fault.Word(url), err).
		WithHint("publish the agent's document there")
}
