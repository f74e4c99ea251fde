package input

import (
	"bytes"
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// appendContents appends a file's contents as a JSON string: UTF-8 text as it is, anything else as a data URL (F-1).
// A NUL makes a file binary: it is valid UTF-8, but no text has it.
func appendContents(out []byte, name string, contents []byte) []byte {
	if utf8.Valid(contents) && bytes.IndexByte(contents, 0) < 0 {
		out, _ = jsontext.AppendQuote(out, contents)
		return out
	}
	out = append(out, `"data:`+mediaType(name, contents)+`;base64,`...)
	out = base64.StdEncoding.AppendEncode(out, contents)
	return append(out, '"')
}

// mediaType tells the media type of a binary file, by extension and then by its first bytes. It asks no table of the
// machine: the same file makes the same request everywhere.
func mediaType(name string, contents []byte) string {
	if known := byExtension(strings.ToLower(path.Ext(name))); known != "" {
		return known
	}
	for _, s := range signatures() {
		if len(contents) >= s.offset && bytes.HasPrefix(contents[s.offset:], []byte(s.bytes)) {
			return s.mediaType
		}
	}
	return "application/octet-stream"
}

func byExtension(extension string) string {
	switch extension {
	case ".png", ".gif", ".webp", ".bmp", ".avif", ".heic":
		return "image/" + extension[1:]
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".tif", ".tiff":
		return "image/tiff"
	case ".ico":
		return "image/vnd.microsoft.icon"
	case ".svg", ".svgz":
		return "image/svg+xml"
	case ".mp3":
		return "audio/mpeg"
	case ".m4a":
		return "audio/mp4"
	case ".wav", ".flac", ".ogg":
		return "audio/" + extension[1:]
	case ".mp4", ".webm":
		return "video/" + extension[1:]
	case ".mov":
		return "video/quicktime"
	case ".woff", ".woff2", ".ttf", ".otf":
		return "font/" + extension[1:]
	case ".txt", ".log", ".md":
		return "text/plain"
	case ".csv":
		return "text/csv"
	case ".htm", ".html":
		return "text/html"
	}
	return applicationType(extension)
}

func applicationType(extension string) string {
	const office = "application/vnd.openxmlformats-officedocument."
	switch extension {
	case ".pdf", ".zip", ".wasm", ".json", ".xml", ".rtf":
		return "application/" + extension[1:]
	case ".gz", ".tgz":
		return "application/gzip"
	case ".tar":
		return "application/x-tar"
	case ".7z":
		return "application/x-7z-compressed"
	case ".doc":
		return "application/msword"
	case ".xls":
		return "application/vnd.ms-excel"
	case ".ppt":
		return "application/vnd.ms-powerpoint"
	case ".docx":
		return office + "wordprocessingml.document"
	case ".xlsx":
		return office + "spreadsheetml.sheet"
	case ".pptx":
		return office + "presentationml.presentation"
	}
	return ""
}

type signature struct {
	offset    int
	bytes     string
	mediaType string
}

func signatures() []signature {
	return []signature{
		{0, "\x89PNG\r\n\x1a\n", "image/png"},
		{0, "\xff\xd8\xff", "image/jpeg"},
		{0, "GIF8", "image/gif"},
		{8, "WEBP", "image/webp"},
		{0, "%PDF-", "application/pdf"},
		{0, "PK\x03\x04", "application/zip"},
		{0, "\x1f\x8b", "application/gzip"},
		{0, "ID3", "audio/mpeg"},
		{4, "ftypavif", "image/avif"},
		{4, "ftypheic", "image/heic"},
		{4, "ftyp", "video/mp4"},
		{0, "OggS", "audio/ogg"},
		{0, "\x00asm", "application/wasm"},
	}
}
