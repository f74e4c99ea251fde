package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// oneFile is a disk on which every name is the same small file.
type oneFile struct{}

func (oneFile) fs() fstest.MapFS                         { return fstest.MapFS{"f": {Data: []byte("x")}} }
func (d oneFile) Stat(string) (fs.FileInfo, error)       { return fs.Stat(d.fs(), "f") }
func (d oneFile) Open(string) (fs.File, error)           { return d.fs().Open("f") }
func (oneFile) Root(string) (fs.FS, func() error, error) { return nil, nil, fs.ErrInvalid }

func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func rule(change func(*manifest.Files)) *manifest.Files {
	r := &manifest.Files{BodyKey: "files", Multiple: true, Format: []manifest.FileKey{{Key: "name"}, {Key: "data", Contents: true}}}
	if change != nil {
		change(r)
	}
	return r
}

// upload sends paths below a folder and returns the value, or the problems with the folder's name taken out.
func uploadFrom(t *testing.T, dir string, r *manifest.Files, paths ...string) string {
	t.Helper()
	full := make([]string, len(paths))
	for i, path := range paths {
		full[i] = filepath.Join(dir, filepath.FromSlash(path))
	}
	value, err := Upload(r, full, OSDisk{})
	if err == nil {
		return string(value)
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Usage || e.Code != "invalid_arguments" || value != nil {
		t.Fatalf("got %s, %#v", value, err)
	}
	var lines []string
	for _, p := range e.Problems {
		if p.Param != "file" {
			t.Errorf("problem of %q", p.Param)
		}
		lines = append(lines, strings.ReplaceAll(p.Message, dir+string(filepath.Separator), ""))
	}
	return strings.Join(lines, "\n")
}

func TestUpload(t *testing.T) {
	dir := folder(t, map[string]string{
		"note.txt": "héllo\n\"x\"", "pic.PNG": "\x89PNG\r\n\x1a\n\x00", "noext": "%PDF-\xff", "blob": "\x00\x01", "empty": "",
		"tree/b.txt": "b", "tree/a/z.txt": "z", "tree/.hidden": "h", "other/b.txt": "c", "other/.keep/x": "",
	})
	dirs := func(r *manifest.Files) { r.Dirs = true }
	for name, test := range map[string]struct {
		rule  *manifest.Files
		paths []string
		want  string
	}{
		"text as it is":                  {rule(nil), []string{"note.txt"}, `[{"name":"note.txt","data":"héllo\n\"x\""}]`},
		"binary as a data URL":           {rule(nil), []string{"pic.PNG"}, `[{"name":"pic.PNG","data":"data:image/png;base64,iVBORw0KGgoA"}]`},
		"a type by its first bytes":      {rule(nil), []string{"noext"}, `[{"name":"noext","data":"data:application/pdf;base64,JVBERi3/"}]`},
		"an unknown type":                {rule(nil), []string{"blob"}, `[{"name":"blob","data":"data:application/octet-stream;base64,AAE="}]`},
		"an empty file":                  {rule(nil), []string{"empty"}, `[{"name":"empty","data":""}]`},
		"one object":                     {rule(func(r *manifest.Files) { r.Multiple = false }), []string{"empty"}, `{"name":"empty","data":""}`},
		"in the order given":             {rule(func(r *manifest.Files) { r.Format = r.Format[:1] }), []string{"note.txt", "blob"}, `[{"name":"note.txt"},{"name":"blob"}]`},
		"the base name only":             {rule(nil), []string{"tree/a/z.txt"}, `[{"name":"z.txt","data":"z"}]`},
		"a directory, sorted":            {rule(dirs), []string{"tree"}, `[{"name":".hidden","data":"h"},{"name":"a/z.txt","data":"z"},{"name":"b.txt","data":"b"}]`},
		"a directory with a file":        {rule(dirs), []string{"tree/a", "empty"}, `[{"name":"z.txt","data":"z"},{"name":"empty","data":""}]`},
		"extensions without case":        {rule(func(r *manifest.Files) { r.Whitelist = []string{".png"} }), []string{"pic.PNG"}, `[{"name":"pic.PNG","data":"data:image/png;base64,iVBORw0KGgoA"}]`},
		"nothing":                        {rule(nil), nil, ``},
		"no files taken":                 {nil, []string{"blob"}, `the action takes no files`},
		"not there":                      {rule(nil), []string{"nope"}, `"nope" cannot be read: no such file or directory`},
		"a directory without dirs":       {rule(nil), []string{"tree"}, `"tree" is a directory, and the action takes files only`},
		"two where one is taken":         {rule(func(r *manifest.Files) { r.Multiple = false }), []string{"blob", "empty"}, `the action takes one file, not 2`},
		"more than the most":             {rule(func(r *manifest.Files) { r.MaxFiles = 1 }), []string{"blob", "empty"}, `the action takes at most 1 file, not 2`},
		"two of one name":                {rule(dirs), []string{"tree", "other/b.txt"}, `"other/b.txt" cannot be sent: there is already a file to be sent as "b.txt"`},
		"not on the whitelist":           {rule(func(r *manifest.Files) { r.Whitelist = []string{"jpg", "pdf"} }), []string{"pic.PNG", "noext"}, "\"pic.PNG\" cannot be sent: its extension must be one of jpg, pdf\n\"noext\" cannot be sent: its extension must be one of jpg, pdf"},
		"on both lists":                  {rule(func(r *manifest.Files) { r.Whitelist, r.Blacklist = []string{"txt"}, []string{"TXT"} }), []string{"note.txt"}, `"note.txt" cannot be sent: the action takes no such extension`},
		"on the blacklist":               {rule(func(r *manifest.Files) { r.Blacklist = []string{"TXT"} }), []string{"note.txt"}, `"note.txt" cannot be sent: the action takes no such extension`},
		"a forbidden one in a directory": {rule(func(r *manifest.Files) { r.Dirs, r.Blacklist = true, []string{"txt"} }), []string{"tree"}, "\"tree/a/z.txt\" cannot be sent: the action takes no such extension\n\"tree/b.txt\" cannot be sent: the action takes no such extension"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := uploadFrom(t, dir, test.rule, test.paths...); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestUploadLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	outside := folder(t, map[string]string{"secret": "s"})
	dir := folder(t, map[string]string{"in/real.txt": "r", "in/sub/x.txt": "x"})
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("real.txt", "in/alias.txt")
	all := rule(func(r *manifest.Files) { r.Dirs = true })
	if got, want := uploadFrom(t, dir, all, "in"), `[{"name":"alias.txt","data":"r"},{"name":"real.txt","data":"r"},{"name":"sub/x.txt","data":"x"}]`; got != want {
		t.Errorf("a link inside: got %s", got)
	}
	link("in/real.txt", "direct")
	if got, want := uploadFrom(t, dir, all, "direct"), `[{"name":"direct","data":"r"}]`; got != want {
		t.Errorf("a link that the user names: got %s", got)
	}
	link(filepath.Join(outside, "secret"), "in/a")
	link("../../"+filepath.Base(outside)+"/secret", "in/b")
	link("sub", "in/c")
	link("nothing", "in/d")
	want := "\"in/a\" is a link that leaves the directory\n\"in/b\" is a link that leaves the directory\n\"in/c\" is a link to a directory\n\"in/d\" cannot be read: no such file or directory"
	if got := uploadFrom(t, dir, all, "in"); got != want {
		t.Errorf("bad links: got %s", got)
	}
}

func TestUploadSizeLimit(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int64{"a": MaxUpload - 1, "b": 1, "c": 1} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(size), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got := uploadFrom(t, dir, rule(nil), "a", "b"); !strings.HasPrefix(got, `[{"name":"a","data":"data:application/octet-stream;base64,AAAA`) {
		t.Errorf("the largest allowed: got %.100s", got)
	}
	for _, paths := range [][]string{{"a", "b", "c"}, {"."}} {
		if got, want := uploadFrom(t, dir, rule(func(r *manifest.Files) { r.Dirs = true }), paths...), "the files are larger than 25 MiB in all"; got != want {
			t.Errorf("%v: got %.100s", paths, got)
		}
	}
}

// growing is a disk whose file is larger when it is read than it was when it was looked at.
type growing struct{ oneFile }

func (growing) Open(string) (fs.File, error) {
	return fstest.MapFS{"f": {Data: make([]byte, MaxUpload+1)}}.Open("f")
}

func TestUploadOfAGrowingFile(t *testing.T) {
	_, err := Upload(rule(nil), []string{"f"}, growing{})
	e := fault.From(err)
	if e == nil || e.Message != "the files cannot be sent" || len(e.Problems) != 1 || !strings.Contains(e.Problems[0].Message, "larger than 25 MiB") {
		t.Errorf("got %+v", e)
	}
}
