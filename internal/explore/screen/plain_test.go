package screen

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
)

// dialogue is a screen that asks line by line, with all that is typed to it and an agentctl that replies.
func dialogue(t *testing.T, hello explore.Hello, typed string, reply func(explore.Request) explore.Reply) (said string, asked []explore.Request) {
	t.Helper()
	var out strings.Builder
	replies := make(chan explore.Reply, 1)
	p := &plain{hello: hello, from: replies, lines: bufio.NewReader(strings.NewReader(typed)), out: &out}
	p.world.Send = func(q explore.Request) error {
		asked = append(asked, q)
		r := reply(q)
		r.ID, r.Done = q.ID, true
		replies <- r
		return nil
	}
	_ = p.run() // mostly the end of what was typed
	return out.String(), asked
}

func requests(asked []explore.Request, op explore.Op) (of []explore.Request) {
	for _, q := range asked {
		if q.Op == op {
			of = append(of, q)
		}
	}
	return of
}

// A member of an object is not held responsible for the object: whoever leaves it empty comes to the next one.
func TestLineByLineAMemberIsNotTheObject(t *testing.T) {
	action := &explore.Description{Site: "s", Command: []string{"c"}, Fields: []explore.Field{
		{Name: "address", Path: []string{"city"}, Type: "string"}, {Name: "address", Path: []string{"a/b"}, Type: "string"},
	}}
	said, asked := dialogue(t, explore.Hello{Site: "s", Command: []string{"c"}}, "\nbad\n75001\ny\n", func(q explore.Request) explore.Reply {
		switch {
		case q.Op == explore.Action:
			return explore.Reply{Action: action}
		case q.Op == explore.Check && len(q.Given.Values) == 0:
			return explore.Reply{Problems: []fault.Problem{{Param: "address", Pointer: "/address", Keyword: "required", Message: "is required"}}}
		case q.Op == explore.Check && q.Given.Values[0].Text == "bad":
			return explore.Reply{Problems: []fault.Problem{{Param: "address", Pointer: "/address/a~1b", Message: "must match"}}}
		case q.Op == explore.Preview:
			return explore.Reply{Preview: &explore.Shown{Digest: "d"}}
		case q.Op == explore.Call:
			return explore.Reply{Result: &explore.Result{Body: []byte("the body")}}
		}
		return explore.Reply{}
	})
	calls := requests(asked, explore.Call)
	if len(calls) != 1 || len(calls[0].Given.Values) != 1 || calls[0].Given.Values[0].Text != "75001" || calls[0].Digest != "d" || strings.Count(said, "Not valid") != 1 {
		t.Errorf("%+v\n%s", calls, said)
	}
	if strings.Contains(said, "the body") { // agentctl prints it on leaving
		t.Errorf("%s", said)
	}
}

// What is wrong with several values together is told when all were asked for.
func TestLineByLineWhatIsWrongTogether(t *testing.T) {
	action := &explore.Description{Fields: []explore.Field{{Name: "a", Type: "string"}, {Name: "b", Type: "string"}}}
	together := []fault.Problem{{Message: "needs a or b"}}
	for typed, want := range map[string]int{"\n\n\n1\n\nyes\n": 1, "\n\nq\n": 0, "1\n\nyodel\n": 0, "1\n\n": 0} {
		said, asked := dialogue(t, explore.Hello{Site: "s", Command: []string{"c"}}, typed, func(q explore.Request) explore.Reply {
			switch q.Op {
			case explore.Action:
				return explore.Reply{Action: action}
			case explore.Check:
				if !slices.ContainsFunc(q.Given.Values, func(v explore.Value) bool { return v.Name == "a" }) {
					return explore.Reply{Problems: together}
				}
			case explore.Preview:
				return explore.Reply{Preview: &explore.Shown{}}
			default:
			}
			return explore.Reply{Result: &explore.Result{}}
		})
		if got := len(requests(asked, explore.Call)); got != want {
			t.Errorf("%q: %d calls\n%s", typed, got, said)
		}
	}
}
