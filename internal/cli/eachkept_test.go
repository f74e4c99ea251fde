package cli

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/site"
)

func valuesOf(pairs ...string) *manifest.Values {
	v := &manifest.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], jsontext.Value(pairs[i+1]))
	}
	return v
}

// What all lines have is kept once, however large it is, and stands in its place again.
func TestLinesAreKeptWithoutWhatTheyShare(t *testing.T) {
	large := `"` + string(make([]byte, 1000)) + `"`
	b := &eachRun{shared: valuesOf("doc", large, "n", "1")}
	for _, line := range []*manifest.Values{
		valuesOf("id", `"a"`, "doc", large, "n", "1"), valuesOf("doc", large, "n", "2"), valuesOf("doc", `""`), valuesOf("", "null", "n", "1"), valuesOf(),
	} {
		packed := b.pack(nil, line)
		if len(packed) > 100 {
			t.Errorf("%d bytes", len(packed))
		}
		if got := b.unpack(packed); string(got.Object()) != string(line.Object()) {
			t.Errorf("got %s, want %s", got.Object(), line.Object())
		}
	}
}

// A file that an argument names is read when the line is checked, and when it is sent.
func TestALineIsNotSentWithAnotherFile(t *testing.T) {
	content := "checked"
	params, err := input.Compile(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &published{
		place:  &place{run: &run{}, conn: &connection{origin: "https://shop.example"}, node: &site.Node{}},
		params: params, action: &site.Action{Request: func(site.Given) (*call.Request, []fault.Problem) {
			return &call.Request{Method: "POST", URL: "https://shop.example/x", Body: []byte(content)}, nil
		}},
	}
	b := &eachRun{published: a, shared: valuesOf()}
	made, err := b.make(b.apart(), valuesOf("id", "1"))
	if err != nil {
		t.Fatal(err)
	}
	kept := &batch.Kept{Number: 1, Values: b.pack(nil, made.values), Digest: made.facts.Digest()}
	if _, err := b.again(b.apart(), kept); err != nil {
		t.Error(err)
	}
	content = "another"
	if _, err := b.again(b.apart(), kept); fault.From(err).Code != "file_changed" || fault.From(err).Kind != fault.Usage {
		t.Errorf("got %v", err)
	}
}

// What a line costs beside sending it: it is checked, kept, and made again.
func BenchmarkLine(b *testing.B) {
	params, err := input.Compile([]manifest.Param{
		{Name: "status", Schema: jsontext.Value(`{"type":"string","enum":["confirmed","delivered"]}`)},
		{Name: "limit", Schema: jsontext.Value(`{"type":"integer","minimum":1,"maximum":100}`)},
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	a := &published{
		place:  &place{run: &run{}, conn: &connection{origin: "https://shop.example"}, node: &site.Node{}},
		params: params, action: &site.Action{Request: func(site.Given) (*call.Request, []fault.Problem) {
			return &call.Request{Method: "GET", URL: "https://shop.example/orders?limit=10", Effect: manifest.Read}, nil
		}},
	}
	a.action.Params = params.Params()
	a.open = a.openNames()
	each := &eachRun{published: a, shared: valuesOf()}
	in := &batch.Input{Number: 1, Object: []byte(`{"limit":10}`)}
	b.ReportAllocs()
	for b.Loop() {
		line := each.checkAll([]lineToCheck{{in: in, number: 1}})[0]
		if len(line.problems) > 0 {
			b.Fatal(line.problems)
		}
		kept := &batch.Kept{Number: 1, Values: each.pack(nil, line.made.values)}
		if _, err := each.again(a, kept); err != nil {
			b.Fatal(err)
		}
	}
}
