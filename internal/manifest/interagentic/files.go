package interagentic

import (
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// files reads the rules for uploads (F-1). Any fault in them makes the action unusable: half a rule protects nobody.
func (d *detailReader) files() *manifest.Files {
	if d.d.PeekKind() == 'n' {
		d.skip()
		return nil
	}
	var (
		f    manifest.Files
		mark = len(d.found)
	)
	for name := range d.object(fatal) {
		switch name {
		case "bodyKey":
			f.BodyKey, _ = d.text(fatal)
		case "format":
			f.Format = d.fileFormat()
		case "dirs":
			f.Dirs = d.boolean(fatal)
		case "multiple":
			f.Multiple = d.boolean(fatal)
		case "maxFiles":
			f.MaxFiles = d.maxFiles()
		case "extensions":
			d.extensions(&f)
		default:
			d.skip()
		}
	}
	switch {
	case d.worst(mark) != nil:
	case !validName(f.BodyKey):
		d.add(fatal, "files_invalid", "files needs a bodyKey")
	case !hasContents(f.Format):
		d.add(fatal, "files_invalid", `files needs a format with a key for the contents, such as "string | base64DataString"`)
	}
	return &f
}

func hasContents(format []manifest.FileKey) bool {
	for _, key := range format {
		if key.Contents {
			return true
		}
	}
	return false
}

// fileFormat reads which member of a file object holds the path and which the contents (F-1).
func (d *detailReader) fileFormat() []manifest.FileKey {
	var format []manifest.FileKey
	for key := range d.object(fatal) {
		meaning, ok := d.text(fatal)
		switch {
		case !ok:
		case strings.Contains(meaning, "base64DataString"):
			format = append(format, manifest.FileKey{Key: key, Contents: true})
		case meaning == "string":
			format = append(format, manifest.FileKey{Key: key})
		default:
			d.add(fatal, "files_invalid", "%q is neither a file's path nor its contents", fault.Word(meaning))
		}
	}
	return format
}

// maxFiles reads a positive whole number; null is no limit.
func (d *detailReader) maxFiles() int {
	value := d.raw()
	if value == nil {
		return 0
	}
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 1 {
		d.add(fatal, "files_invalid", "maxFiles must be null or a whole number above 0")
	}
	return n
}

func (d *detailReader) extensions(f *manifest.Files) {
	for name := range d.object(fatal) {
		switch name {
		case "whitelist":
			f.Whitelist = dotted(d.texts(fatal))
		case "blacklist":
			f.Blacklist = dotted(d.texts(fatal))
		default:
			d.skip()
		}
	}
}

// dotted gives each extension its dot; some sites write "png".
func dotted(extensions []string) []string {
	for i, extension := range extensions {
		if !strings.HasPrefix(extension, ".") {
			extensions[i] = "." + extension
		}
	}
	return extensions
}

// checkFiles holds the rules for uploads against the rest of the action: there has to be a body object to add to (F-3).
func (d *detailReader) checkFiles() {
	a := d.action
	switch {
	case a.Files == nil:
	case a.Method == "GET" || a.Method == "HEAD":
		d.addAt("/files", fatal, "files_invalid", "files go into a body, which %s has not", a.Method)
	case a.request != nil && a.request.body != nil && a.request.bodyKind != '{' && a.request.bodyKind != '"':
		d.addAt("/files", fatal, "files_invalid", "files cannot be added to a body that is not an object")
	}
}
