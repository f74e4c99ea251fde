package template

import "testing"

func BenchmarkAppendJSON(b *testing.B) {
	j := mustJSON(b, `{"reason":"{{$reason}}","refund":{"amount":"{{$amount}}","note":"by {{$who.name}}"},"channel":"agent"}`)
	values := map[string][]byte{"reason": []byte(`"damaged"`), "amount": []byte(`4.5`), "who": []byte(`{"id":1,"name":"Ada"}`)}
	l := func(name string) ([]byte, bool) { raw, ok := values[name]; return raw, ok }
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out, _, _ = j.Append(out[:0], l)
	}
}

func BenchmarkParseText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseText("/api/v1/orders/{{$id}}/refunds/{{$refund.id}}"); err != nil {
			b.Fatal(err)
		}
	}
}
