package resource

import (
	"testing"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

func TestTerseAgainstFull(t *testing.T) {
	for name, c := range map[string]struct {
		terse, full string
		fault       string // its pointer; "-" when there is none
	}{
		"all that is left out":           {`{"detail_fields":["/a","/b/y"],"b":{"x":1}}`, `{"odp_version":"1.0","a":1,"b":{"x":1,"y":2}}`, "-"},
		"no claim":                       {`{"b":{}}`, `{"a":1,"b":{"x":1}}`, "-"},
		"values that changed":            {`{"a":true,"b":"x"}`, `{"a":false,"b":"y"}`, "-"},
		"what is gone meanwhile":         {`{"a":1}`, `{}`, "-"},
		"too few":                        {`{"detail_fields":["/a"]}`, `{"a":1,"b":2}`, "/detail_fields"},
		"too many":                       {`{"detail_fields":["/a","/b"]}`, `{"a":1}`, "/detail_fields"},
		"detail fields of the full form": {`{}`, `{"detail_fields":["/a"]}`, "/detail_fields"},
		"both have detail fields":        {`{"detail_fields":["/a"]}`, `{"a":1,"detail_fields":["/a"]}`, "/detail_fields"},
		"another type":                   {`{"a":"1"}`, `{"a":1}`, "/a"},
		"another type within":            {`{"a":{"b":[]}}`, `{"a":{"b":{}}}`, "/a/b"},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckDetailFields(jsontree.Parse([]byte(c.terse)), jsontree.Parse([]byte(c.full)))
			if c.fault == "-" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			requireAt(t, err, c.fault)
		})
	}
}
