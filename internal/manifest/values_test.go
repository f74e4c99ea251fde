package manifest

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestValuesAreFoundHoweverManyThereAre(t *testing.T) {
	var v Values
	want := "{"
	for i := range 3 * fewItems {
		name := fmt.Sprint("p", i)
		if _, ok := v.Get(name); ok {
			t.Errorf("%s is there before it was set", name)
		}
		v.Set(name, jsontext.Value("0"))
		v.Set(name, jsontext.Value(fmt.Sprint(i)))
		for j := range i + 1 {
			if value, ok := v.Get(fmt.Sprint("p", j)); !ok || string(value) != fmt.Sprint(j) {
				t.Fatalf("p%d of %d is %s", j, i+1, value)
			}
		}
		want += fmt.Sprintf(`%q:%d,`, name, i)
	}
	if got := string(v.Object()); got != want[:len(want)-1]+"}" || len(v.Names()) != 3*fewItems {
		t.Errorf("got %s", got)
	}
}
