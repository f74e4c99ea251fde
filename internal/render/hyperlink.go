package render

import (
	"net/url"
	"strings"
)

// Hyperlink makes text that a terminal can show lead to a place (OSC 8). The text has to be clean. Without a target it is
// text as it is; a target has to come from [linkTarget].
func Hyperlink(target, text string) string {
	if target == "" {
		return text
	}
	return "\x1b]8;;" + target + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

const maxLinkBytes = 2048 // longer ones are cut by some terminals, and lead elsewhere then

// linkTarget returns the address that a text is, if a terminal may lead there: absolute, by https, without a user name, which
// can look like a host, and in printable ASCII, so that nothing in it can end the sequence. "" for any other text.
func linkTarget(text string) string {
	if len(text) > maxLinkBytes || !strings.HasPrefix(text, "https://") {
		return ""
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return ""
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return ""
	}
	return text
}
