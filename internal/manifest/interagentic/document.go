package interagentic

import "github.com/agentctl/agentctl/internal/manifest"

// open checks a document as a whole and returns a reader that stands before its one object.
func open(doc []byte, limit int) (*reader, error) {
	if err := manifest.CheckObject(doc, limit, "document"); err != nil {
		return nil, err
	}
	return newReader(doc), nil
}
