package main

import (
	"context"
	"io"

	"github.com/cli/browser"
)

// openURL shows a page in the browser of the system, which outlives this program.
func openURL(_ context.Context, url string) error {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard // what a browser says is not ours
	return browser.OpenURL(url)
}
