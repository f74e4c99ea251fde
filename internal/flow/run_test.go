package flow

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
)

const paper = `{"query":"paper","quantity":2}`

// files are the names in the directory of runs.
func files(t testing.TB, r *Runner) []string {
	t.Helper()
	var out []string
	entries, _ := os.ReadDir(r.Store.Dir)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") {
			out = append(out, e.Name())
		}
	}
	return out
}

// outputsOf are details.outputs as they are printed.
func outputsOf(t testing.TB, e *fault.Error) string {
	t.Helper()
	text, err := json.Marshal(e.Details["outputs"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAFlowFromSearchToCheckout(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	got, err := r.Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"flow":"buy_product","steps":[` +
		`{"action":"search_products","output":{"items":[{"id":"p1","price":12345678901234567890}]}},` +
		`{"action":"add_to_cart","output":{"cart_id":"c<1>"}},` +
		`{"action":"checkout","output":{"order_id":"o1","total":9.90}}],"output":{"order_id":"o1","total":9.90}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	sent := []string{`search_products{"query":"paper"}`, `add_to_cart{"product_id":"p1","quantity":2}`, `checkout{"cart_id":"c<1>"}`}
	if !slices.Equal(s.inputs, sent) {
		t.Errorf("sent %q", s.inputs)
	}
	if left, _ := os.ReadDir(r.Store.Dir); len(left) > 0 {
		t.Errorf("a run that succeeded left %v", left)
	}
	events := "started search_products|finished search_products " + s.answers["search_products"] + " false|started add_to_cart|" +
		`finished add_to_cart {"cart_id":"c<1>"} false|started checkout|finished checkout {"order_id":"o1","total":9.90} false`
	if got := strings.Join(s.events, "|"); got != events {
		t.Errorf("got %s", got)
	}
}

// AA-12: types are preserved; only references in the flow itself count.
func TestValuesOfReferences(t *testing.T) {
	s := newSite()
	s.answers["a"] = `{"n":1.0,"s":"$input.x","l":[null,{"0":[true]}],"big":12345678901234567890}`
	c := catalog{"a": {"read", ""}}
	p := planOf(t, `[{"action":"a"},{"action":"a","with":{"n":"$steps.0.n","s":"$steps.0.s","null":"$steps.0.l.0","deep":[[{"t":"$steps.0.l.1.0.0"}]],
		"all":"$steps.0.l","big":"$steps.0.big","d":"$$steps.0","five":"$5","x":"$input.x","gone":"$input.y","list":[1,"$input.y","$input.y",2,"$input.x","$input.y"]}}]`, c)
	if _, err := s.runner(t.TempDir()).Run(t.Context(), p, valuesOf(`{"x":"$steps.0"}`)); err != nil {
		t.Fatal(err)
	}
	want := `a{"n":1.0,"s":"$input.x","null":null,"deep":[[{"t":true}]],"all":[null,{"0":[true]}],"big":12345678901234567890,` +
		`"d":"$steps.0","five":"$5","x":"$steps.0","list":[1,2,"$steps.0"]}`
	if s.inputs[1] != want {
		t.Errorf("got  %s\nwant %s", s.inputs[1], want)
	}
}

// A reference that leads nowhere stops the run before the step is sent.
func TestReferencesThatLeadNowhere(t *testing.T) {
	for ref, word := range map[string]string{
		"$steps.0.none":            `there is no member "none"`,
		"$steps.0.items.1":         "there is no item 1",
		"$steps.0.items.999999":    "there is no item 999999",
		"$steps.0.items.-1":        `"-1" is no number of an item`,
		"$steps.0.items.00":        `"00" is no number of an item`,
		"$steps.0.items.id":        `"id" is no number of an item`,
		"$steps.0.items.0.id.x":    `there is no "x" in a string`,
		"$steps.0.items.0.price.":  "",
		"$steps.0.items.0.price.0": `there is no "0" in a number`,
	} {
		s := newSite()
		steps := `[{"action":"search_products","with":{"query":"ab"}},{"action":"any","with":{"a":{"b":"` + ref + `"}}}]`
		c := shop()
		c["any"] = [2]string{"spend", ""}
		if word == "" {
			if _, err := Compile(flowOf(t, steps), c.lookup); err == nil {
				t.Errorf("%s: accepted", ref)
			}
			continue
		}
		_, err := s.runner(t.TempDir()).Run(t.Context(), planOf(t, steps, c), valuesOf(`{}`))
		e := wantFault(t, err, fault.Manifest, "step_input_invalid")
		if got := e.Problems; len(got) != 1 || got[0].Pointer != "/steps/1/with/a/b" || !strings.Contains(got[0].Message, word) || !strings.Contains(got[0].Message, ref) {
			t.Errorf("%s: got %+v", ref, got)
		}
		if e.Details["step"] != 1 || e.Details["action"] != "any" || e.Sent != fault.SentNo || len(s.inputs) != 1 {
			t.Errorf("%s: got %+v, sent %v", ref, e, s.inputs)
		}
	}
}

func TestAnInputThatIsNotValidOnceItIsKnown(t *testing.T) {
	s := newSite()
	s.answers["add_to_cart"] = `{"cart_id":7}`
	_, err := s.runner(t.TempDir()).Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper))
	e := wantFault(t, err, fault.Manifest, "step_input_invalid")
	if got, want := lines(e.Problems), "/steps/2/with/cart_id type"; got != want || len(s.inputs) != 2 {
		t.Errorf("got %s, sent %v", got, s.inputs)
	}
	if e.Sent != fault.SentYes || e.Details["sent"] != fault.SentNo { // the cart was filled
		t.Errorf("sent %s, %v", e.Sent, e.Details["sent"])
	}
}

func TestInputsThatAreNotValidStartNothing(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	_, err := r.Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(`{"query":"paper","quantity":0}`))
	e := wantFault(t, err, fault.Usage, "invalid_arguments")
	if lines(e.Problems) != "quantity /quantity minimum" || s.inputs != nil || files(t, r) != nil {
		t.Errorf("got %+v, sent %v", e.Problems, s.inputs)
	}
}

