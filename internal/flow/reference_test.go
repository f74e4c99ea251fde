package flow

import (
	"strconv"
	"strings"
	"testing"
)

func TestStringsThatAreReferences(t *testing.T) {
	for text, want := range map[string]string{
		"$input.query":                          "-1 query ",
		"$input.address.city":                   "-1 address city",
		"$steps.0":                              "0  ",
		"$steps.12.items.0.id":                  "12  items/0/id",
		"$steps.0.Total Price.0007":             "0  Total Price/0007",
		"plain":                                 `"plain"`,
		"":                                      `""`,
		"$":                                     `"$"`,
		"$5":                                    `"$5"`,
		"$5.00":                                 `"$5.00"`,
		"$inputting.x":                          `"$inputting.x"`,
		"$stepsister":                           `"$stepsister"`,
		"see $input.query":                      `"see $input.query"`,
		"$$input.query":                         `"$input.query"`,
		"$$$":                                   `"$$"`,
		"$steps.-1":                             "error",
		"$steps.1e9":                            "error",
		"$steps.01":                             "error",
		"$steps.+1":                             "error",
		"$steps.":                               "error",
		"$steps.0.":                             "error",
		"$steps.0..id":                          "error",
		"$steps.99999999999999":                 "error",
		"$steps.x":                              "error",
		"$steps.²":                              "error",
		"$steps":                                "error",
		"$step.0":                               "error",
		"$Steps.0":                              "error",
		"$steps[0].id":                          "error",
		"$input":                                "error",
		"$input.":                               "error",
		"$input..x":                             "error",
		"$input.x.":                             "error",
		"$input.in stock":                       "error",
		"$input.a=b":                            "error",
		"$input.\u0000":                         "error",
		"$inputs.x":                             "error",
		"$INPUT.x":                              "error",
		"$input[0]":                             "error",
		"$steps.0" + strings.Repeat(".a", 65):   "error",
		"$input." + strings.Repeat("a", 65):     "error",
		"$input." + strings.Repeat("a", 64):     "-1 " + strings.Repeat("a", 64) + " ",
		"$steps.999999999999" + "9.x":           "error",
		"$steps.0." + strings.Repeat("é", 1000): "0  " + strings.Repeat("é", 1000),
	} {
		if got := describeString(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func describeString(text string) string {
	ref, literal, err := parseString(text)
	switch {
	case err != nil:
		return "error"
	case ref == nil:
		return `"` + literal + `"`
	}
	return strings.Join([]string{strconv.Itoa(ref.step), ref.input, strings.Join(ref.path, "/")}, " ")
}
