package render

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/streams"
)

// onlyFile fails unless dir holds nothing but one file with the content; "" means an empty directory.
func onlyFile(t *testing.T, dir, name, content string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if got := strings.Join(names, " "); got != name {
		t.Fatalf("the directory holds %q, want %q", got, name)
	}
	if name == "" {
		return
	}
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != content {
		t.Errorf("the file holds %q (%v), want %q", got, err, content)
	}
}

func TestSaveWritesTheBodyUnchanged(t *testing.T) {
	for _, content := range []string{"", "text without a newline", "\x89PNG\x00\xff\x1b[2J", strings.Repeat("x", 3*saveBuffer+1)} {
		dir := t.TempDir()
		s, out, errs := pipe()
		if err := Save(t.Context(), s, body("image/png", content), filepath.Join(dir, "f"), false); err != nil {
			t.Fatal(err)
		}
		onlyFile(t, dir, "f", content)
		if out.Len() > 0 || errs.Len() > 0 {
			t.Errorf("printed %q and %q", out, errs)
		}
	}
}

func TestSaveTellsOnATerminal(t *testing.T) {
	dir := t.TempDir()
	s, _, errs := screen()
	path := filepath.Join(dir, "f")
	if err := Save(t.Context(), s, body("", "abc"), path, false); err != nil || errs.String() != "saved "+path+" (3 B)\n" {
		t.Errorf("%v, %q", err, errs)
	}
	errs.Reset()
	if err := Save(t.Context(), s, body("", "abc"), path, true); err != nil || errs.Len() > 0 {
		t.Errorf("quiet: %v, %q", err, errs)
	}
}

func TestSaveIsAllOrNothing(t *testing.T) {
	broken := errors.New("connection reset")
	midway, cancelMidway := context.WithCancel(t.Context())
	before, cancelBefore := context.WithCancel(t.Context())
	cancelBefore()
	for name, test := range map[string]struct {
		ctx  context.Context
		b    Body
		code string
	}{
		"the body breaks off": {t.Context(), Body{Reader: io.MultiReader(strings.NewReader("new"), iotest.ErrReader(broken)), Length: -1}, "internal"},
		"the body is short":   {t.Context(), Body{Reader: strings.NewReader("new"), Length: 4}, "incomplete"},
		"the body is long":    {t.Context(), Body{Reader: strings.NewReader("new"), Length: 2}, "incomplete"},
		"interrupted midway":  {midway, Body{Reader: io.MultiReader(strings.NewReader("new"), readFunc(func([]byte) (int, error) { cancelMidway(); return 0, nil })), Length: -1}, "interrupted"},
		"interrupted before":  {before, body("", "new"), "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, old := range []string{"", "old"} {
				dir, want := t.TempDir(), ""
				if old != "" {
					want = "f"
					if err := os.WriteFile(filepath.Join(dir, want), []byte(old), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				s, _, _ := screen()
				err := Save(test.ctx, s, test.b, filepath.Join(dir, "f"), false)
				if e := fault.From(err); e == nil || e.Code != test.code {
					t.Errorf("got %v, want %s", err, test.code)
				}
				onlyFile(t, dir, want, old)
				if seeker, ok := test.b.Reader.(io.Seeker); ok {
					seeker.Seek(0, io.SeekStart)
				} else {
					break // the other readers are used up
				}
			}
		})
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestSaveReplacesAndKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("a long old content"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	s, _, _ := pipe()
	if err := Save(t.Context(), s, body("", "new"), link, false); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, dir, "f", "new")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestSaveRefusesPathsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"empty":               "",
		"a directory":         dir,
		"a directory to be":   filepath.Join(dir, "x") + "/",
		"in no directory":     filepath.Join(dir, "no", "f"),
		"below a file":        filepath.Join(file, "f"),
		"a name with a NUL":   "a\x00b",
		"a name that is long": filepath.Join(dir, strings.Repeat("n", 300)),
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := pipe()
			if e := fault.From(CheckSave(path)); e == nil || e.Kind != fault.Usage || e.Code != "invalid_path" {
				t.Errorf("before the request: got %v", e)
			}
			if e := fault.From(Save(t.Context(), s, body("", "x"), path, false)); e == nil || e.Exit() != 1 || e.Code != "write_failed" {
				t.Errorf("after it: got %v", e)
			}
		})
	}
	onlyFile(t, dir, "file", "")
}