// AA-16: the site's own error, with the place and what is done; the run goes on behind it, and nothing is bought twice.
func TestAStepFailsAndTheRunIsResumed(t *testing.T) {
	s := newSite()
	s.errors["checkout"] = refused(409, "sold_out")
	r := s.runner(t.TempDir())
	p := planOf(t, buyProduct, shop())
	_, err := r.Run(t.Context(), p, valuesOf(paper))
	e := wantFault(t, err, fault.Rejected, "sold_out")
	if e.Message != "step 3 of 3 (checkout): no" || e.Status != 409 || e.RetryAfter != 7 || e.Sent != fault.SentYes || e.Details["left"] != 3 {
		t.Errorf("got %+v", e)
	}
	if e.Details["step"] != 2 || e.Details["action"] != "checkout" {
		t.Errorf("got %+v", e.Details)
	}
	if got := outputsOf(t, e); got != `[{"items":[{"id":"p1","price":12345678901234567890}]},{"cart_id":"c\u003c1\u003e"}]` {
		t.Errorf("got %s", got)
	}
	id := e.Details["run"].(string)
	delete(s.errors, "checkout")
	got, err := r.Resume(t.Context(), p, id, false)
	if err != nil || !strings.HasSuffix(string(got), `{"cart_id":"c<1>"}},{"action":"checkout","output":{"order_id":"o1","total":9.90}}],"output":{"order_id":"o1","total":9.90}}`) {
		t.Errorf("got %s, %v", got, err)
	}
	if len(s.inputs) != 4 || s.inputs[2] != s.inputs[3] {
		t.Errorf("sent %q", s.inputs)
	}
	_, err = r.Resume(t.Context(), p, id, false)
	wantFault(t, err, fault.Usage, "unknown_run")
}

func TestTheSitesDetailsAreNotChanged(t *testing.T) {
	s := newSite()
	site := refused(400, "bad")
	s.errors["search_products"] = site
	_, err := s.runner(t.TempDir()).Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper))
	if e := wantFault(t, err, fault.Rejected, "bad"); e.Details["step"] != 0 || outputsOf(t, e) != "[]" || len(site.Details) != 1 || site.Message != "no" {
		t.Errorf("got %+v, %+v", e.Details, site)
	}
}

