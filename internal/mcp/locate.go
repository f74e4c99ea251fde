package mcp

import (
	"context"
	"io"
	"mime"
	"net/http"

	"github.com/agentctl/agentctl/internal/fetch"
)

const maxMetadataBytes = 1 << 20

// Locate asks what is at the URL that a manifest calls a server, without a credential, and returns the endpoint that it names
// (AM-15, see [Endpoint]), or the URL itself. Endpoints answer a plain GET with an error or with a stream that never ends;
// neither is read. It is one request more, so it is for URLs that look like a document, or that turned out to be no endpoint.
func Locate(ctx context.Context, client *fetch.Client, server string) (string, error) {
	response, err := client.Do(ctx, fetch.Request{
		URL: server, Header: http.Header{"Accept": {"application/json"}}, Read: true, MaxBytes: maxMetadataBytes,
	})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.Status != http.StatusOK || kind != "application/json" {
		return server, nil
	}
	doc, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if endpoint, ok, err := Endpoint(doc, response.URL); ok || err != nil {
		return endpoint, err
	}
	return server, nil
}
