package strictjson

import "testing"

func TestDecode(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"a":1}`: true, `{}`: true, `null`: true,
		`{"a":1,"b":2}`: false, `{"a":1,"a":2}`: false, `{"a":1} {}`: false, `{"a":"x"}`: false, `{"a":1`: false, ``: false, "{\"a\":1,\"\xff\":1}": false,
	} {
		var into struct {
			A int `json:"a"`
		}
		if err := Decode([]byte(text), &into); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