// A step of which nobody knows whether it was done is done again only when somebody says so.
func TestWhichStepsAreRepeated(t *testing.T) {
	unknown := &fault.Error{Kind: fault.Unavailable, Code: "connection_reset", Sent: fault.SentUnknown}
	for name, test := range map[string]struct {
		err    error
		action string // that fails
		free   bool   // whether it is repeated without being told
	}{
		"not sent":                      {&fault.Error{Kind: fault.Approval, Code: "approval_required"}, "checkout", true},
		"refused":                       {refused(422, "x"), "checkout", true},
		"an error document with 200":    {refused(200, "x"), "checkout", true},
		"too many requests":             {&fault.Error{Kind: fault.Unavailable, Status: 429, Sent: fault.SentYes}, "checkout", true},
		"the site failed":               {&fault.Error{Kind: fault.Unavailable, Status: 503, Sent: fault.SentYes}, "checkout", false},
		"the site waited too long":      {refused(408, "x"), "checkout", false},
		"broken off":                    {unknown, "checkout", false},
		"broken off while reading":      {&fault.Error{Kind: fault.Unavailable, Code: "connection_reset", Status: 200, Sent: fault.SentYes}, "checkout", false},
		"interrupted after sending":     {&fault.Error{Kind: fault.Interrupted, Code: "interrupted", Sent: fault.SentUnknown}, "checkout", false},
		"no fault of ours":              {errCut, "checkout", false},
		"broken off, but it only reads": {unknown, "search_products", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite()
			s.errors[test.action] = test.err
			r := s.runner(t.TempDir())
			p := planOf(t, buyProduct, shop())
			_, err := r.Run(t.Context(), p, valuesOf(paper))
			e := fault.From(err)
			id, _ := e.Details["run"].(string)
			delete(s.errors, test.action)
			sent := len(s.inputs)
			_, err = r.Resume(t.Context(), p, id, false)
			if test.free {
				if err != nil {
					t.Fatalf("not repeated: %v", err)
				}
				return
			}
			if e := wantFault(t, err, fault.Usage, "step_unknown"); e.Details["step"] != 2 || e.Hint == "" || len(s.inputs) != sent {
				t.Fatalf("got %+v", e)
			}
			if _, err := r.Resume(t.Context(), p, id, true); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// What an earlier try left in doubt, a later one that was not even sent does not make certain.
func TestDoubtStays(t *testing.T) {
	s := newSite()
	s.errors["checkout"] = errCut
	r := s.runner(t.TempDir())
	p := planOf(t, buyProduct, shop())
	_, err := r.Run(t.Context(), p, valuesOf(paper))
	id := fault.From(err).Details["run"].(string)
	for _, second := range []error{&fault.Error{Kind: fault.Approval, Code: "declined"}, refused(409, "exists")} {
		s.errors["checkout"] = second
		_, err = r.Resume(t.Context(), p, id, true)
		if e := fault.From(err); e.Details["run"] != id {
			t.Fatalf("got %+v", e)
		}
		_, err = r.Resume(t.Context(), p, id, false)
		wantFault(t, err, fault.Usage, "step_unknown")
	}
}

// A kill at any moment leaves a file that tells no more than is certain.
func TestWhatAKillLeaves(t *testing.T) {
	dir := t.TempDir()
	s := newSite()
	r := s.runner(dir)
	var kept []byte
	r.Do = func(ctx context.Context, call StepCall) ([]byte, error) {
		body, err := s.do(ctx, call)
		if call.Name == "add_to_cart" { // as the file is when the program is killed now
			path := filepath.Join(r.Store.Dir, files(t, r)[0])
			kept, _ = os.ReadFile(path)
		}
		return body, err
	}
	p := planOf(t, buyProduct, shop())
	if _, err := r.Run(t.Context(), p, valuesOf(paper)); err != nil {
		t.Fatal(err)
	}
	var run Run
	if err := json.Unmarshal(kept, &run); err != nil || run.Steps[0].State != Done || run.Steps[1].State != Started || run.Steps[2].State != Pending {
		t.Fatalf("%v: %s", err, kept)
	}
	if err := os.WriteFile(filepath.Join(r.Store.Dir, run.ID+".json"), kept, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := r.Resume(t.Context(), p, run.ID, false)
	wantFault(t, err, fault.Usage, "step_unknown")
	s.inputs = nil
	if _, err := r.Resume(t.Context(), p, run.ID, true); err != nil || len(s.inputs) != 2 {
		t.Errorf("%v, sent %q", err, s.inputs)
	}
}

func TestInterruptedBetweenSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSite()
	r := s.runner(t.TempDir())
	r.Do = func(ctx context.Context, call StepCall) ([]byte, error) {
		if call.Name == "add_to_cart" {
			defer cancel()
		}
		return s.do(ctx, call)
	}
	p := planOf(t, buyProduct, shop())
	_, err := r.Run(ctx, p, valuesOf(paper))
	e := wantFault(t, err, fault.Interrupted, "interrupted")
	if e.Exit() != 130 || e.Details["step"] != 2 || e.Details["action"] != "checkout" || e.Sent != fault.SentYes || !strings.Contains(outputsOf(t, e), "cart_id") {
		t.Errorf("got %+v", e)
	}
	if _, err := r.Resume(t.Context(), p, e.Details["run"].(string), false); err != nil || len(s.inputs) != 3 {
		t.Errorf("%v, sent %q", err, s.inputs)
	}
}

func TestARunIsResumedOnlyAsItWasBegun(t *testing.T) {
	s := newSite()
	s.errors["checkout"] = refused(409, "x")
	dir := t.TempDir()
	p := planOf(t, buyProduct, shop())
	_, err := s.runner(dir).Run(t.Context(), p, valuesOf(paper))
	id := fault.From(err).Details["run"].(string)

	elsewhere := s.runner(dir)
	elsewhere.Origin = "https://evil.example"
	_, err = elsewhere.Resume(t.Context(), p, id, false)
	wantFault(t, err, fault.Usage, "run_mismatch")

	other := *p
	other.Name = "sell_product"
	_, err = s.runner(dir).Resume(t.Context(), &other, id, false)
	wantFault(t, err, fault.Usage, "run_mismatch")

	c := shop()
	c["checkout"] = [2]string{"write", c["checkout"][1]}
	_, err = s.runner(dir).Resume(t.Context(), planOf(t, buyProduct, c), id, true)
	wantFault(t, err, fault.Manifest, "flow_changed")

	changed := strings.Replace(buyProduct, `"$input.quantity"`, "20", 1)
	_, err = s.runner(dir).Resume(t.Context(), planOf(t, changed, shop()), id, true)
	wantFault(t, err, fault.Manifest, "flow_changed")
}

func TestACallThatDoesNotSayThatItIsSent(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	r.Do = func(context.Context, StepCall) ([]byte, error) { return []byte("{}"), nil }
	_, err := r.Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper))
	wantFault(t, err, fault.Internal, "internal")
}

func TestOutputs(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for name, test := range map[string]struct {
		body, want string // "" for one that cannot be kept
	}{
		"JSON, less white space":    {" {\"b\": 1.0,\n\"a\":\"\\u0041\"}\n", `{"b":1.0,"a":"\u0041"}`},
		"nothing":                   {"", "null"},
		"white space":               {" \n", "null"},
		"text":                      {"# Done\n", `"# Done\n"`},
		"a broken document":         {`{"a":`, `"{\"a\":"`},
		"bytes that are no text":    {"\xff\xfe", "null"},
		"bytes with NUL":            {"a\x00b", "null"},
		"much text":                 {strings.Repeat("x ", 1<<20), "null"},
		"the largest":               {`"` + strings.Repeat("x", MaxOutput-2) + `"`, `"` + strings.Repeat("x", MaxOutput-2) + `"`},
		"too large":                 {`"` + strings.Repeat("x", MaxOutput-1) + `"`, ""},
		"too deep":                  {deep, ""},
		"a member twice":            {`{"a":1,"a":2}`, ""},
		"a number that costs a lot": {`1e999999999`, ""},
	} {
		got, err := output([]byte(test.body), maxOutputs)
		if string(got) != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: got %.100s, %v", name, got, err)
		}
	}
	if _, err := output([]byte(`"xyz"`), 4); err == nil {
		t.Error("the outputs of a run may be larger than all together")
	}
}

