package cli

import (
	"path/filepath"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/spool"
	"github.com/agentctl/agentctl/internal/site"
)

// seen leaves what a site publishes to the index of actions, when it was not known before (AA-18). It costs one small file
// and never fails a call.
func (r *run) seen(s *site.Site) {
	published := s.Published()
	if published == nil {
		return
	}
	_ = spool.Spool(filepath.Join(r.StateDir, indexDir), index.FromManifests(s.Key(), published, s.Sum(), r.Now()))
}
