package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

func TestMessagesGoThrough(t *testing.T) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	want := []Reply{
		{Hello: &Hello{Version: "1", Site: "demo", Color: true}},
		{ID: 3, Question: "Go ahead? [y/N] "},
		{ID: 3, Done: true, Result: &Result{ContentType: "image/png", Body: []byte("\x1b\x00\xff"), Bytes: 3}},
		{ID: 4, Done: true, Failure: FailureOf(&fault.Error{Kind: fault.Usage, Code: "x", Message: "no", Problems: []fault.Problem{{Param: "qty", Message: "too many"}}})},
	}
	for _, reply := range want {
		if err := w.Write(reply); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader[Reply](&pipe)
	for _, reply := range want {
		got, err := r.Read()
		if err != nil || !cmp.Equal(got, reply) {
			t.Errorf("%v\n%s", err, cmp.Diff(reply, got))
		}
	}
	if _, err := r.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last: %v", err)
	}
}

func TestTextsComeOutCleanWhereverTheyAre(t *testing.T) {
	const evil = "a\x1b[2Jb\u202ec"
	reply := Reply{
		Question: evil, Notes: []string{evil}, Sites: []Site{{Name: evil, What: evil}},
		Listing: &Listing{Items: []Item{{Command: []string{evil}, Note: evil}}},
		Action:  &Description{Text: evil, Facts: [][2]string{{evil, evil}}, Fields: []Field{{Name: "n", Description: evil, Limits: evil}}},
		Failure: FailureOf(&fault.Error{Kind: fault.Rejected, Code: evil, Message: evil, Problems: []fault.Problem{{Message: evil}}}),
	}
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Write(reply); err != nil {
		t.Fatal(err)
	}
	got, err := NewReader[Reply](&pipe).Read()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `\u001b`) || strings.Contains(string(text), "\u202e") || strings.Count(string(text), "ab\ufffdc") != 14 {
		t.Errorf("%s", text)
	}
}

// What the screen sends back comes as it is.
func TestWhatGoesBackStaysAsItIs(t *testing.T) {
	const odd = "a\u200bb\u202e\n"
	want := Reply{
		Hello:  &Hello{Given: Given{Values: []Value{{Name: odd, Path: []string{odd}, Text: odd}}, Files: []string{odd}}},
		Action: &Description{Fields: []Field{{Name: odd, Path: []string{odd}, Enum: []string{odd}, Example: odd}}},
	}
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Write(want); err != nil {
		t.Fatal(err)
	}
	if got, err := NewReader[Reply](&pipe).Read(); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
}

func TestAMessageThatNobodyWouldReadIsNotWritten(t *testing.T) {
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Write(Reply{Question: strings.Repeat("x", MaxLineBytes)}); !errors.Is(err, ErrTooLong) || pipe.Len() > 0 {
		t.Errorf("%v, %d bytes are written", err, pipe.Len())
	}
}

func TestALineThatIsTooLongEndsTheTalk(t *testing.T) {
	if _, err := NewReader[Request](strings.NewReader(strings.Repeat("x", MaxLineBytes+1))).Read(); err == nil {
		t.Error("it was read")
	}
}

// What is read without an error can be shown: every text in it is clean. What is written is read as it was.
func FuzzReply(f *testing.F) {
	f.Add(`{"id":1,"done":true,"sites":[{"name":"demo"}]}`)
	f.Add(`{"id":2,"question":"\u001b[2J? [y/N] ","failure":{"kind":"usage","problems":[{"param":"q"}]}}`)
	f.Add(`{"id":3,"action":{"fields":[{"name":"qty","path":["a"],"enum":["\u202e"]}],"facts":[["a","b"]]}}`)
	f.Add(`{"id":3,"result":{"body":"AAA="},"listing":{"items":[{"command":[]}]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		got, err := NewReader[Reply](strings.NewReader(line)).Read()
		if err != nil {
			return
		}
		if q := got.Question; render.Clean(q) != q || !utf8.ValidString(q) {
			t.Errorf("%q", q)
		}
		for _, s := range got.Sites {
			if render.Clean(s.Name) != s.Name {
				t.Errorf("%q", s.Name)
			}
		}
		var pipe bytes.Buffer
		if err := NewWriter(&pipe).Write(got); err != nil {
			t.Skip(err) // details that are no JSON
		}
		again, err := NewReader[Reply](&pipe).Read()
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(again)
		if !bytes.Equal(a, b) {
			t.Errorf("%s\n%s", a, b)
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add(`{"id":1,"op":"call","site":"demo","command":["orders","create"],"given":{"values":[{"name":"qty","text":"2"}]}}`)
	f.Add(`{"id":1,"op":"save","text":"\u0000","earlier":-1}`)
	f.Fuzz(func(t *testing.T, line string) {
		got, err := NewReader[Request](strings.NewReader(line)).Read()
		if err != nil {
			return
		}
		var pipe bytes.Buffer
		if err := NewWriter(&pipe).Write(got); err != nil {
			t.Fatal(err)
		}
		again, err := NewReader[Request](&pipe).Read()
		if err != nil || again.ID != got.ID || again.Op != got.Op || len(again.Given.Values) != len(got.Given.Values) {
			t.Errorf("%v: %+v, %+v", err, got, again)
		}
	})
}
