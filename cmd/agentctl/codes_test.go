package main

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryCodeIsExplained holds docs/troubleshooting.md to the source: each code that agentctl gives an error of its own is
// there, and no code is that nothing gives.
func TestEveryCodeIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z0-9]+(?:_[a-z0-9]+)*)`").FindAllStringSubmatch(string(page), -1) {
		explained[m[1]] = true
	}
	given, texts := codesInSource(t)
	for code, at := range given {
		if !explained[code] {
			t.Errorf("%s gives %q, which docs/troubleshooting.md does not explain", at, code)
		}
	}
	for code := range explained {
		if !texts[code] && !strings.HasPrefix(code, "http_") && !texts[strings.TrimSuffix(code, "_id")] && strings.Contains(code, "_") {
			t.Errorf("docs/troubleshooting.md explains %q, which is nowhere in the source", code)
		}
	}
}

// codesInSource returns the codes of fault.New, with where one is, and all texts of the source.
func codesInSource(t *testing.T) (given map[string]string, texts map[string]bool) {
	t.Helper()
	given, texts = map[string]string{}, map[string]bool{}
	skipped := regexp.MustCompile(`/(demo|aeptest|conformance|bench|relevance)(/|$)`)
	err := filepath.WalkDir("../../internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || skipped.MatchString(filepath.ToSlash(path)) {
			return err
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil {
					texts[text] = true
				}
			case *ast.CallExpr:
				if code, ok := codeOf(n); ok {
					given[code] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(given) < 100 {
		t.Fatalf("only %d codes were found", len(given))
	}
	return given, texts
}

// codeOf is the code in fault.New(kind, "code", …).
func codeOf(call *ast.CallExpr) (string, bool) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "New" || len(call.Args) < 3 {
		return "", false
	}
	if pkg, ok := f.X.(*ast.Ident); !ok || pkg.Name != "fault" {
		return "", false
	}
	lit, ok := call.Args[1].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	code, err := strconv.Unquote(lit.Value)
	return code, err == nil
}
