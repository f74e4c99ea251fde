package resource

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

const maxLocalizations = 16

// readLocalizations reads the languages that a resource is there in: none twice, and among them the one that it is in, if
// it names one (ODP-53). Upper and lower case are the same.
func readLocalizations(c *odp.Cursor, language string) []string {
	if c == nil {
		return nil
	}
	var tags []string
	for _, element := range c.Elements(1, maxLocalizations) {
		tag := element.Tag()
		if containsFold(tags, tag) {
			element.Fail("%q is there twice", tag)
		}
		tags = append(tags, tag)
	}
	if language != "" && !containsFold(tags, language) {
		c.Fail("must contain the language %q", language)
	}
	return tags
}

func containsFold(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) })
}
