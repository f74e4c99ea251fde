package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPagesLinkToWhatIsThere follows every link of the pages that stays in the repository, to the heading where one is named, and
// holds each picture to be shown by a page.
func TestPagesLinkToWhatIsThere(t *testing.T) {
	const root = "../.."
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob(root + "/*.md")
	if err != nil || len(pages) == 0 || len(top) == 0 {
		t.Fatalf("%d and %d pages: %v", len(pages), len(top), err)
	}
	shown := map[string]bool{}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range append(top, pages...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(withoutCode(string(text)), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			name, heading, _ := strings.Cut(m[1], "#")
			target := page
			if name != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(name))
			}
			shown[target] = true
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if heading != "" && !hasHeading(t, target, heading) {
				t.Errorf("%s links to %s, and no heading is called so", page, m[1])
			}
		}
	}
	pictures, err := filepath.Glob(root + "/docs/images/*")
	if err != nil || len(pictures) == 0 {
		t.Fatalf("%d pictures: %v", len(pictures), err)
	}
	for _, picture := range pictures {
		if !shown[picture] {
			t.Errorf("no page shows %s", picture)
		}
	}
}

// withoutCode takes blocks of code and code in lines out of markdown.
func withoutCode(text string) string {
	text = regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(text, "")
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllStringFunc(text, func(code string) string { return strings.Trim(code, "`[]()") })
}

// hasHeading tells whether a page has a heading that leads to an anchor, as GitHub makes them.
func hasHeading(t *testing.T, page, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		made := strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		if made == anchor {
			return true
		}
	}
	return false
}
