package openapi

import (
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// places finds what JSON Pointers lead to. An object or an array is indexed when a pointer first leads into it, so however
// many references a document has, and wherever they lead, no byte is looked through more often than it is deep.
type places struct {
	mutex  sync.Mutex
	root   place
	count  int // of what is indexed
	walked int // bytes looked through
}

// place is a value in the document, as it stands there.
type place struct {
	value jsontext.Value
	parts map[string]*place // its members or elements, nil until it is looked into
}

// at returns what a JSON Pointer leads to, or nil.
func (p *places) at(pointer string) jsontext.Value {
	if strings.Count(pointer, "/") > strictjson.MaxDepth { // nothing is that deep
		return nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := &p.root
	for token := range jsontree.Tokens(pointer) {
		if found.parts == nil {
			p.index(found)
		}
		if found = found.parts[token]; found == nil {
			return nil
		}
	}
	return found.value
}

// index notes the parts of a place, as far as there is room.
func (p *places) index(at *place) {
	at.parts = map[string]*place{}
	if p.walked += len(at.value); p.walked > maxWalked {
		return
	}
	for name, value := range strictjson.SharedMembers(at.value) {
		if !p.add(at, name, value) {
			return
		}
	}
	for i, value := range strictjson.SharedElements(at.value) {
		if !p.add(at, strconv.Itoa(i), value) {
			return
		}
	}
}

func (p *places) add(at *place, token string, value jsontext.Value) (ok bool) {
	if p.count++; p.count > maxPlaces {
		return false
	}
	at.parts[token] = &place{value: value}
	return true
}
