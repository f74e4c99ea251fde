package render

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// kind is what a body is, as far as showing it goes.
type kind int

const (
	empty kind = iota
	markdown
	webPage
	jsonDocument
	text
	binary
)

// detect tells from the media type and the first bytes what a body is. It consumes nothing, and waits for no more than
// the first bytes to arrive. What claims to be text but is not (a NUL, bytes that are not UTF-8) is binary.
func detect(contentType string, body *bufio.Reader) (kind, error) {
	if _, err := body.Peek(1); errors.Is(err, io.EOF) {
		return empty, nil
	} else if err != nil {
		return empty, err
	}
	first, _ := body.Peek(body.Buffered())
	if !looksLikeText(first) {
		return binary, nil
	}
	return kindOf(contentType), nil
}

func looksLikeText(first []byte) bool {
	if bytes.IndexByte(first, 0) >= 0 {
		return false
	}
	for cut := 1; cut < utf8.UTFMax && cut <= len(first); cut++ { // the end may be in the middle of a character
		if tail := first[len(first)-cut:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				first = first[:len(first)-cut]
			}
			break
		}
	}
	return utf8.Valid(first)
}

// kindOf classifies a media type; its parameters do not matter.
func kindOf(contentType string) kind {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	class, name, _ := strings.Cut(media, "/")
	if at := strings.LastIndexByte(name, '+'); at >= 0 { // a structured syntax suffix (RFC 6838, section 4.2.8)
		name = name[at+1:]
	}
	name = strings.TrimPrefix(name, "x-")
	switch {
	case media == "":
		return text
	case class == "text" && name == "markdown":
		return markdown
	case media == "text/html" || media == "application/xhtml+xml":
		return webPage
	case (class == "text" || class == "application") && name == "json" || media != class+"/"+name && name == "json":
		return jsonDocument
	case class == "text":
		return text
	}
	switch name {
	case "xml", "yaml", "toml", "javascript", "ecmascript", "ndjson", "jsonl", "json-seq", "sql", "graphql", "xhtml",
		"www-form-urlencoded", "pem-certificate-chain":
		return text
	}
	return binary
}
