package screen

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

func TestNothingIsSentWithoutAYesToTheQuestion(t *testing.T) {
	for name, test := range map[string]struct {
		armed bool
		keys  []string
		want  string // the answer; "-" for none
	}{
		"a yes":                     {true, []string{"y"}, "y"},
		"a no":                      {true, []string{"n"}, "n"},
		"leaving":                   {true, []string{"esc"}, ""},
		"typed before it was there": {false, []string{"y", "enter"}, "-"},
		"enter is no yes":           {true, []string{"enter"}, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			th := inForm(t, 80, 24)
			th.press("2")
			th.answer(explore.Check, explore.Reply{})
			th.press("ctrl+s")
			th.answer(explore.Preview, explore.Reply{Preview: &explore.Shown{Line: "x", Request: "y"}})
			th.press("enter")
			th.answer(explore.Call, explore.Reply{Question: "This spends.\nGo ahead? [y/N] "})
			th.frame()
			if test.armed {
				th.reads()
			}
			th.press(test.keys...)
			got := "-"
			for _, q := range th.sent {
				if q.Op == explore.Answer {
					got = q.Text
				}
			}
			if got != test.want {
				t.Errorf("answered %q", got)
			}
		})
	}
}

// asked is a question in a window, and what was answered to it.
func asked(t *testing.T, text string, w, h int) (th *theatre, said *string) {
	t.Helper()
	th, said = play(t, explore.Hello{}, w, h), new(string)
	th.m.push(&preview{asked: newQuestion(text, func(text string) { *said = text })})
	return th, said
}

const longQuestion = "This spends 4.50 EUR at shop.example.\n  what is sent\n    | a long value that takes many lines in a small window\nGo ahead? [y/N] "

func TestAYesCountsOnlyWhenAllOfTheQuestionWasShown(t *testing.T) {
	th, said := asked(t, longQuestion, 20, 5)
	shown := ""
	for presses := 0; *said == ""; presses++ {
		if presses > 20 {
			t.Fatal("it never counts")
		}
		shown += th.frame()
		th.reads()
		th.press("y")
	}
	for _, want := range []string{"4.50", "shop.example", "    | a long", "    | window"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q was not shown:\n%s", want, shown)
		}
	}
}

// Whoever scrolls to the end in leaps has not seen what lies between.
func TestWhatWasLeaptOverWasNotShown(t *testing.T) {
	th, said := asked(t, longQuestion, 20, 5)
	for range 20 {
		th.reads()
		th.msg(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	th.reads()
	if th.press("y"); *said != "" {
		t.Error("a yes counted")
	}
	th.shows("EUR at") // it goes on where reading stopped
}

func TestAKeyThatIsHeldDownIsNoYes(t *testing.T) {
	for _, height := range []int{5, 24} {
		th, said := asked(t, longQuestion, 20, height)
		for range 500 {
			th.frame()
			th.now = th.now.Add(armTime / 15)
			th.press("y")
		}
		if *said != "" {
			t.Errorf("%d lines: it was answered", height)
		}
	}
}

func TestAQuestionThatHadNoRoomIsReadFirst(t *testing.T) {
	th, said := asked(t, "This deletes.\nGo ahead? [y/N] ", 12, 3) // too small to be shown
	th.press("y")
	th.now = th.now.Add(time.Hour)
	th.msg(tea.WindowSizeMsg{Width: 80, Height: 24})
	th.frame()
	if th.press("y"); *said != "" {
		t.Error("it was answered as soon as it appeared")
	}
}

func TestACriticalCallNeedsItsCommandTyped(t *testing.T) {
	th := inForm(t, 80, 24)
	th.press("2")
	th.answer(explore.Check, explore.Reply{})
	th.press("ctrl+s")
	th.answer(explore.Preview, explore.Reply{Preview: &explore.Shown{}})
	th.press("enter")
	th.answer(explore.Call, explore.Reply{Question: "This deletes.\nTo go ahead type its command, \"orders create\": "})
	th.reads()
	th.press("orders creatf", "backspace", "e")
	th.shows("orders create█")
	if th.press("enter"); th.last(explore.Answer).Text != "orders create" {
		t.Errorf("%+v", th.last(explore.Answer))
	}
}

// Leaving a window that is too small leaves all of it: a question that cannot be seen does not stay behind.
func TestAQuestionThatCannotBeSeenIsNotLeftOpen(t *testing.T) {
	th, _ := asked(t, longQuestion, 80, 24)
	th.msg(tea.WindowSizeMsg{Width: 10, Height: 3})
	if th.press("esc"); !th.quits() {
		t.Errorf("it goes on with %T", th.m.top())
	}
}
