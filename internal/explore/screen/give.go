package screen

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// give fills in what was given elsewhere. Nothing of it may be lost: what the fields for the members of an object have no place for
// is shown in one field for the whole object.
func (f *form) give(given explore.Given) {
	texts := map[*field][]string{}
	for _, v := range given.Values {
		if at := f.field(v.Name, v.Path); at != nil {
			texts[at] = append(texts[at], v.Text)
			continue
		}
		if members, ok := f.members(v); ok {
			for at, text := range members {
				texts[at] = []string{text}
			}
			continue
		}
		at := f.add(v, texts)
		texts[at] = append(texts[at], v.Text)
	}
	for at, list := range texts {
		at.give(list)
		at.touched = true
	}
	for _, each := range f.fields {
		if each.files && len(given.Files) > 0 {
			each.give(given.Files)
		}
	}
}

func (f *form) field(name string, path []string) *field {
	for _, each := range f.fields {
		if !each.files && each.Name == name && slices.Equal(each.Path, path) {
			return each
		}
	}
	return nil
}

// members are the values of the fields that an object's members have, and ok is false where one has none.
func (f *form) members(v explore.Value) (of map[*field]string, ok bool) {
	object := jsontext.Value(v.Text)
	if strictjson.Check(object) != nil || strictjson.Compact(object).Kind() != '{' {
		return nil, false
	}
	of = map[*field]string{}
	for name, value := range strictjson.Members(object) {
		text, isText := strictjson.String(value)
		if !isText {
			text = string(strictjson.Compact(value))
		}
		below := explore.Value{Name: v.Name, Path: append(slices.Clone(v.Path), name), Text: text}
		if at := f.field(below.Name, below.Path); at != nil {
			of[at] = text
			continue
		}
		more, ok := f.members(below)
		if !ok || isText {
			return nil, false
		}
		maps.Copy(of, more)
	}
	return of, true
}

// add adds a field for what has none: a member that the schema does not name, or an object as a whole, which then has the place of
// the fields of its members, unless something is given to them.
func (f *form) add(v explore.Value, given map[*field][]string) *field {
	one := newField(explore.Field{Name: v.Name, Path: v.Path})
	at := slices.IndexFunc(f.fields, func(each *field) bool { return each.Name == v.Name && !each.files })
	if at < 0 { // agentctl tells what is wrong with it
		f.fields = append(f.fields, one)
		return one
	}
	if len(v.Path) == 0 {
		one.Type, one.Object, one.Required = "object", true, f.fields[at].Required
		f.fields = slices.DeleteFunc(f.fields, func(each *field) bool { return each.Name == v.Name && !each.files && given[each] == nil })
	}
	f.fields = slices.Insert(f.fields, min(at, len(f.fields)), one)
	return one
}
