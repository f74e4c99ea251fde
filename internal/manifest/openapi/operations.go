package openapi

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// operation is one operation as it stands in the document: raw pieces of it.
type operation struct {
	path, method string // method in upper case
	pointer      string
	base         string // absolute; see [serverList]
	command      []string
	aliases      [][]string
	hidden       bool
	wrong        *Error // why it cannot be used; nil when nothing is known against it

	id, tag, summary, description       string
	capability, effect, scope           string
	cliName, cliGroup, cliDescription   string
	cliAliases                          jsontext.Value
	deprecated                          bool
	shared, parameters, body, responses jsontext.Value // shared are the parameters of the path item
	security, cost                      jsontext.Value
	answer                              answer
}

// methods are the members of a path item that hold operations, and the methods that they stand for.
func methodNamed(member string) string {
	switch member {
	case "get", "put", "post", "delete", "options", "head", "patch", "trace":
		return strings.ToUpper(member)
	}
	return ""
}

// reader reads the operations of a document. What many of them refer to is looked at once.
type reader struct {
	*Document
	followed map[string]followed
	answers  map[string]answer // by reference
	lists    map[string]bool   // whether schemas are of arrays, by reference
	left     int               // bytes of path items that references may still lead to
}

func newReader(d *Document) *reader {
	return &reader{Document: d, followed: map[string]followed{}, answers: map[string]answer{}, lists: map[string]bool{}, left: maxShared}
}

func (d *reader) paths(paths jsontext.Value, servers serverList) error {
	if paths != nil && paths.Kind() != '{' {
		return fault.New(fault.Manifest, "wrong_type", "the paths of the document must be an object")
	}
	for path, item := range strictjson.SharedMembers(paths) {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		d.readItem(path, item, servers)
		if len(d.operations) > MaxOperations {
			return fault.New(fault.Manifest, "too_large", "the document has more than %d operations", MaxOperations)
		}
	}
	return nil
}

// readItem reads the operations of a path. What the path item refers to, if it does, stands for all of it.
func (d *reader) readItem(path string, published jsontext.Value, servers serverList) {
	pointer := pointerTo("/paths", path)
	item, err := d.follow(published, pointer)
	if len(item) > len(published) { // it is elsewhere
		if d.left -= len(item); d.left < 0 {
			err = &Error{CodeTooLarge, pointer, "the document refers to its path items too often"}
		}
	}
	if err != nil {
		d.flaw(nil, err)
		return
	}
	var (
		shared  jsontext.Value
		hidden  bool
		methods []string
		found   []jsontext.Value
	)
	for name, value := range strictjson.SharedMembers(item) {
		switch name {
		case "parameters":
			shared = value
		case "servers":
			servers = d.nearer(servers, value)
		case "x-cli-ignore", "x-cli-hidden":
			hidden = hidden || value.Kind() == 't'
		default:
			if methodNamed(name) != "" {
				methods, found = append(methods, name), append(found, value)
			}
		}
	}
	for i, value := range found {
		op := &operation{path: path, method: methodNamed(methods[i]), pointer: pointerTo(pointer, methods[i]), shared: shared, hidden: hidden}
		d.readOperation(op, value, servers)
		d.operations = append(d.operations, op)
	}
}

func (d *reader) readOperation(op *operation, value jsontext.Value, servers serverList) {
	op.security = d.security
	if value.Kind() != '{' {
		op.wrong = invalid(op.pointer, "an operation must be an object")
	}
	for name, value := range strictjson.SharedMembers(value) {
		switch name {
		case "tags":
			for _, tag := range strictjson.SharedElements(value) {
				op.tag, _ = strictjson.String(tag)
				break
			}
		case "deprecated":
			op.deprecated = value.Kind() == 't'
		case "x-cli-ignore", "x-cli-hidden":
			op.hidden = op.hidden || value.Kind() == 't'
		case "servers":
			servers = d.nearer(servers, value)
		default:
			op.keep(name, value)
		}
	}
	op.answer = d.answersTo(op.responses)
	var wrong *Error
	op.base, wrong = servers.base(op.pointer)
	for _, e := range []*Error{checkPath(sent(op.path), op.pointer), wrong, d.unreachable(op)} {
		if op.wrong == nil {
			op.wrong = e
		}
	}
}

// keep notes a member of an operation.
func (op *operation) keep(name string, value jsontext.Value) {
	if place := op.rawPlace(name); place != nil {
		*place = value
	}
	if place := op.textPlace(name); place != nil {
		*place, _ = strictjson.String(value)
	}
}

func (op *operation) rawPlace(name string) *jsontext.Value {
	switch name {
	case "parameters":
		return &op.parameters
	case "requestBody":
		return &op.body
	case "responses":
		return &op.responses
	case "security":
		return &op.security
	case "x-agent-cost":
		return &op.cost
	case "x-cli-aliases":
		return &op.cliAliases
	}
	return nil
}

func (op *operation) textPlace(name string) *string {
	switch name {
	case "operationId":
		return &op.id
	case "summary":
		return &op.summary
	case "description":
		return &op.description
	case "x-agent-capability":
		return &op.capability
	case "x-agent-effect":
		return &op.effect
	case "x-agent-scope":
		return &op.scope
	case "x-cli-name":
		return &op.cliName
	case "x-cli-group":
		return &op.cliGroup
	case "x-cli-description":
		return &op.cliDescription
	}
	return nil
}

// unreachable says why an operation cannot be called: its method is not supported, or a part that it needs is in another
// document or nowhere. Nil when nothing is known against it.
func (d *reader) unreachable(op *operation) *Error {
	if op.method == "TRACE" {
		return unsupported(op.pointer, "the method TRACE is not supported")
	}
	for _, list := range []jsontext.Value{op.shared, op.parameters} {
		for i, p := range strictjson.SharedElements(list) {
			if i > MaxParameters { // they are refused when they are read
				break
			}
			if _, err := d.follow(p, pointerTo(op.pointer, "parameters", strconv.Itoa(i))); err != nil {
				return err
			}
		}
	}
	_, err := d.follow(op.body, pointerTo(op.pointer, "requestBody"))
	return err
}

// refOf returns the reference that an object is.
func refOf(object jsontext.Value) (string, bool) {
	if !bytes.Contains(object, []byte(`"$ref"`)) { // the usual case, without a decoder
		return "", false
	}
	return strictjson.String(member(object, "$ref"))
}

// member returns a member of an object as it stands in the document, or nil.
func member(object jsontext.Value, name string) jsontext.Value {
	for key, value := range strictjson.SharedMembers(object) {
		if key == name {
			return value
		}
	}
	return nil
}
