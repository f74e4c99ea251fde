package screen

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/render/htmlpage"
)

var errInterrupted = errors.New("interrupted")

// plain is the screen for screen readers: questions line by line, nothing moves, nothing is painted.
type plain struct {
	world  World
	hello  explore.Hello
	from   <-chan explore.Reply // closed when agentctl has gone
	lines  *bufio.Reader
	out    io.Writer
	serial int
}

// Plain asks line by line until the person leaves, and returns the exit status. ctx ends it where a line is waited for, too.
func Plain(ctx context.Context, in, out *os.File, world World, hello explore.Hello, from *explore.Reader[explore.Reply]) (int, error) {
	replies, gone := make(chan explore.Reply), make(chan error, 1)
	go func() {
		defer close(replies)
		for {
			r, err := from.Read()
			if err != nil {
				gone <- err
				return
			}
			replies <- r
		}
	}()
	p := &plain{world: world, hello: hello, from: replies, lines: bufio.NewReader(in), out: out}
	done := make(chan error, 1)
	go func() { done <- p.run() }() // a read of a terminal cannot be cancelled; the process ends soon after
	select {
	case err := <-gone:
		p.say("")                   // the line break that was not typed
		if errors.Is(err, io.EOF) { // agentctl was told to end
			err = nil
		}
		return 0, err
	case err := <-done:
		switch {
		case errors.Is(err, errInterrupted):
			return interrupted, nil
		case errors.Is(err, io.EOF): // of the typed lines, or of agentctl
			return 0, nil
		}
		return 0, err
	case <-ctx.Done():
		p.say("")
		return interrupted, nil
	}
}

func (p *plain) run() error {
	if p.hello.Command != nil {
		return p.action(p.hello.Site, p.hello.Command, p.hello.Given)
	}
	for site := p.hello.Site; ; site = "" {
		if site == "" {
			r, err := p.request(explore.Request{Op: explore.Sites})
			if err != nil {
				return err
			}
			names := make([]string, len(r.Sites))
			for i, s := range r.Sites {
				names[i] = s.Name + ", " + s.What
			}
			at, typed, err := p.choose("Sites", names, "Number or name of a site, empty to leave")
			if err != nil || at < 0 && typed == "" {
				return err
			}
			if site = typed; at >= 0 {
				site = r.Sites[at].Name
			}
		}
		if err := p.site(site); err != nil {
			return err
		}
	}
}

func (p *plain) site(site string) error {
	r, err := p.request(explore.Request{Op: explore.Open, Site: site})
	if err != nil || p.failed(r) {
		return err
	}
	var actions []explore.Item
	var names []string
	for _, item := range r.Listing.Items {
		if item.Usable {
			actions = append(actions, item)
			names = append(names, strings.TrimSuffix(strings.Join(item.Command, " ")+", "+oneLine(item.Description)+", "+item.Note, ", "))
		}
	}
	title, shown := "Actions of "+site, names
	for {
		at, typed, err := p.choose(title, shown, "Number of an action or a word to look for, ? for all, empty to go back")
		if err != nil || at < 0 && typed == "" {
			return err
		}
		title, shown = "", nil // what was read once is not read again unasked
		if typed == "?" {
			title, shown = "Actions of "+site, names
			continue
		}
		if at < 0 {
			for i, name := range names {
				if strings.Contains(strings.ToLower(name), strings.ToLower(typed)) {
					p.say("%d. %s", i+1, name)
				}
			}
			if at, _, err = p.choose("", nil, "Number of an action, empty to go on"); err != nil {
				return err
			}
			if at < 0 {
				continue
			}
		}
		if at < len(actions) {
			if err := p.action(site, actions[at].Command, explore.Given{}); err != nil {
				return err
			}
		}
	}
}

// action has one action filled in and called.
func (p *plain) action(site string, command []string, given explore.Given) error {
	r, err := p.request(explore.Request{Op: explore.Action, Site: site, Command: command})
	if err != nil || p.failed(r) {
		return err
	}
	a := r.Action
	p.say("%s. %s", strings.Join(command, " "), oneLine(a.Text))
	for _, fact := range a.Facts {
		p.say("%s: %s", fact[0], oneLine(fact[1]))
	}
	f := &form{action: a}
	for _, each := range a.Fields {
		f.fields = append(f.fields, newField(each))
	}
	if a.Files != nil {
		f.fields = append(f.fields, newFilesField(a.Files))
	}
	f.give(given)
	if sound, err := p.fill(f); !sound || err != nil {
		return err
	}
	q := explore.Request{Site: site, Command: command, Given: f.given(), Raw: p.hello.Raw}
	q.Op = explore.Preview
	if r, err = p.request(q); err != nil || p.failed(r) {
		return err
	}
	p.say("The command line: %s\nThe request:\n%s", cmp.Or(r.Preview.Line, tooLong), strings.TrimRight(r.Preview.Request, "\n"))
	yes, err := p.line("Send it? Type y for yes")
	if err != nil || !strings.EqualFold(yes, "y") && !strings.EqualFold(yes, "yes") {
		return err
	}
	q.Op, q.Digest = explore.Call, r.Preview.Digest
	if r, err = p.request(q); err != nil || p.hello.Command != nil || p.failed(r) { // of one action, agentctl prints what came of it
		return err
	}
	p.answer(r.Result)
	return nil
}

