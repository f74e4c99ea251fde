package demo

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/demo/mcp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// usher is the club's MCP server: the tools of agent/mcp.json, and what is behind them.
func (s *shop) usher() http.Handler {
	return lazily(func() http.Handler {
		var published struct {
			Tools []mcp.Tool `json:"tools"`
		}
		doc, err := agentFiles.ReadFile("agent/mcp.json")
		if err == nil {
			err = json.Unmarshal(doc, &published)
		}
		if err != nil { // a test holds it to be good
			return http.NotFoundHandler()
		}
		for i := range published.Tools {
			t := &published.Tools[i]
			switch t.Name {
			case "ask_the_usher":
				t.Call, t.Streams = s.answerQuestion, true
			case "find_snacks":
				t.Call = s.callFindSnacks
			case "book_seats":
				t.Call = s.callBookSeats
			}
		}
		return mcp.New(mcp.Info{
			Name: "popcorn-club", Title: "Popcorn Club, the usher", Version: "1",
			Instructions: "Ask the usher before you guess. Seats are for today. Book only what somebody asked you to book.",
		}, published.Tools)
	})
}

func (s *shop) callFindSnacks(_ context.Context, arguments jsontext.Value, _ func(string)) mcp.Result {
	request, err := decodeBody[snackRequest](arguments)
	if err != nil {
		return refused("find-snacks", err)
	}
	list, err := snacksLike(request)
	if err != nil {
		return refused("find-snacks", err)
	}
	var names []string
	for _, each := range list.Items {
		names = append(names, each.Name+" for "+each.Price.String())
	}
	text := "Nothing is like that."
	if len(names) > 0 {
		text = strings.Join(names, "; ") + "."
	}
	return mcp.Result{Text: text, Structured: list}
}

func (s *shop) callBookSeats(_ context.Context, arguments jsontext.Value, _ func(string)) mcp.Result {
	request, err := decodeBody[bookingRequest](arguments)
	if err != nil {
		return refused("book-seat", err)
	}
	book, err := s.book(request)
	if err != nil {
		return refused("book-seat", err)
	}
	kept, err := s.do(deed{capability: "book-seat", status: http.StatusCreated}, receipt{}, book)
	if err != nil {
		return refused("book-seat", err)
	}
	summary, _ := strictjson.Member(kept.Answer, "summary")
	text, _ := strictjson.String(summary)
	return mcp.Result{Text: text, Structured: kept.Answer}
}

// refused is a call that could not be done: the text is for people, the rest what the other bindings answer (AM-17).
func refused(capability string, err error) mcp.Result {
	doc, _ := refusalOf(capability, err)
	return mcp.Result{Text: doc.Error.Message, Structured: doc, Failed: true}
}

// topic is something that the usher knows about.
type topic struct {
	name         string
	words        []string // that give it away
	answer       string
	capabilities []string // to go on with
}

func topics() []topic {
	return []topic{
		{"hours", []string{"open", "close", "hour", "when", "monday", "sunday", "late"}, "We open at two from Tuesday to Friday, at eleven at weekends, and sweep on Mondays.", []string{"opening-hours"}},
		{"rules", []string{"rule", "allowed", "may i", "phone", "quiet", "crunch"}, "Crunch in the loud scenes; telephones sleep.", []string{"house-rules"}},
		{"snacks", []string{"popcorn", "snack", "eat", "vegan", "topping", "caramel", "nut", "allerg"}, "Five flavours and five toppings; salted, truffle and chili-lime are vegan. Mind the nuts: there is one kitchen.", []string{"find-snacks"}},
		{"seats", []string{"seat", "film", "movie", "screening", "ticket", "book", "row"}, "Three films a day, twelve seats, free of charge. Row A is for the brave.", []string{"whats-on", "book-seat", "my-seats"}},
		{"events", []string{"event", "birthday", "party", "rent", "host"}, "The manager decides who gets the whole cinema; a party is paid for on our page.", []string{"host-an-event", "pay-for-party"}},
		{"membership", []string{"member", "cancel", "join", "club"}, "A year costs nine credits. Whoever cancels has to say the name on the card.", []string{"cancel-membership"}},
	}
}

type usherAnswer struct {
	Answer       string   `json:"answer"`
	Topics       []string `json:"topics"`
	Capabilities []string `json:"capabilities"`
}

// answerQuestion tells what the usher knows about each topic of a question.
func (s *shop) answerQuestion(_ context.Context, arguments jsontext.Value, progress func(string)) mcp.Result {
	request, err := decodeBody[struct {
		Question string `json:"question"`
	}](arguments)
	if err == nil {
		err = firstError(checkText("question", request.Question, 280), notBlank("question", request.Question))
	}
	if err != nil {
		return refused("ask-the-usher", err)
	}
	progress("The usher listens")
	question := strings.ToLower(request.Question)
	known := usherAnswer{Topics: []string{}, Capabilities: []string{}}
	var said []string
	for _, t := range topics() {
		if slices.ContainsFunc(t.words, func(word string) bool { return strings.Contains(question, word) }) {
			progress("The usher thinks about " + t.name)
			said = append(said, t.answer)
			known.Topics = append(known.Topics, t.name)
			known.Capabilities = append(known.Capabilities, t.capabilities...)
		}
	}
	known.Answer = strings.Join(said, " ")
	if len(said) == 0 {
		known.Answer = "I only know the club: its hours, rules, snacks, films, events and members."
	}
	return mcp.Result{Text: known.Answer, Structured: known}
}
