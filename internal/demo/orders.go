package demo

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

type orderList struct {
	Orders []order `json:"orders"`
	Total  int     `json:"total"` // orders that match, listed or not
}

// orderFilter says which orders are listed.
type orderFilter struct {
	status string // "": any
	limit  int
	tags   []string // an order must carry all of them
}

func readFilter(query url.Values) (orderFilter, error) {
	const defaultLimit, maxLimit = 20, 100
	filter := orderFilter{limit: defaultLimit, tags: query["tags"]}
	status, given, err := oneValue(query, "status")
	if err != nil {
		return filter, err
	}
	if given {
		if err := checkWord("status", status, statuses()); err != nil {
			return filter, err
		}
		filter.status = status
	}
	limit, given, err := oneValue(query, "limit")
	if err != nil {
		return filter, err
	}
	if given {
		n, whole := parseWhole(jsontext.Value(limit))
		if !whole || n < 1 || n > maxLimit {
			return filter, invalid("INVALID_LIMIT", "limit", "limit must be a whole number from 1 to %d", maxLimit)
		}
		filter.limit = n
	}
	return filter, checkTags(filter.tags)
}

func (f orderFilter) matches(o order) bool {
	return (f.status == "" || f.status == o.Status) &&
		!slices.ContainsFunc(f.tags, func(tag string) bool { return !slices.Contains(o.Tags, tag) })
}

func (s *shop) listOrders(r *http.Request) (document, error) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	state, err := s.store.view()
	if err != nil {
		return nil, err
	}
	var list orderList
	for _, o := range slices.Backward(state.Orders) {
		if !filter.matches(o) {
			continue
		}
		list.Total++
		if len(list.Orders) < filter.limit {
			list.Orders = append(list.Orders, o)
		}
	}
	return list, nil
}

func (l orderList) markdown() string {
	var out strings.Builder
	out.WriteString("# 🍿 Orders\n\n")
	if len(l.Orders) == 0 {
		out.WriteString("*No order is like that.*\n")
		return out.String() + nextStep("orders create 2")
	}
	list := table{header: []string{"Order", "Status", "Flavour", "Bags", "Total", "Placed"}, right: map[int]bool{3: true, 4: true}}
	var sum cents
	for _, o := range l.Orders {
		list.add(code(o.ID), statusText(o.Status), o.Flavour, fmt.Sprint(o.Qty), dollars(o.Total), moment(o.Placed))
		sum += o.Total
	}
	list.write(&out)
	fmt.Fprintf(&out, "\n**%s**, %s in all", count(len(l.Orders), "order"), dollars(sum))
	if more := l.Total - len(l.Orders); more > 0 {
		fmt.Fprintf(&out, "; %d more with a higher `--limit`", more)
	}
	out.WriteString(".\n")
	return out.String() + nextStep("orders get "+l.Orders[0].ID)
}

// statusText marks what a reader looks for: what is not done yet stands out.
func statusText(status string) string {
	if status == delivered || status == refunded {
		return status
	}
	return "**" + status + "**"
}

func (s *shop) getOrder(r *http.Request) (document, error) {
	state, err := s.store.view()
	if err != nil {
		return nil, err
	}
	if found := state.find(r.PathValue("id")); found != nil {
		return *found, nil
	}
	return nil, orderNotFound(clip(r.PathValue("id")))
}

func (o order) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# 🍿 Order %s\n\n", code(o.ID))
	fmt.Fprintf(&out, "**%s** · %s of %s · **%s**\n\n", o.Status, count(o.Qty, "bag"), o.Flavour, dollars(o.Total))
	item := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "- **%s:** %s\n", name, text)
		}
	}
	item("Toppings", strings.Join(o.Toppings, ", "))
	item("Goes to", o.Address.text())
	item("Note", escape(o.Note))
	item("Gift", yes(o.Gift))
	item("Tags", strings.Join(o.Tags, ", "))
	if o.Refunded > 0 {
		item("Refunded", dollars(o.Refunded))
	}
	item("Placed", moment(o.Placed))
	if o.Status == delivered && o.Refunded < o.Total {
		return out.String() + nextStep("orders refunds create "+o.ID+" --reason damaged")
	}
	return out.String() + nextStep("orders list")
}

func (a *address) text() string {
	if a == nil {
		return "the counter, to be picked up"
	}
	text := escape(a.Zip) + " " + escape(a.City)
	if a.Street != "" {
		text = escape(a.Street) + ", " + text
	}
	return text
}

type deletion struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

func (s *shop) deleteOrder(r *http.Request) (document, error) {
	id := r.PathValue("id")
	err := s.store.update(func(state *state) error {
		found := slices.IndexFunc(state.Orders, func(o order) bool { return o.ID == id })
		if found < 0 {
			return orderNotFound(clip(id))
		}
		state.Orders = slices.Delete(state.Orders, found, found+1)
		return nil
	})
	return deletion{ID: id, Deleted: true}, err
}

func (d deletion) markdown() string {
	return fmt.Sprintf("# Order %s\n\nCancelled and forgotten.\n", code(d.ID)) + nextStep("orders list")
}
