package flow

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// pick returns the part of a value that a path of member names and item numbers leads to. The value, which must have
// passed [strictjson.Check], is only read over: a tree of a large one would cost many times its size.
func pick(value jsontext.Value, path []string) (jsontext.Value, error) {
	if len(path) == 0 {
		return value, nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true)) // there are none
	for _, token := range path {
		if err := enter(d, token); err != nil {
			return nil, err
		}
	}
	part, err := d.ReadValue()
	return strictjson.Compact(part), err
}

// enter moves the decoder from before a value to before the member or item that a token names.
func enter(d *jsontext.Decoder, token string) error {
	switch kind := d.PeekKind(); kind {
	case '{':
		return enterObject(d, token)
	case '[':
		return enterArray(d, token)
	case '"', '0', 't', 'f', 'n':
		return fmt.Errorf("there is no %q in %s", cut(token), kindName(kind))
	}
	return errors.New("it cannot be read")
}

func enterObject(d *jsontext.Decoder, name string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		if token.String() == name {
			return nil
		}
		if err := d.SkipValue(); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is no member %q", cut(name))
}

func enterArray(d *jsontext.Decoder, token string) error {
	n, ok := index(token)
	if !ok {
		return fmt.Errorf("%q is no number of an item", cut(token))
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		if i == n {
			return nil
		}
		if err := d.SkipValue(); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is no item %d: items are numbered from 0", n)
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}
