package screen

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
)

// formOf is a form with these fields that was given something on the command line.
func formOf(t *testing.T, given explore.Given, files bool, fields ...explore.Field) (*theatre, *form) {
	t.Helper()
	th := play(t, explore.Hello{Site: "shop.example", Command: []string{"do"}, Given: given}, 80, 24)
	a := &explore.Description{Site: "shop.example", Command: []string{"do"}, Fields: fields}
	if files {
		a.Files = &explore.Files{Multiple: true}
	}
	th.answer(explore.Action, explore.Reply{Action: a})
	return th, th.m.top().(*form)
}

// What the command line gives is in the form as it was given: nothing is lost, split, or made into something else.
func TestAFormKeepsWhatTheLineGives(t *testing.T) {
	text := explore.Field{Name: "note", Type: "string"}
	list := explore.Field{Name: "tags", Type: "list of string", List: true}
	city, zip := explore.Field{Name: "address", Path: []string{"city"}, Type: "string"}, explore.Field{Name: "address", Path: []string{"zip"}, Type: "string"}
	deep := explore.Field{Name: "address", Path: []string{"geo", "lat"}, Type: "number"}
	size := explore.Field{Name: "size", Type: "string", Enum: []string{"small", "", "large"}}
	value := func(name, text string, path ...string) explore.Value {
		return explore.Value{Name: name, Path: path, Text: text}
	}
	for name, test := range map[string]struct {
		fields []explore.Field
		given  []explore.Value
		want   []explore.Value // nil: the same
	}{
		"a text":                       {[]explore.Field{text}, []explore.Value{value("note", "x")}, nil},
		"the last of several":          {[]explore.Field{text}, []explore.Value{value("note", "x"), value("note", "y")}, []explore.Value{value("note", "y")}},
		"several lines":                {[]explore.Field{text}, []explore.Value{value("note", "Dear baker,\n\n\tthanks.\n")}, nil},
		"a list":                       {[]explore.Field{list}, []explore.Value{value("tags", "a"), value("tags", "b c")}, nil},
		"a list of what has commas":    {[]explore.Field{list}, []explore.Value{value("tags", "a,b"), value("tags", "c")}, []explore.Value{value("tags", `["a,b","c"]`)}},
		"a list of one in brackets":    {[]explore.Field{list}, []explore.Value{value("tags", "[a"), value("tags", "b")}, []explore.Value{value("tags", `["[a","b"]`)}},
		"a member":                     {[]explore.Field{city, zip}, []explore.Value{value("address", "Paris", "city")}, nil},
		"an object with members":       {[]explore.Field{city, zip}, []explore.Value{value("address", `{"city":"Paris","zip":"75001"}`)}, []explore.Value{value("address", "Paris", "city"), value("address", "75001", "zip")}},
		"an object in an object":       {[]explore.Field{city, deep}, []explore.Value{value("address", ` {"city":"Paris","geo":{"lat":48.80}}`)}, []explore.Value{value("address", "Paris", "city"), value("address", "48.80", "geo", "lat")}},
		"an object with another":       {[]explore.Field{city, zip}, []explore.Value{value("address", `{"city":"Paris","floor":3}`)}, nil},
		"an object in a file":          {[]explore.Field{city, zip}, []explore.Value{value("address", "@home.json")}, nil},
		"a member that nobody knows":   {[]explore.Field{city, zip}, []explore.Value{value("address", "3", "floor")}, nil},
		"a whole and a member of it":   {[]explore.Field{city, zip}, []explore.Value{value("address", "Paris", "city"), value("address", "@home.json")}, []explore.Value{value("address", "@home.json"), value("address", "Paris", "city")}},
		"what nobody knows":            {[]explore.Field{text}, []explore.Value{value("nope", "1")}, nil},
		"a value of an enumeration":    {[]explore.Field{size}, []explore.Value{value("size", "large")}, nil},
		"a value that it has not":      {[]explore.Field{size}, []explore.Value{value("size", "huge")}, nil},
		"the empty text that it has":   {[]explore.Field{size}, []explore.Value{value("size", "")}, nil},
		"digits that a double has not": {[]explore.Field{{Name: "n", Type: "integer"}}, []explore.Value{value("n", "12345678901234567890.10")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := formOf(t, explore.Given{Values: test.given}, false, test.fields...)
			want := test.want
			if want == nil {
				want = test.given
			}
			if diff := cmp.Diff(want, f.given().Values); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFilesWithCommasStayOne(t *testing.T) {
	for _, files := range [][]string{{"a.png"}, {"a, b.png", "c.png"}, {"a.png", "b.png"}, {"[x].png"}} {
		_, f := formOf(t, explore.Given{Files: files}, true)
		if diff := cmp.Diff(files, f.given().Files); diff != "" {
			t.Error(diff)
		}
	}
	th, f := formOf(t, explore.Given{}, true)
	for range 2 {
		th.press("ctrl+o", "down", "down", "enter") // "..", "pictures/", "a.png"
	}
	if diff := cmp.Diff([]string{"a.png", "a.png"}, f.given().Files); diff != "" {
		t.Error(diff)
	}
}

// A text of several lines is shown on one, changed in an editor, and taken away as one thing.
func TestATextOfSeveralLines(t *testing.T) {
	th, f := formOf(t, explore.Given{}, false, explore.Field{Name: "note", Type: "string"})
	th.press("Dear ")
	th.msg(tea.PasteMsg{Content: "baker,\r\nthanks"})
	th.shows("› Dear baker,⏎thanks")
	th.press("x") // a letter would have no place
	if got := f.given().Values[0].Text; got != "Dear baker,\nthanks" {
		t.Errorf("%q", got)
	}
	edited := ""
	th.m.world.Edit = func(text string, then func(string, error) tea.Msg) tea.Cmd {
		edited = text
		return func() tea.Msg { return then("Dear baker,\nmany thanks\n", nil) }
	}
	th.press("ctrl+x")
	th.msg(th.cmds[len(th.cmds)-1]())
	if got := f.given().Values[0].Text; edited != "Dear baker,\nthanks" || got != "Dear baker,\nmany thanks" {
		t.Errorf("of %q the editor made %q", edited, got)
	}
	th.press("backspace")
	if got := f.given().Values; got != nil {
		t.Errorf("%q is left", got)
	}
	th.m.world.Edit = func(_ string, then func(string, error) tea.Msg) tea.Cmd {
		return func() tea.Msg { return then("", errors.New("no such editor")) }
	}
	th.press("ctrl+x")
	th.msg(th.cmds[len(th.cmds)-1]())
	th.shows("The editor failed: no such editor")
}

// A secret is in no file, and not on the screen.
func TestASecretIsNeverEdited(t *testing.T) {
	th, _ := formOf(t, explore.Given{}, false, explore.Field{Name: "pin", Type: "string", Secret: true}, explore.Field{Name: "x", Type: "string"})
	th.m.world.Edit = func(string, func(string, error) tea.Msg) tea.Cmd {
		t.Error("an editor got it")
		return nil
	}
	th.msg(tea.PasteMsg{Content: "12\n34"})
	th.press("ctrl+x")
	for range 2 {
		if frame := th.frame(); strings.Contains(frame, "12") || strings.Contains(frame, "34") {
			t.Errorf("it is shown:\n%s", frame)
		}
		th.press("tab")
	}
}

func TestTheEmptyTextCanBeChosen(t *testing.T) {
	th, f := formOf(t, explore.Given{}, false, explore.Field{Name: "size", Type: "string", Enum: []string{"small", "", "large"}})
	if got := f.given().Values; got != nil {
		t.Errorf("%v is given before anything was chosen", got)
	}
	th.press("right", "right")
	th.shows(`‹ "" ›`)
	if diff := cmp.Diff([]explore.Value{{Name: "size"}}, f.given().Values); diff != "" {
		t.Error(diff)
	}
}

func TestTheFormGivesWhatIsTyped(t *testing.T) {
	th := inForm(t, 80, 24)
	th.press("2", "tab", "right", "right", "tab", "right", "tab", "Paris", "tab", "a, b", "tab", "s3cret", "tab", "ctrl+o")
	th.shows("pictures/")
	if strings.Contains(th.frame(), "hidden") {
		t.Error("hidden files are listed")
	}
	th.press("/", "a.p", "enter")
	for range 20 {
		if th.m.top().(*form).checking {
			th.answer(explore.Check, explore.Reply{})
		}
	}
	want := explore.Given{Files: []string{"a.png"}, Values: []explore.Value{
		{Name: "qty", Text: "2"},
		{Name: "size", Text: "medium"},
		{Name: "gift", Text: "true"},
		{Name: "address", Path: []string{"city"}, Text: "Paris"},
		{Name: "tags", Text: "a"},
		{Name: "tags", Text: "b"},
		{Name: "pin", Text: "s3cret"},
	}}
	if diff := cmp.Diff(want, th.m.top().(*form).given()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(th.frame(), "s3cret") {
		t.Errorf("the secret is shown:\n%s", th.frame())
	}
	if th.press("up", "up"); strings.Contains(th.frame(), "s3cret") {
		t.Error("the secret is shown")
	}
}

func TestAFormWaitsForTheCheckOfWhatWasTypedLast(t *testing.T) {
	th := inForm(t, 80, 24)
	th.press("20", "ctrl+s")
	th.answer(explore.Check, explore.Reply{}) // of "2"
	th.answer(explore.Check, explore.Reply{Problems: []fault.Problem{{Param: "qty", Message: "must be at most 10"}}})
	th.shows("✗ must be at most 10")
	if _, ok := th.m.top().(*form); !ok {
		t.Error("it went on with a problem")
	}
}

// Whoever has left the form by then is not led on by it.
func TestAFormThatWasLeftDoesNotGoOn(t *testing.T) {
	th := inForm(t, 80, 24)
	th.press("2", "ctrl+s", "esc")
	th.answer(explore.Check, explore.Reply{})
	if _, ok := th.m.top().(*detail); !ok {
		t.Errorf("%T was opened", th.m.top())
	}
}

// A site that is slow is not waited for when its view was left, or asked again.
func TestLeavingAViewGivesUpItsRequest(t *testing.T) {
	th := play(t, explore.Hello{Site: "slow.example"}, 80, 24)
	open := th.last(explore.Open)
	th.press("R")
	if th.last(explore.Cancel).ID != open.ID {
		t.Error("the first request goes on")
	}
	open = th.last(explore.Open)
	th.press("esc")
	if th.last(explore.Cancel).ID != open.ID {
		t.Error("the request goes on")
	}
	th.msg(replyMsg(explore.Reply{ID: open.ID, Done: true, Notes: []string{"late"}, Listing: shop()}))
	if strings.Contains(th.frame(), "late") {
		t.Errorf("its reply is shown:\n%s", th.frame())
	}
}

func TestWhatWasGivenOnTheLineIsInTheForm(t *testing.T) {
	th := play(t, explore.Hello{Site: "shop.example", Command: []string{"orders", "create"}, Given: explore.Given{
		Values: []explore.Value{{Name: "qty", Text: "1"}, {Name: "qty", Text: "3"}, {Name: "tags", Text: "x"}, {Name: "tags", Text: "y"}, {Name: "size", Text: "huge"}},
	}}, 80, 24)
	th.answer(explore.Action, explore.Reply{Action: create()})
	want := []explore.Value{{Name: "qty", Text: "3"}, {Name: "size", Text: "huge"}, {Name: "tags", Text: "x"}, {Name: "tags", Text: "y"}}
	if diff := cmp.Diff(want, th.last(explore.Check).Given.Values); diff != "" {
		t.Error(diff)
	}
}

// What is odd is sent as it is, and shown clean.
func TestAFormKeepsWhatItCannotShow(t *testing.T) {
	const odd = "a\x1b[2Jb\u202ec\u200bd"
	fields := []explore.Field{
		{Name: "note", Type: "string"},
		{Name: "tags", Type: "list of string", List: true},
		{Name: "pick", Type: "string", Enum: []string{"a\nb", odd}},
		{Name: "name" + odd, Type: "string", Example: odd},
	}
	for _, given := range []explore.Given{
		{Values: []explore.Value{{Name: "note", Text: odd}}},
		{Values: []explore.Value{{Name: "pick", Text: odd}}},
		{Values: []explore.Value{{Name: "pick", Text: "a\nb"}}},
		{Values: []explore.Value{{Name: "name" + odd, Text: odd}}},
		{Values: []explore.Value{{Name: "tags", Text: "@a,b.json"}}},
		{Values: []explore.Value{{Name: "nope" + odd, Text: odd}}},
		{Files: []string{"f\ng", odd}},
	} {
		th, f := formOf(t, given, true, fields...)
		if diff := cmp.Diff(given, f.given()); diff != "" {
			t.Error(diff)
		}
		if frame := th.frame(); strings.ContainsAny(frame, "\x1b\u202e\u200b") || strings.Count(frame, "\n") > 24 {
			t.Errorf("%q", frame)
		}
	}
	th, f := formOf(t, explore.Given{}, false, fields[0])
	th.msg(tea.PasteMsg{Content: odd})
	if got := f.given().Values[0].Text; got != odd || strings.ContainsAny(th.frame(), "\x1b\u202e\u200b") {
		t.Errorf("%q\n%q", got, th.frame())
	}
}

func TestChoicesThatAreNoWords(t *testing.T) {
	th := play(t, explore.Hello{Site: "s", Command: []string{"c"}}, 80, 24)
	th.answer(explore.Action, explore.Reply{Action: &explore.Description{Fields: []explore.Field{{Name: "pick\nit", Type: "string", Enum: []string{"", "a\nb", "c", "\x1b[31mred"}}}}})
	th.press("enter")
	th.shows("› form › pick it\n")
	th.shows("(not given)\n  \"\"\n  a b\n  c\n  red\n")
	th.press("down", "enter")
	if got := th.m.top().(*form).given().Values; len(got) != 1 || got[0].Text != "" {
		t.Errorf("%+v", got)
	}
	th.shows("‹ \"\" ›")
}

// A secret is typed unseen, whatever the site says that it may be.
func TestASecretOfFewValuesIsNotShown(t *testing.T) {
	th := play(t, explore.Hello{Site: "s", Command: []string{"c"}}, 80, 24)
	th.answer(explore.Action, explore.Reply{Action: &explore.Description{Fields: []explore.Field{
		{Name: "a", Type: "boolean", Boolean: true, Secret: true}, {Name: "b", Type: "string", Enum: []string{"red", "blue"}, Secret: true},
	}}})
	th.press("true", "tab", "blue", "tab")
	if frame := th.frame(); strings.Contains(frame, "true") || strings.Contains(frame, "blue\n") || strings.Contains(frame, "yes") {
		t.Error(frame)
	}
	if got := th.m.top().(*form).given().Values; len(got) != 2 || got[0].Text != "true" || got[1].Text != "blue" {
		t.Errorf("%+v", got)
	}
}

func TestObjectsInAList(t *testing.T) {
	f := newField(explore.Field{Name: "l", Type: "list", List: true})
	for text, want := range map[string][]string{
		"a, b,": {"a", "b"}, `["a,b"]`: {`["a,b"]`}, `{"a":1,"b":2}`: {`[{"a":1,"b":2}]`}, `{"a":1}, {"b":2}`: {`[{"a":1}, {"b":2}]`}, "{a,b}": {"{a", "b}"}, "@a,b": {"@a,b"},
	} {
		if diff := cmp.Diff(want, f.split(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// What cannot be chosen is shown all the same: agentctl tells what is wrong with it.
func TestABooleanThatIsNone(t *testing.T) {
	th, _ := formOf(t, explore.Given{Values: []explore.Value{{Name: "gift", Text: "maybe"}}}, false, explore.Field{Name: "gift", Type: "boolean", Boolean: true})
	th.shows("‹ maybe ›")
}

// A key that is held down goes through a form and to the request, and sends nothing.
func TestAHeldKeySendsNothing(t *testing.T) {
	th, f := formOf(t, explore.Given{}, false, explore.Field{Name: "note", Type: "string"})
	th.answer(explore.Check, explore.Reply{})
	th.press("enter", "enter")
	th.answer(explore.Preview, explore.Reply{Preview: &explore.Shown{Line: "x", Request: "y"}})
	if _, ok := th.m.top().(*preview); !ok || f == nil {
		t.Fatalf("%T is shown", th.m.top())
	}
	calls := func() (n int) {
		for _, q := range th.sent {
			if q.Op == explore.Call {
				n++
			}
		}
		return n
	}
	for range 30 {
		th.now = th.now.Add(30 * time.Millisecond)
		th.press("enter")
	}
	if calls() != 0 {
		t.Error("it was sent")
	}
	th.now = th.now.Add(armTime)
	if th.press("enter"); calls() != 1 {
		t.Error("a press of its own does not send")
	}
}
