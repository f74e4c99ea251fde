package odp

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/fault"
)

// Service is a Service Document that was accepted as a whole (ODP-24). References are as published; [Origin.Resolve]
// makes them absolute.
type Service struct {
	Origin        Origin // its identity; nothing in the document can change it (ODP-8)
	Version       string // "1.N"
	Name          string
	Description   string
	Language      string   // of what has no language of its own (ODP-128)
	Localizations []string // language tags that can be asked for, the one of Language included
	Keywords      []string // hints, no vocabulary (ODP-27)
	Operations    []Advertised
	Base          string // path that operations are joined to, as published (ODP-26)
	OpenAPI       string // reference to the OpenAPI document; "" when there is none
	Branding      *Branding
	Protocols     Protocols
	Capabilities  Capabilities
	Website       string // references that only describe; "" when absent
	Documentation string
	Support       string
	Status        string
	Issues        []Issue // entries of a later minor version that were ignored (ODP-149)
}

// Branding is how a Service may be shown. An image of a kind that is unknown is nil.
type Branding struct{ Icon, Logo *BrandingImage }

// BrandingImage is one image.
type BrandingImage struct {
	Source string // reference
	Type   string // announced media type; "" when there is none
}

const (
	serviceCode = "service_invalid"
	serviceName = "the Service Document"
)

// ParseService reads a Service Document that came from origin (ODP-22 to ODP-31). Any fault refuses all of it, with an
// error of kind [fault.Manifest] and code "service_invalid" that names the place. Of a version 1.1 or later, entries with
// unknown words are ignored and become issues (ODP-149).
func ParseService(doc []byte, origin Origin) (*Service, error) {
	tree, err := Decode(doc, ServiceLimits())
	if err != nil {
		return nil, Unreadable(serviceCode, serviceName, err)
	}
	p := serviceParser{origin: origin}
	s := p.service(NewCursor(tree, serviceCode))
	if p.fault != nil {
		return nil, Refuse(serviceCode, serviceName, p.fault)
	}
	return s, nil
}

// serviceParser holds what the parts of a document need from each other.
type serviceParser struct {
	later
	origin Origin
	fault  *Issue
}

// later ignores words that a minor version after 1.0 may have added, and keeps account of them. In a document of version
// 1.0 such words are faults like others (ODP-149).
type later struct {
	minor  int
	issues []Issue
}

// skips reports whether the text at c is a word of a later version, and notes that something is ignored for it.
func (l *later) skips(c *Cursor, known ...string) bool {
	if l.minor == 0 || !c.Is('"') || slices.Contains(known, c.Node().Text()) {
		return false
	}
	l.issues = append(l.issues, Issue{
		Code: "unsupported", Pointer: c.Pointer(), Message: "is of a later version and is ignored: " + fault.Word(c.Node().Text()),
	})
	return true
}

// closed allows only these members, and in a later version any others too, without meaning.
func (l *later) closed(c *Cursor, names ...string) {
	if l.minor == 0 {
		c.Closed(names...)
	}
}

// upTo returns the highest number of entries: a later version may have more than are known.
func (l *later) upTo(n int) int {
	if l.minor > 0 {
		return ServiceLimits().Bytes
	}
	return n
}

func (p *serviceParser) service(c *Cursor) *Service {
	c.Forbid("id", "web_url")
	version := c.Member("odp_version").Version()
	p.minor = Minor(version)
	if c.Failed() { // what else is wrong may be legal in the version that it is
		p.fault = c.Issue()
		return nil
	}
	http := c.Member("http")
	s := &Service{
		Origin:        p.origin,
		Version:       version,
		Name:          c.Member("name").Text(1, 128),
		Description:   c.Member("description").Text(1, 1024),
		Language:      c.Member("language").Tag(),
		Keywords:      keywords(c.Optional("keywords")),
		Operations:    p.operations(c.Member("operations")),
		Base:          endpointBase(http.Member("endpoint_base")),
		OpenAPI:       p.openAPI(http.Optional("openapi")),
		Branding:      p.branding(c.Optional("branding")),
		Website:       c.Optional("website_url").Reference(),
		Documentation: c.Optional("documentation_url").Reference(),
		Support:       c.Optional("support_url").Reference(),
		Status:        c.Optional("status_url").Reference(),
	}
	s.Localizations = Localizations(c.Member("localizations"), s.Language)
	s.Protocols = p.protocols(c.Optional("protocols"))
	p.checkEnrollment(c, s)
	if search := c.Optional("search_capabilities"); search != nil {
		s.Capabilities = p.capabilities(search)
		if _, ok := s.Operation(SearchOfferings); !ok {
			search.Fail("needs the operation search-offerings") // ODP-76
		}
	}
	s.Issues, p.fault = p.issues, c.Issue()
	return s
}

// Localizations reads 1 to 16 language tags that differ in more than case and hold language, unless that is "" (ODP-53).
func Localizations(c *Cursor, language string) []string {
	var tags []string
	for _, item := range c.Elements(1, 16) {
		tag := item.Tag()
		if slices.ContainsFunc(tags, func(other string) bool { return strings.EqualFold(other, tag) }) {
			item.Fail("is there twice: %q", tag)
		}
		tags = append(tags, tag)
	}
	if language != "" && !slices.ContainsFunc(tags, func(tag string) bool { return strings.EqualFold(tag, language) }) {
		c.Fail("must hold the language %q", language)
	}
	return tags
}

// keywords reads up to 32 texts, 1024 characters in all; "GPU" and "gpu" are two.
func keywords(c *Cursor) []string {
	var words []string
	total := 0
	for _, item := range c.Elements(0, 32) {
		word := item.Text(1, 64)
		if word != strings.TrimFunc(word, isSpace) {
			item.Fail("must not begin or end with white space")
		}
		if slices.Contains(words, word) {
			item.Fail("is there twice: %q", word)
		}
		words = append(words, word)
		total += utf8.RuneCountInString(word)
	}
	if total > 1024 {
		c.Fail("must have 1024 characters at most in all, not %d", total)
	}
	return words
}

// isSpace knows white space of Unicode, and the byte order mark, which the patterns of the published schemas count as such.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// endpointBase reads the path that operations are joined to (ODP-26).
func endpointBase(c *Cursor) string {
	base := c.Text(1, 2048)
	if c.Is('"') && !validBase(base) {
		c.Fail("must be an absolute path without query and fragment, not %q", fault.Word(base))
	}
	return base
}

func validBase(base string) bool {
	for i := range len(base) {
		if !isUnreserved(base[i]) && strings.IndexByte("!$&'()*+,;=:@%/", base[i]) < 0 {
			return false
		}
	}
	return strings.HasPrefix(base, "/") && !strings.HasPrefix(base, "//")
}

func (p *serviceParser) openAPI(c *Cursor) string {
	if c == nil {
		return ""
	}
	p.closed(c, "url")
	return c.Member("url").Reference()
}

func (p *serviceParser) branding(c *Cursor) *Branding {
	if c == nil {
		return nil
	}
	p.closed(c, "icon", "logo")
	return &Branding{Icon: p.brandingImage(c.Member("icon")), Logo: p.brandingImage(c.Member("logo"))}
}

func (p *serviceParser) brandingImage(c *Cursor) *BrandingImage {
	p.closed(c, "src", "type")
	image := &BrandingImage{Source: c.Member("src").Reference()}
	kind := c.Optional("type")
	if p.skips(kind, "image/svg+xml", "image/png", "image/webp") {
		return nil
	}
	if kind != nil {
		image.Type = kind.OneOf("image/svg+xml", "image/png", "image/webp")
	}
	return image
}
