package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// MaxUpload is the size of all files of one call together, in bytes, before they are encoded (F-3).
const MaxUpload = 25 << 20

// Upload reads files and builds the value of the body member rule.BodyKey (F-1 to F-3): an array of one object per file,
// or with Multiple unset one object. Files keep the order of paths; those of a directory are sorted by path. Without
// paths the value is nil. Its error is a [*fault.Error] of kind [fault.Usage] that names all files that are at fault.
func Upload(rule *manifest.Files, paths []string, disk Disk) (jsontext.Value, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	u := &upload{rule: rule, disk: disk, left: MaxUpload, sent: map[string]bool{}}
	defer u.close()
	if rule == nil {
		u.problem("the action takes no files")
		return nil, u.fault()
	}
	for _, path := range paths {
		u.add(path)
	}
	u.checkCount()
	if len(u.problems) > 0 {
		return nil, u.fault()
	}
	value := u.encode()
	if len(u.problems) > 0 {
		return nil, u.fault()
	}
	return value, nil
}

// upload is one pass from paths to a value: first every file is found and checked, then they are read.
type upload struct {
	rule     *manifest.Files
	disk     Disk
	files    []file
	left     int64 // bytes that may still be added
	tooLarge bool
	sent     map[string]bool // paths that are taken
	closers  []func() error
	problems []fault.Problem
}

type file struct {
	shown string // as the user knows it
	path  string // as it is sent
	open  func() (fs.File, error)
}

func (u *upload) close() {
	for _, closer := range u.closers {
		_ = closer() // opened for reading only
	}
}

func (u *upload) problem(format string, args ...any) {
	u.problems = append(u.problems, fault.Problem{Param: "file", Keyword: "file", Message: fmt.Sprintf(format, args...)})
}

func (u *upload) fault() error {
	e := fault.New(fault.Usage, "invalid_arguments", "the files cannot be sent")
	e.Problems = u.problems
	if len(e.Problems) > maxProblems {
		e.Problems = append(e.Problems[:maxProblems:maxProblems], fault.Problem{Param: "file", Keyword: "file", Message: "has more problems than are shown"})
	}
	return e
}

func (u *upload) checkCount() {
	n := len(u.files)
	switch {
	case u.tooLarge:
		u.problem("the files are larger than %d MiB in all", MaxUpload>>20)
	case !u.rule.Multiple && n > 1:
		u.problem("the action takes one file, not %d", n)
	case u.rule.Multiple && u.rule.MaxFiles > 0 && n > u.rule.MaxFiles:
		u.problem("the action takes at most %s, not %d", plural(u.rule.MaxFiles, "file"), n)
	}
}

func (u *upload) add(path string) {
	info, err := u.disk.Stat(path)
	switch {
	case err != nil:
		u.problem("%q cannot be read: %v", cut(path), reason(err))
	case !info.IsDir():
		u.addFile(path, filepath.Base(path), info, func() (fs.File, error) { return u.disk.Open(path) })
	case !u.rule.Dirs:
		u.problem("%q is a directory, and the action takes files only", cut(path))
	default:
		u.addDir(path)
	}
}

// addDir adds every file below a directory, hidden ones too, by its slash path below it (F-2).
func (u *upload) addDir(dir string) {
	root, closer, err := u.disk.Root(dir)
	if err != nil {
		u.problem("%q cannot be read: %v", cut(dir), reason(err))
		return
	}
	u.closers = append(u.closers, closer)
	before := len(u.files) + len(u.problems)
	_ = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error { // its errors are problems
		shown := filepath.Join(dir, filepath.FromSlash(path))
		switch {
		case u.tooLarge:
			return fs.SkipAll
		case err != nil:
			u.problem("%q cannot be read: %v", cut(shown), reason(err))
			return nil
		case entry.IsDir():
			return nil
		}
		info, err := fs.Stat(root, path)
		switch {
		case err != nil && entry.Type()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrNotExist):
			u.problem("%q is a link that leaves the directory", cut(shown))
		case err != nil:
			u.problem("%q cannot be read: %v", cut(shown), reason(err))
		case info.IsDir(): // following it could go in circles
			u.problem("%q is a link to a directory", cut(shown))
		default:
			u.addFile(shown, path, info, func() (fs.File, error) { return root.Open(path) })
		}
		return nil
	})
	if !u.tooLarge && len(u.files)+len(u.problems) == before {
		u.problem("%q holds no files", cut(dir))
	}
}

