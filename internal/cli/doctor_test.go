package cli

import (
	"bytes"
	"testing"

	"github.com/agentctl/agentctl/internal/streams"
)

func TestQuietFindingsNameNoSiteThatIsWell(t *testing.T) {
	var out bytes.Buffer
	r := &run{Env: Env{Streams: &streams.Streams{Out: &out}, Getenv: func(string) string { return "" }}}
	r.Quiet = true
	err := r.listFindings([]finding{
		{Name: "version", State: healthy, Message: "1.0"},
		{Name: "network", Site: "well", State: healthy, Message: "answers"},
		{Name: "network", Site: "ill", State: warning, Message: "is silent", Hint: "wait"},
	})
	if want := "ill\n  warning  network  is silent\n                    → wait\n"; err != nil || out.String() != want {
		t.Errorf("got %q, %v, want %q", out.String(), err, want)
	}
}