func TestCheckSaveNoticesPlacesThatTakeNoFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		_ = f.Close()
		t.Skip("this user, or this system, may write everywhere")
	}
	for _, name := range []string{"new", "old"} {
		if e := fault.From(CheckSave(filepath.Join(dir, name))); e == nil || e.Code != "invalid_path" {
			t.Errorf("%s: got %v", name, e)
		}
	}
}

func TestCheckSaveLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "f"), "-", "relative"} {
		if err := CheckSave(path); err != nil {
			t.Error(err)
		}
	}
	onlyFile(t, dir, "", "")
}

func TestSaveToStandardOutput(t *testing.T) {
	s, out, _ := pipe()
	if err := Save(t.Context(), s, body("image/png", "\x00\x01"), "-", false); err != nil || out.String() != "\x00\x01" {
		t.Errorf("%v, %q", err, out)
	}
	s, out, _ = screen()
	if e := fault.From(Save(t.Context(), s, body("image/png", "\x00\x01"), "-", false)); e == nil || e.Code != "binary_on_terminal" || out.Len() > 0 {
		t.Errorf("%v, %q", e, out)
	}
}

func TestSaveToDevices(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	s, _, _ := pipe()
	if err := Save(t.Context(), s, body("", "x"), "/dev/null", false); err != nil {
		t.Error(err)
	}
	e := fault.From(Save(t.Context(), s, body("", "x"), "/dev/full", false))
	if e == nil || e.Kind != fault.Internal || e.Code != "write_failed" || !strings.Contains(e.Message, "/dev/full") {
		t.Errorf("got %v", e)
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		done, total int64
		elapsed     time.Duration
		width       int
		want        string
	}{
		{0, 1000, 0, 80, "  0% " + strings.Repeat("─", 40) + "  0 B of 1000 B"},
		{512, 1024, time.Second, 80, " 50% " + strings.Repeat("━", 20) + strings.Repeat("─", 20) + "  512 B of 1.0 KiB  512 B/s"},
		{2048, 1024, 0, 40, "100% " + strings.Repeat("━", 14) + "  2.0 KiB of 1.0 KiB"},
		{512, 1024, time.Second, 40, " 50% ━━━────  512 B of 1.0 KiB  512 B/s"},
		{512, 1024, time.Second, 36, " 50%  512 B of 1.0 KiB  512 B/s"},
		{5 << 30, -1, 10 * time.Second, 80, "5.0 GiB  512.0 MiB/s"},
		{5 << 30, 0, 0, 4, "5.0"},
		{1, 2, time.Second, 0, ""},
	} {
		if got := progressLine(test.done, test.total, test.elapsed, test.width); got != test.want {
			t.Errorf("%d of %d at width %d: %q, want %q", test.done, test.total, test.width, got, test.want)
		}
	}
}

func TestTheBarGoesWhenTheFileIsThere(t *testing.T) {
	var out strings.Builder
	p := &progress{w: &out, total: 1024, width: 40, end: make(chan struct{})}
	ticks := make(chan time.Time)
	p.ended.Go(func() { p.draw(ticks) })
	ticks <- time.Time{}
	p.add(512)
	ticks <- time.Time{}
	p.add(512)
	p.stop("f\x1b[2J")
	first := progressLine(0, 1024, progressEvery, 40)
	last := clearLine + "saved f (1.0 KiB)\n"
	if got := out.String(); !strings.HasPrefix(got, clearLine+first+clearLine) || !strings.HasSuffix(got, last) || strings.Count(got, clearLine) != 3 {
		t.Errorf("got %q", got)
	}
}

func BenchmarkSave(b *testing.B) {
	const size = 64 << 20
	s := &streams.Streams{Err: io.Discard}
	path := filepath.Join(b.TempDir(), "f")
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := Save(b.Context(), s, Body{Reader: io.LimitReader(endless{}, size), Length: size}, path, false); err != nil {
			b.Fatal(err)
		}
	}
}
