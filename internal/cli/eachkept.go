package cli

import (
	"bytes"
	"encoding/binary"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// pack appends the arguments of a line in the form in which they are kept: name and value, each behind its length. What the
// command line gives to every line is not kept with each; nothing stands in its place, which is no value of JSON.
func (b *eachRun) pack(out []byte, values *manifest.Values) []byte {
	for _, name := range values.Names() {
		value, _ := values.Get(name)
		if common, ok := b.shared.Get(name); ok && bytes.Equal(common, value) {
			value = nil
		}
		out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
		out = append(binary.AppendUvarint(out, uint64(len(value))), value...)
	}
	return out
}

// unpack returns what was packed.
func (b *eachRun) unpack(packed []byte) *manifest.Values {
	values := &manifest.Values{}
	for len(packed) > 0 {
		var name, value []byte
		name, packed = firstText(packed)
		value, packed = firstText(packed)
		if len(value) == 0 {
			value, _ = b.shared.Get(string(name))
		}
		values.Set(string(name), value)
	}
	return values
}

// firstText takes what [eachRun.pack] put behind its length.
func firstText(packed []byte) (text, rest []byte) {
	size, n := binary.Uvarint(packed)
	end := n + int(size) //nolint:gosec // it is the length of what follows
	return packed[n:end:end], packed[end:]
}

// again makes the call of a line that was checked. What it sends is what was checked then: a file that it names must not have
// changed.
func (b *eachRun) again(a *published, k *batch.Kept) (*madeCall, error) {
	c, err := b.make(a, b.unpack(k.Values))
	switch {
	case k.Digest != "" && (err != nil || k.Digest != c.facts.Digest()):
		return nil, fault.New(fault.Usage, "file_changed", "a file that the line names has changed since it was checked")
	case err != nil:
		return nil, fault.New(fault.Internal, "internal", "line %d was valid before: %w", k.Number, err)
	}
	return c, nil
}
