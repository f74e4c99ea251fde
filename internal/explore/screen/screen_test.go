package screen

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// theatre is a screen whose agentctl is the test.
type theatre struct {
	*testing.T
	m    *Model
	sent []explore.Request
	cmds []tea.Cmd
	now  time.Time
}

func play(t *testing.T, hello explore.Hello, w, h int) *theatre {
	t.Helper()
	th := &theatre{T: t, now: time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)}
	disk := fstest.MapFS{"a.png": {}, "b.txt": {}, ".hidden": {}, "pictures/c.png": {}}
	th.m = New(World{
		Send:    func(q explore.Request) error { th.sent = append(th.sent, q); return nil },
		ReadDir: func(path string) ([]fs.DirEntry, error) { return disk.ReadDir(path) },
		Now:     func() time.Time { return th.now },
	}, hello)
	th.msg(tea.WindowSizeMsg{Width: w, Height: h})
	return th
}

func (th *theatre) msg(msg tea.Msg) {
	if _, cmd := th.m.Update(msg); cmd != nil {
		th.cmds = append(th.cmds, cmd)
	}
}

// press types keys: names such as enter stand for themselves, everything else for its letters.
func (th *theatre) press(keys ...string) {
	named := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "f1": {Code: tea.KeyF1},
		"ctrl+s": {Code: 's', Mod: tea.ModCtrl}, "ctrl+e": {Code: 'e', Mod: tea.ModCtrl}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
		"ctrl+o": {Code: 'o', Mod: tea.ModCtrl}, "ctrl+x": {Code: 'x', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
	}
	for _, key := range keys {
		if k, ok := named[key]; ok {
			th.msg(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range key {
			th.msg(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// last is the last request of a kind.
func (th *theatre) last(op explore.Op) explore.Request {
	th.Helper()
	for _, q := range slices.Backward(th.sent) {
		if q.Op == op {
			return q
		}
	}
	th.Fatalf("no %s was sent: %+v", op, th.sent)
	return explore.Request{}
}

// answer replies to the last request of a kind.
func (th *theatre) answer(op explore.Op, r explore.Reply) {
	th.Helper()
	r.ID, r.Done = th.last(op).ID, r.Question == ""
	th.msg(replyMsg(r))
}

func (th *theatre) frame() string {
	lines := strings.Split(ansi.Strip(th.m.frame()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// reads lets the person look at what is shown.
func (th *theatre) reads() {
	th.frame()
	th.now = th.now.Add(armTime)
}

func (th *theatre) golden(name string) {
	th.Helper()
	got := th.frame()
	for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if width(line) > th.m.width || i >= th.m.height {
			th.Errorf("%s: line %d does not fit: %q", name, i, line)
		}
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			th.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		th.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		th.Errorf("%s (go test -update accepts it):\n%s", name, diff)
	}
}

func (th *theatre) shows(want string) {
	th.Helper()
	if !strings.Contains(th.frame(), want) {
		th.Errorf("%q is not shown:\n%s", want, th.frame())
	}
}

func (th *theatre) quits() bool {
	for _, cmd := range th.cmds {
		if _, ok := cmd().(tea.QuitMsg); ok {
			return true
		}
	}
	return false
}

func shop() *explore.Listing {
	return &explore.Listing{Site: "shop.example", Name: "The Shop", Description: "Sells things", Items: []explore.Item{
		{Command: []string{"hours"}, Description: "When the shop is open", Action: true, Usable: true, Note: "read", Effect: "read"},
		{Command: []string{"orders"}, Description: "What was ordered", Group: true},
		{Command: []string{"orders", "create"}, Description: "Order things, paid at the door", Action: true, Usable: true, Note: "spend (4.50 EUR)", Effect: "spend"},
		{Command: []string{"orders", "lost"}, Description: "Cannot be found", Action: true, Note: "cannot be used: no schema"},
		{Command: []string{"flows"}, Description: "Sequences of actions", Helper: true, Note: "on the command line"},
	}}
}

func create() *explore.Description {
	return &explore.Description{
		Site: "shop.example", Command: []string{"orders", "create"}, Line: "agentctl shop.example orders create",
		Text: "Order things, paid at the door", Effect: "spend", Facts: [][2]string{{"effect", "spend, asks before it is sent"}, {"payment", "4.50 EUR"}},
		Fields: []explore.Field{
			{Name: "qty", Type: "integer", Limits: "1 to 10", Required: true, Example: "2", Description: "How many"},
			{Name: "size", Type: "string", Enum: []string{"small", "medium", "large"}, Default: "medium"},
			{Name: "gift", Type: "boolean", Boolean: true},
			{Name: "address", Path: []string{"city"}, Type: "string", Description: "Town"},
			{Name: "tags", Type: "list of string", List: true},
			{Name: "pin", Type: "string", Secret: true},
		},
		Files: &explore.Files{Multiple: true, Help: "a file to send"}, Example: "agentctl shop.example orders create 2",
	}
}

// inForm is a screen at the form of the shop's order.
func inForm(t *testing.T, w, h int) *theatre {
	t.Helper()
	th := play(t, explore.Hello{Site: "shop.example"}, w, h)
	th.answer(explore.Open, explore.Reply{Listing: shop()})
	th.press("/", "orcr", "enter")
	th.answer(explore.Action, explore.Reply{Action: create()})
	th.press("enter")
	th.answer(explore.Check, explore.Reply{Problems: []fault.Problem{{Param: "qty", Keyword: "required", Message: "is required"}}})
	return th
}

func TestFrames(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"120x30", 120, 30}, {"80x24", 80, 24}, {"40x12", 40, 12}, {"20x5", 20, 5}} {
		t.Run(size.name, func(t *testing.T) {
			th := play(t, explore.Hello{}, size.w, size.h)
			th.answer(explore.Sites, explore.Reply{Sites: []explore.Site{{Name: "demo", What: "the demo site"}, {Name: "shop.example", What: "seen before"}}})
			th.golden("sites-" + size.name)
			th.press("down", "enter")
			th.answer(explore.Open, explore.Reply{Listing: shop()})
			if size.w >= asideWidth { // what is beside the rows comes from the cache
				if q := th.last(explore.Action); !q.Cached {
					t.Errorf("%+v would ask the site", q)
				}
				th.answer(explore.Action, explore.Reply{Failure: &explore.Failure{}})
			}
			th.golden("site-" + size.name)
			th = inForm(t, size.w, size.h)
			th.press("20")
			th.answer(explore.Check, explore.Reply{})
			th.answer(explore.Check, explore.Reply{Problems: []fault.Problem{{Param: "qty", Pointer: "/qty", Message: "must be at most 10"}}})
			th.golden("form-" + size.name)
			th.press("backspace", "backspace", "2")
			for range 4 {
				th.answer(explore.Check, explore.Reply{Line: "agentctl shop.example orders create 2"})
			}
			th.golden("filled-" + size.name)
			th.press("ctrl+s")
			th.answer(explore.Preview, explore.Reply{Preview: &explore.Shown{
				Line: "agentctl shop.example orders create 2 --size large --pin \"$PIN\"", Request: "POST https://shop.example/orders\nContent-Type: application/json\n\n{\n  \"qty\": 2\n}\n",
			}})
			th.golden("preview-" + size.name)
			th.press("enter")
			th.answer(explore.Call, explore.Reply{Question: "This spends 4.50 EUR at shop.example.\n  command: orders create\n  effect:  spend\n  what is sent\n    | qty: 2\nGo ahead? [y/N] "})
			th.golden("question-" + size.name)
			for range 12 { // as often as a small window needs
				if th.m.top().(*preview).asked != nil {
					th.reads()
					th.press("y")
				}
			}
			th.answer(explore.Call, explore.Reply{Result: &explore.Result{Status: 201, ContentType: "application/json", Body: []byte(`{"orders":[{"id":"a","lines":[{"n":1}]},{"id":"b"}],"total":12345678901234567890}`), Bytes: 80, Table: "ID  LINES\na   1\nb\n"}})
			th.golden("tree-" + size.name)
			th.press("tab")
			th.golden("table-" + size.name)
			th.press("ctrl+r")
			th.golden("history-" + size.name)
			th.press("?")
			th.golden("keys-" + size.name)
		})
	}
}

func TestAWindowThatIsTooSmallSaysSo(t *testing.T) {
	th := play(t, explore.Hello{}, 12, 3)
	if got := th.frame(); got != "Too small. …\n" {
		t.Errorf("%q", got)
	}
	if th.press("q"); !th.quits() || th.m.Code() != 0 {
		t.Error("q does not leave")
	}
}

func TestFailuresAreShown(t *testing.T) {
	failure := explore.Reply{Failure: &explore.Failure{Failure: companion.Failure{Kind: fault.Rejected, Code: "sold_out", Message: "nothing is left", Hint: "agentctl shop.example"}}}
	th := play(t, explore.Hello{Site: "shop.example"}, 80, 24)
	th.answer(explore.Open, failure)
	th.shows("nothing is left")
	th.shows("hint: agentctl shop.example")
	th = inForm(t, 80, 24)
	th.press("2")
	th.answer(explore.Check, explore.Reply{})
	th.press("ctrl+s")
	th.answer(explore.Preview, explore.Reply{Preview: &explore.Shown{}})
	th.press("enter")
	th.answer(explore.Call, failure)
	th.shows("nothing is left")
	th.press("h")
	th.shows("failed: rejected")
}

func TestTheTreeFoldsAndIsSearched(t *testing.T) {
	x := newTree([]byte(`{"a":{"b":{"c":{"deep":"needle"}}},"n":1.0,"s":"a\u001b[2Jb","list":[]}`))
	m := &Model{theme: newTheme(true), width: 80, height: 24}
	show := func() string { return ansi.Strip(strings.Join(x.body(m, 80, 30), "\n")) }
	if got := show(); strings.Contains(got, "needle") || !strings.Contains(got, "n: 1.0") || !strings.Contains(got, "list: []") || strings.Contains(got, "\x1b") {
		t.Errorf("%s", got)
	}
	x.find.query = "needle"
	if x.search(); !strings.Contains(show(), `▌           deep: "needle"`) {
		t.Errorf("%s", show())
	}
	x.at = 1
	if x.update(m, tea.KeyPressMsg{Code: tea.KeyLeft}); !strings.Contains(show(), "a: { 1 member }") {
		t.Errorf("%s", show())
	}
}

func TestKeysThatLeave(t *testing.T) {
	th := play(t, explore.Hello{Site: "shop.example"}, 80, 24)
	th.press("q")
	th.shows("agentctl")
	if th.quits() {
		t.Fatal("q left from the second view")
	}
	if th.press("esc"); !th.quits() || th.m.Code() != 0 {
		t.Error("esc does not leave from the first view")
	}
	th = inForm(t, 80, 24)
	th.press("q")
	if th.quits() || th.m.top().(*form).fields[0].text() != "q" {
		t.Error("q is no letter in a form")
	}
	if th.press("ctrl+c"); !th.quits() || th.m.Code() != 130 {
		t.Error("ctrl+c does not leave")
	}
}

// In a wide window the rows have something beside them: what is in a group, or an action in full where the cache has it.
func TestAWideListExplainsTheChosenRow(t *testing.T) {
	th := play(t, explore.Hello{Site: "shop.example"}, 120, 30)
	th.answer(explore.Open, explore.Reply{Listing: shop()})
	th.answer(explore.Action, explore.Reply{Failure: &explore.Failure{}}) // "hours" is not in the cache
	th.shows("│ agentctl shop.example hours")
	th.press("down")
	th.shows("│ create  Order things, paid at the door")
	th.press("enter")
	th.answer(explore.Action, explore.Reply{Action: create()})
	th.shows("│ Arguments")
	th.golden("group-120x30")
	asked := len(th.sent)
	th.press("down", "up", "down", "up")
	if len(th.sent) != asked { // "lost" cannot be used, and "create" is known by now
		t.Errorf("asked again: %+v", th.sent[asked:])
	}
	th.frame()
	th.msg(tea.MouseClickMsg{X: 90, Y: 5, Button: tea.MouseLeft})
	if got := th.m.top().title(); got != "orders" {
		t.Errorf("a click beside the rows opened %q", got)
	}
}

// answered is a screen that shows the answer of a call.
func answered(t *testing.T, r explore.Result) *theatre {
	t.Helper()
	th := play(t, explore.Hello{}, 80, 12)
	th.m.push(newAnswer(th.m, &past{action: create(), took: 1500 * time.Millisecond, reply: explore.Reply{Result: &r}}))
	th.frame()
	return th
}

func TestTheHeadOfATableStays(t *testing.T) {
	table := "ID\n" + strings.Repeat("row\n", 50) + "last\n"
	th := answered(t, explore.Result{Status: 200, Body: []byte("[]"), Bytes: 2, Table: table})
	th.press("tab")
	th.frame()
	th.press("G")
	th.shows("ID\n  row")
	th.shows("  last\n")
	th.shows("100 %")
}

func TestWhatIsPastedIsSearched(t *testing.T) {
	body := []byte(`{"a":1,"needle":"x"}`)
	th := answered(t, explore.Result{Status: 200, Body: body, Bytes: int64(len(body)), Table: "A\nhay\nneedle\n"})
	for range 2 {
		th.press("/")
		th.msg(tea.PasteMsg{Content: "nee\x1b[31mdle\n"})
		th.shows("/ needle█")
		if th.press("enter"); !strings.Contains(th.frame(), "▌     needle") && !strings.Contains(th.frame(), "▌ needle") {
			t.Error(th.frame())
		}
		th.press("esc", "tab")
	}
	th = play(t, explore.Hello{}, 80, 24)
	th.answer(explore.Sites, explore.Reply{})
	th.press("/")
	th.msg(tea.PasteMsg{Content: "\x1b]0;x\x07shop\u202e.example\n"})
	if strings.ContainsAny(th.frame(), "\x1b\x07\u202e") {
		t.Errorf("%q", th.frame())
	}
}

func TestCtrlZSuspends(t *testing.T) {
	th := play(t, explore.Hello{}, 80, 24)
	th.msg(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl})
	if _, ok := th.cmds[len(th.cmds)-1]().(tea.SuspendMsg); !ok {
		t.Error("it does not")
	}
}

func TestWrapNeverBreaksAFlag(t *testing.T) {
	for _, w := range []int{5, 9, 12, 30} {
		for _, line := range wrap("agentctl demo create --notify --a-b", w) {
			if strings.HasSuffix(line, "-") && w > 9 || width(line) > w {
				t.Errorf("%d: %q", w, line)
			}
		}
	}
	if got := wrap("  'a   b'  c", 20); len(got) != 1 || got[0] != "  'a   b'  c" {
		t.Errorf("%q", got)
	}
	if diff := cmp.Diff([]string{"  \"a\": 1,", "", "b"}, wrap("  \"a\": 1,\n\nb", 20)); diff != "" {
		t.Error(diff)
	}
}