// fill asks for all values of a form, until nothing is wrong with them together or the person leaves it.
func (p *plain) fill(f *form) (sound bool, err error) {
	for {
		for _, each := range f.fields {
			if err := p.field(f, each); err != nil {
				return false, err
			}
		}
		if len(f.action.Fields) == 0 || len(f.problems) == 0 {
			return true, nil
		}
		for _, problem := range f.problems {
			p.say("Not valid: %s", oneLine(strings.TrimPrefix(problem.Param+": "+problem.Message, ": ")))
		}
		if text, err := p.line("Empty to go through it again, q to leave it"); err != nil || text != "" {
			return false, err
		}
	}
}

// field asks for a value until there is nothing against it alone.
func (p *plain) field(f *form, each *field) error {
	for {
		label := labelOf(each.Field) + ", " + facts(each.Field)
		if now := each.text(); now != "" && !each.Secret {
			label += ". Now " + oneLine(now) + ", empty keeps it"
		}
		var text string
		var err error
		if each.Secret {
			text, err = p.secret(label + ": ")
		} else {
			text, err = p.line(label)
		}
		if err != nil {
			return err
		}
		if text != "" {
			each.set(text)
		}
		each.touched = true
		if each.files {
			return nil
		}
		r, err := p.request(explore.Request{Op: explore.Check, Site: f.action.Site, Command: f.action.Command, Given: f.given()})
		if err != nil {
			return err
		}
		f.problems = r.Problems
		sound := true
		for _, problem := range f.problems {
			if isOwn(problem, each) {
				p.say("Not valid: %s", oneLine(problem.Message))
				sound = false
			}
		}
		if sound {
			return nil
		}
		if each.choosing() {
			each.chosen = 0
		} else {
			each.set("")
		}
	}
}

// isOwn tells whether a problem is one of a field alone, and not of an object that it is a member of.
func isOwn(p fault.Problem, each *field) bool {
	pointer := each.pointer()
	return p.Param == each.Name && (len(each.Path) == 0 || p.Pointer == pointer || strings.HasPrefix(p.Pointer, pointer+"/"))
}

// secret has agentctl ask for a line that is not shown.
func (p *plain) secret(question string) (string, error) {
	r, err := p.request(explore.Request{Op: explore.Secret, Text: question})
	switch {
	case err != nil:
		return "", err
	case r.Failure != nil && r.Failure.Kind == fault.Interrupted:
		return "", errInterrupted
	case r.Failure != nil:
		return "", r.Failure.Fault()
	}
	return string(r.Typed), nil
}

func (p *plain) answer(r *explore.Result) {
	text := render.Clean(string(r.Body))
	if r.Table != "" {
		text = r.Table
	}
	if page, err := htmlpage.Markdown(r.Body); strings.HasPrefix(r.ContentType, "text/html") && err == nil {
		text = render.Clean(string(page))
	}
	if r.Summary != "" {
		text = render.Clean(r.Summary)
	}
	if r.Binary {
		text = fmt.Sprintf("%d bytes of %s", r.Bytes, r.ContentType)
	}
	p.say("The answer:\n%s", strings.TrimRight(text, "\n"))
	if shown := int64(len(r.Body)); !r.Binary && shown < r.Bytes {
		p.say("These are the first %d of %d bytes.", shown, r.Bytes)
	}
}

// request asks agentctl, and puts its questions to the person.
func (p *plain) request(q explore.Request) (explore.Reply, error) {
	p.serial++
	q.ID, q.Width = p.serial, 80
	if err := p.world.Send(q); err != nil {
		return explore.Reply{}, io.EOF
	}
	for {
		r, ok := <-p.from
		switch {
		case !ok:
			return r, io.EOF
		case r.ID != q.ID:
		case r.Done:
			for _, note := range r.Notes {
				p.say("%s", note)
			}
			return r, nil
		case r.Question != "":
			text, err := p.read(r.Question)
			if err != nil {
				return r, err
			}
			if err := p.world.Send(explore.Request{ID: q.ID, Op: explore.Answer, Text: text}); err != nil {
				return r, io.EOF
			}
		}
	}
}

func (p *plain) failed(r explore.Reply) bool {
	if r.Failure != nil {
		p.say("Error: %s", failureText(r.Failure))
	}
	return r.Failure != nil
}

// choose numbers a list and asks for one of it: its place, or -1 and what was typed instead.
func (p *plain) choose(title string, names []string, ask string) (at int, typed string, err error) {
	if title != "" {
		p.say("%s:", title)
	}
	for i, name := range names {
		p.say("%d. %s", i+1, name)
	}
	text, err := p.line(ask)
	if n, wrong := strconv.Atoi(text); wrong == nil && n > 0 && (names == nil || n <= len(names)) {
		return n - 1, "", err
	}
	return -1, text, err
}

func (p *plain) line(ask string) (string, error) {
	return p.read(ask + ": ")
}

// read shows a prompt as it is, and returns the line that is typed.
func (p *plain) read(prompt string) (string, error) {
	if _, err := io.WriteString(p.out, prompt); err != nil {
		return "", err
	}
	text, err := p.lines.ReadString('\n')
	return strings.TrimSpace(text), err
}

func (p *plain) say(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }
