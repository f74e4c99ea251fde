package site

import (
	"strings"
	"testing"
)

func TestLikelyCommandLeavesArgumentsOut(t *testing.T) {
	for words, want := range map[string]string{
		"orders create 2":                      "orders create",
		"orders refunds create ord_8fJ2 x":     "orders refunds create",
		"orders list":                          "orders list",
		"search shoes list":                    "search",
		"login mysecretpassword":               "",
		"login ../../create create":            "",
		"a b c d create":                       "",
		"":                                     "",
		"orders":                               "",
		"-x create":                            "",
		"orders get create delete update list": "orders get",
	} {
		if got := strings.Join(likelyCommand(strings.Fields(words)), " "); got != want {
			t.Errorf("%q: guessed %q, want %q", words, got, want)
		}
	}
}
