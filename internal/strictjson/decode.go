package strictjson

import (
	"bytes"
	"encoding/json"
)

// Decode reads a document that agentctl wrote itself, such as a state file: it refuses what [Check] refuses, and members that
// into does not have.
func Decode(doc []byte, into any) error {
	if err := Check(doc); err != nil { // one value, and no member twice
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