func (u *upload) addFile(shown, path string, info fs.FileInfo, open func() (fs.File, error)) {
	u.left -= info.Size()
	u.tooLarge = u.tooLarge || u.left < 0
	switch wrong := wrongPath(path); {
	case !info.Mode().IsRegular():
		u.problem("%q is no regular file", cut(shown))
	case wrong != "":
		u.problem("%q cannot be sent: %s", cut(shown), wrong)
	case u.sent[path]:
		u.problem("%q cannot be sent: there is already a file to be sent as %q", cut(shown), cut(path))
	case !u.allowed(path):
		u.problem("%q cannot be sent: %s", cut(shown), u.extensions(path))
	default:
		u.sent[path] = true
		u.files = append(u.files, file{shown, path, open})
	}
}

// wrongPath says why a path must not be sent: the site gets relative paths that stay where they are put (F-2), whatever
// its operating system takes for a separator. It is "" for a good one.
func wrongPath(path string) string {
	switch {
	case !fs.ValidPath(path) || path == ".":
		return "its path is not well formed"
	case !utf8.ValidString(path):
		return "its name is not valid UTF-8"
	case strings.Contains(path, `\`) || len(path) > 1 && path[1] == ':':
		return "its name would be a path elsewhere"
	case strings.IndexFunc(path, unicode.IsControl) >= 0:
		return "its name has control characters"
	}
	return ""
}

// allowed compares extensions without regard to case; the blacklist wins, an empty whitelist allows all (F-2).
func (u *upload) allowed(path string) bool {
	return !hasExtension(path, u.rule.Blacklist) && (len(u.rule.Whitelist) == 0 || hasExtension(path, u.rule.Whitelist))
}

func (u *upload) extensions(path string) string {
	if hasExtension(path, u.rule.Blacklist) {
		return "the action takes no such extension"
	}
	return "its extension " + oneOf(u.rule.Whitelist, shown)
}

// hasExtension takes extensions with or without their dot, and such of several parts ("tar.gz").
func hasExtension(path string, extensions []string) bool {
	path = strings.ToLower(path)
	for _, extension := range extensions {
		extension = strings.TrimPrefix(strings.ToLower(extension), ".")
		if extension != "" && strings.HasSuffix(path, "."+extension) {
			return true
		}
	}
	return false
}

// encode reads the files, as far as they have problems only their names.
func (u *upload) encode() jsontext.Value {
	var out []byte
	u.left = MaxUpload
	for i, f := range u.files {
		contents, err := u.read(f)
		if err != nil {
			u.problem("%q cannot be read: %v", cut(f.shown), reason(err))
			continue
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = u.appendFile(out, f.path, contents)
	}
	if !u.rule.Multiple {
		return out
	}
	return append(append([]byte{'['}, out...), ']')
}

// read reads one file within what is left: a file may have grown, or have been replaced, since it was looked at.
func (u *upload) read(f file) ([]byte, error) {
	opened, err := f.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file any more")
	}
	contents, err := io.ReadAll(io.LimitReader(opened, u.left+1))
	if err != nil {
		return nil, err
	}
	if u.left -= int64(len(contents)); u.left < 0 {
		return nil, fmt.Errorf("the files are larger than %d MiB in all", MaxUpload>>20)
	}
	return contents, nil
}

func (u *upload) appendFile(out []byte, path string, contents []byte) []byte {
	out = append(out, '{')
	for i, key := range u.rule.Format {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, strictjson.Quote(key.Key)...), ':')
		if key.Contents {
			out = appendContents(out, path, contents)
		} else {
			out = append(out, strictjson.Quote(path)...)
		}
	}
	return append(out, '}')
}

// reason drops the operation and path that the messages around it already tell.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
