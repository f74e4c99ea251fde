package input

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
)

// typical is an action of five parameters, an object and an enum among them.
func typical() ([]manifest.Param, []string, Words) {
	declared := params(
		`qty!={"type":"integer","minimum":1,"maximum":10}`,
		`reason={"type":"string","enum":["damaged","late","other"]}`,
		`amount={"type":"number","exclusiveMinimum":0}`,
		`notify={"type":"boolean"}`,
		`address={"type":"object","required":["city"],"properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string","pattern":"^[0-9]{5}$"}}}`,
	)
	return declared, []string{"qty"}, Words{
		Positional: []string{"2"},
		Flags:      flags("reason=late", "amount=4.50", "notify=true", `address={"city":"Paris","zip":"75001"}`),
	}
}

func BenchmarkValues(b *testing.B) {
	declared, args, words := typical()
	set, err := Compile(declared, args)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := set.Values(words); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkValuesDotted(b *testing.B) {
	declared, args, words := typical()
	set, err := Compile(declared, args)
	if err != nil {
		b.Fatal(err)
	}
	words.Flags = flags("reason=late", "amount=4.50", "notify=true", "address.city=Paris", "address.zip=75001")
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := set.Values(words); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	declared, args, _ := typical()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(declared, args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileObject(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CompileObject(jsontext.Value(order), []string{"product_id", "quantity"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValuesOfObject(b *testing.B) {
	set := compileObject(b, order, "product_id", "quantity")
	words := Words{Positional: []string{"p_1", "2"}, Flags: flags("price=1.50", "gift=true", "to.city=Paris", "tags=a", "tags=b")}
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := set.Values(words); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}