// A step whose output is too much is done all the same: it is never sent again, and what needs its output says so.
func TestAnOutputThatCannotBeKept(t *testing.T) {
	tooLarge := &fault.Error{Kind: fault.Unavailable, Code: "too_large", Status: 200, Sent: fault.SentYes}
	for name, prepare := range map[string]func(*site){
		"found here":           func(s *site) { s.answers["add_to_cart"] = `"` + strings.Repeat("x", MaxOutput) + `"` },
		"found while it comes": func(s *site) { s.errors["add_to_cart"] = tooLarge },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite()
			prepare(s)
			r := s.runner(t.TempDir())
			p := planOf(t, buyProduct, shop())
			_, err := r.Run(t.Context(), p, valuesOf(paper))
			e := wantFault(t, err, fault.Unavailable, "output_not_kept")
			if e.Details["step"] != 1 || e.Sent != fault.SentYes || !strings.HasSuffix(outputsOf(t, e), ",null]") {
				t.Errorf("got %+v", e)
			}
			told := 0
			r.NotKept = func(step int, _ string) { told += step }
			_, err = r.Resume(t.Context(), p, e.Details["run"].(string), false)
			e = wantFault(t, err, fault.Manifest, "step_input_invalid")
			if told != 1 || e.Details["step"] != 2 || !strings.Contains(e.Problems[0].Message, "could not be kept") || len(s.inputs) != 2 {
				t.Errorf("got %+v, sent %d", e, len(s.inputs))
			}
		})
	}
}

