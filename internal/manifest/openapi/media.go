package openapi

import (
	"mime"
	"slices"
	"strings"
)

// Media types of bodies that arguments can be put into.
const (
	jsonType  = "application/json"
	formType  = "application/x-www-form-urlencoded"
	multiType = "multipart/form-data"
	bytesType = "application/octet-stream"
)

// essence returns the type and subtype of a media type in lower case, or "" when it is none.
func essence(mediaType string) string {
	essence, _, _ := strings.Cut(mediaType, ";")
	essence = strings.ToLower(strings.Trim(essence, " \t"))
	kind, subtype, found := strings.Cut(essence, "/")
	if !found || !isToken(kind) || !isToken(subtype) {
		return ""
	}
	return essence
}

// Sendable reports whether a text can stand in a header as the media type of a body.
func Sendable(mediaType string) bool {
	return essence(mediaType) != "" && !strings.ContainsFunc(mediaType, func(r rune) bool { return r < ' ' || r > '~' })
}

// IsJSON reports whether bodies of a media type are JSON.
func IsJSON(mediaType string) bool {
	essence := essence(mediaType)
	return essence == jsonType || strings.HasSuffix(essence, "+json")
}

// IsForm reports whether bodies of a media type are HTML forms in their simple encoding.
func IsForm(mediaType string) bool { return essence(mediaType) == formType }

func isMultipart(mediaType string) bool { return essence(mediaType) == multiType }

// isText reports whether bodies of a media type are text that a person can write.
func isText(mediaType string) bool {
	essence := essence(mediaType)
	_, subtype, _ := strings.Cut(essence, "/")
	return strings.HasPrefix(essence, "text/") || strings.HasSuffix(subtype, "+xml") || strings.HasSuffix(subtype, "+yaml") ||
		slices.Contains([]string{"xml", "yaml", "x-yaml", "graphql", "x-ndjson", "jsonl", "sql", "javascript", "jwt"}, subtype)
}

// Covers reports whether a range of media types holds one.
func Covers(ranged, mediaType string) bool {
	ranged, mediaType = essence(ranged), essence(mediaType)
	kind, _, _ := strings.Cut(mediaType, "/")
	return mediaType != "" && (ranged == "*/*" || ranged == mediaType || ranged == kind+"/*")
}

// isRange reports whether a media type stands for several.
func isRange(mediaType string) bool { return strings.Contains(essence(mediaType), "*") }

const maxAccept = 8

// Accept returns the value of an Accept header for these media types: at most 8 of them, and anything when there are none.
func Accept(types []string) string {
	var out []string
	for _, name := range types {
		if essence := essence(name); essence != "" && !slices.Contains(out, essence) && len(out) < maxAccept {
			out = append(out, essence)
		}
	}
	if len(out) == 0 {
		return "*/*"
	}
	return strings.Join(out, ", ")
}

// dispositionName writes the name of a part, or of a file, for the header of a multipart body, as browsers do.
func dispositionName(name string) string {
	return `"` + strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(name) + `"`
}

func hasBoundary(mediaType string) bool {
	_, parameters, err := mime.ParseMediaType(mediaType)
	return err == nil && parameters["boundary"] != ""
}

// charset returns the media type of a text with its encoding, where that is not said.
func charset(mediaType string) string {
	if _, parameters, err := mime.ParseMediaType(mediaType); err == nil && parameters["charset"] == "" && strings.HasPrefix(essence(mediaType), "text/") {
		return mediaType + "; charset=utf-8"
	}
	return mediaType
}
