package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// File is a file as it is sent.
type File struct {
	Name string // what the server is told; "" leaves it to the path
	Type string // its media type; "" is application/octet-stream
	Data []byte
}

// part is one part of a multipart body.
type part struct {
	name, file, mediaType string // file is "" for what is none, mediaType for plain text
	data                  []byte
}

// multipart returns the body that holds the members of an object, and its media type. The same parts make the same bytes,
// boundary included: an approval is one of exactly this request (contract, section 5).
func (m *making) multipart(object jsontext.Value) ([]byte, string) {
	var parts []part
	for name, value := range jsontree.Parse(object).Members() {
		items := []*jsontree.Node{value}
		if value.Kind == '[' {
			items = value.Items
		}
		for _, item := range items {
			if p, ok := m.part(name, item); ok {
				parts = append(parts, p)
			}
		}
	}
	boundary := boundaryOf(parts)
	var out bytes.Buffer
	for _, p := range parts {
		out.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; name=" + dispositionName(p.name))
		if p.file != "" {
			out.WriteString("; filename=" + dispositionName(p.file))
		}
		if p.mediaType != "" {
			out.WriteString("\r\nContent-Type: " + p.mediaType)
		}
		out.WriteString("\r\n\r\n")
		out.Write(p.data)
		out.WriteString("\r\n")
	}
	out.WriteString("--" + boundary + "--\r\n")
	return out.Bytes(), multiType + "; boundary=" + boundary
}

// boundaryOf depends on all that stands between the boundaries, so no part can hold it on purpose.
func boundaryOf(parts []part) string {
	h := sha256.New()
	for _, p := range parts {
		for _, piece := range [][]byte{[]byte(p.name), []byte(p.file), []byte(p.mediaType), p.data} {
			sum := sha256.Sum256(piece)
			h.Write(sum[:])
		}
	}
	return "agentctl-" + hex.EncodeToString(h.Sum(nil)[:16])
}

func (m *making) part(name string, item *jsontree.Node) (part, bool) {
	p := part{name: name, mediaType: m.plan.Body.PartTypes[name]}
	if slices.Contains(m.plan.Body.Files, name) {
		file, ok := m.file(name, item)
		p.file, p.data = file.Name, file.Data
		if p.mediaType == "" {
			p.mediaType = file.Type
		}
		return p, ok
	}
	text, ok := plain(item)
	switch {
	case ok:
		p.data = []byte(text)
	case item.Kind == 'n':
		m.problem(badValue(name, "cannot be put into a form"))
		return p, false
	default:
		p.data = item.Value()
		if p.mediaType == "" {
			p.mediaType = jsonType
		}
	}
	return p, true
}

// file reads the file that an argument names, with or without "@" before its path.
func (m *making) file(argument string, value *jsontree.Node) (File, bool) {
	given := strings.TrimPrefix(value.Text(), "@")
	if given == "" {
		m.problem(fault.Problem{Param: argument, Pointer: jsontree.Pointer("", argument), Keyword: "file", Message: "must be the path of a file"})
		return File{}, false
	}
	if m.own.Open == nil {
		m.problem(fault.Problem{Param: argument, Pointer: jsontree.Pointer("", argument), Keyword: "file", Message: "files cannot be read here"})
		return File{}, false
	}
	f, err := m.own.Open(given)
	if err != nil {
		m.problem(fault.Problem{Param: argument, Pointer: jsontree.Pointer("", argument), Keyword: "file", Message: err.Error()})
		return f, false
	}
	if f.Name == "" {
		f.Name = path.Base(strings.ReplaceAll(given, `\`, "/"))
	}
	if !Sendable(f.Type) {
		f.Type = bytesType
	}
	return f, true
}