func TestAnInputThatReferencesMultiply(t *testing.T) {
	s := newSite()
	s.answers["a"] = `"` + strings.Repeat("x", 6<<20) + `"`
	p := planOf(t, `[{"action":"a"},{"action":"a","with":{"x":"$steps.0","y":"$steps.0"}}]`, catalog{"a": {"read", ""}})
	_, err := s.runner(t.TempDir()).Run(t.Context(), p, valuesOf(`{}`))
	e := wantFault(t, err, fault.Manifest, "step_input_invalid")
	if !strings.Contains(e.Problems[0].Message, "larger than 10 MiB") || len(s.inputs) != 1 {
		t.Errorf("got %+v", e)
	}

	s.answers["a"] = strings.Repeat("[", 60) + strings.Repeat("]", 60)
	p = planOf(t, `[{"action":"a"},{"action":"a","with":{"x":[[[["$steps.0"]]]]}}]`, catalog{"a": {"read", ""}})
	_, err = s.runner(t.TempDir()).Run(t.Context(), p, valuesOf(`{}`))
	if e := wantFault(t, err, fault.Manifest, "step_input_invalid"); !strings.Contains(e.Problems[0].Message, "deeper") {
		t.Errorf("got %+v", e)
	}
}

func TestValuesOfACall(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	r.Do = func(ctx context.Context, call StepCall) ([]byte, error) {
		if got := call.Values.Object(); string(got) != string(call.Input) || call.Steps != 3 || call.Action == nil {
			t.Errorf("got %s, %+v", got, call)
		}
		return s.do(ctx, call)
	}
	if _, err := r.Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper)); err != nil {
		t.Fatal(err)
	}
}

func TestPick(t *testing.T) {
	for path, want := range map[string]string{"a/b/1": `{"c": 1}`, "a/b/1/c": "1", "a": `{"b": [0 , {"c": 1}]}`, "é": "null", "a/b/2": "", "a/x": "", "é/x": ""} {
		got, err := pick(jsontext.Value(`{"a":{"b": [0 , {"c": 1}]},"\u00e9":null}`), strings.Split(path, "/"))
		want = strings.ReplaceAll(want, " ", "")
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %s, %v", path, got, err)
		}
	}
}

// A step that only reads is read again: its output is never taken for null because it could not be kept.
func TestAReadThatCannotBeKept(t *testing.T) {
	s := newSite()
	found := s.answers["search_products"]
	s.answers["search_products"] = `"` + strings.Repeat("x", MaxOutput) + `"`
	r := s.runner(t.TempDir())
	r.NotKept = func(step int, name string) { t.Errorf("step %d (%s) is told to be null", step, name) }
	p := planOf(t, buyProduct, shop())
	_, err := r.Run(t.Context(), p, valuesOf(paper))
	e := wantFault(t, err, fault.Unavailable, "output_not_kept")
	if e.Details["step"] != 0 || e.Details["state"] != Failed || outputsOf(t, e) != "[]" {
		t.Errorf("got %+v", e)
	}
	s.answers["search_products"] = found
	if _, err = r.Resume(t.Context(), p, e.Details["run"].(string), false); err != nil {
		t.Errorf("read again: %v", err)
	}
}
