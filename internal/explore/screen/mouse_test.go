package screen

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

func TestTheMouseOpensAndScrolls(t *testing.T) {
	th := play(t, explore.Hello{Site: "shop.example"}, 80, 24)
	th.answer(explore.Open, explore.Reply{Listing: shop()})
	th.msg(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if at := th.m.top().(*list).at; at != 2 {
		t.Errorf("at %d", at)
	}
	th.frame()                                                   // nobody clicks on what was never shown
	th.msg(tea.MouseClickMsg{X: 4, Y: 5, Button: tea.MouseLeft}) // header, rule, intro, blank, hours, orders
	th.shows("orders")
	if got := th.m.top().title(); got != "orders" {
		t.Errorf("opened %q", got)
	}
}

// Other buttons, a wheel to the side and rows that cannot be seen do nothing.
func TestTheMouseDoesNothingElse(t *testing.T) {
	th := play(t, explore.Hello{Site: "shop.example"}, 80, 24)
	th.answer(explore.Open, explore.Reply{Listing: shop()})
	th.frame()
	l := th.m.top().(*list)
	for _, msg := range []tea.Msg{
		tea.MouseWheelMsg{Button: tea.MouseWheelLeft},
		tea.MouseWheelMsg{Button: tea.MouseWheelRight},
		tea.MouseClickMsg{X: 4, Y: 5, Button: tea.MouseRight},
		tea.MouseClickMsg{X: 4, Y: 5, Button: tea.MouseMiddle},
		tea.MouseReleaseMsg{X: 4, Y: 5, Button: tea.MouseLeft},
		tea.MouseMotionMsg{X: 4, Y: 5, Button: tea.MouseLeft},
		tea.MouseClickMsg{X: -1, Y: -1, Button: tea.MouseLeft},
		tea.MouseClickMsg{X: 500, Y: 500, Button: tea.MouseLeft},
	} {
		if th.msg(msg); th.m.top() != l || l.at != 0 {
			t.Errorf("%T %v does something", msg, msg)
		}
	}
	th.msg(tea.WindowSizeMsg{Width: 10, Height: 3})
	if th.msg(tea.MouseClickMsg{X: 4, Y: 1, Button: tea.MouseLeft}); th.m.top() != l {
		t.Error("a click where nothing is shown opens something")
	}
	th.msg(tea.WindowSizeMsg{Width: 80, Height: 24})
	th.press("R")
	if th.press("enter"); th.m.top() != l {
		t.Error("a row can be opened while the site is asked again")
	}
}

func TestATreeUnfoldsWhereItIsClicked(t *testing.T) {
	body := []byte(`{"orders":[{"id":"a"},{"id":"b"}]}`)
	th := answered(t, explore.Result{Status: 200, Body: body, Bytes: int64(len(body))})
	th.shows("JSON")
	th.shows("200 OK · 34 B · 1.5s")
	th.shows("▸ 0: { 1 member }")
	th.msg(tea.MouseClickMsg{X: 10, Y: 6, Button: tea.MouseLeft}) // header, rule, head, blank, root, orders, 0
	th.shows("▾ 0: {")
	th.shows("id: \"a\"")
}

func TestAClickBelowATreeUnfoldsNothing(t *testing.T) {
	th := answered(t, explore.Result{Status: 200, Body: []byte("[" + strings.Repeat("[1],", 50) + "[1]]"), Bytes: 2})
	before := len(th.m.top().(*answer).tabs[0].(*tree).shown)
	for y := th.m.bodyTop() + th.m.bodyHeight(); y < 20; y++ {
		th.msg(tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft})
	}
	if after := len(th.m.top().(*answer).tabs[0].(*tree).shown); after != before {
		t.Errorf("%d lines, then %d", before, after)
	}
}
