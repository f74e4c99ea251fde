package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Alias is a name that a person gave to an origin.
type Alias struct {
	Origin       Origin `json:"origin"`
	AllowPrivate bool   `json:"allow_private,omitempty"` // the site may be at a private address (contract, section 7)

	Described *Described `json:"openapi,omitempty"` // the document that describes the site; nil when the site publishes it itself
}

// maxAliasBytes is far more than anybody has names.
const maxAliasBytes = 1 << 20

// Aliases are the names in the configuration directory. The zero value and nil hold none.
type Aliases struct {
	path   string
	byName map[string]Alias
}

// LoadAliases reads sites.json in the configuration directory. A damaged file is an error that names it, never an empty
// list.
func LoadAliases(configDir string) (*Aliases, error) {
	a := &Aliases{path: filepath.Join(configDir, "sites.json"), byName: map[string]Alias{}}
	data, err := atomicfile.Read(a.path, maxAliasBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, nil
	case err != nil:
		return nil, fault.New(fault.Internal, "config_unreadable", "%w", err)
	}
	err = strictjson.Decode(data, &a.byName)
	if err == nil && a.byName == nil {
		err = errors.New("it holds no object")
	}
	if err != nil {
		return nil, fault.New(fault.Internal, "config_damaged", "%s is damaged: %w", a.path, err).
			WithHint("mend or remove %s", a.path)
	}
	return a, nil
}

// Get returns the alias of that name.
func (a *Aliases) Get(name string) (Alias, bool) {
	if a == nil {
		return Alias{}, false
	}
	alias, ok := a.byName[name]
	return alias, ok
}

// Names returns the names in order.
func (a *Aliases) Names() []string {
	if a == nil {
		return nil
	}
	names := make([]string, 0, len(a.byName))
	for name := range a.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Add stores a name for an origin. The name must look like a command segment without a dot, so it can be taken neither for
// an option nor for a domain.
func (a *Aliases) Add(name string, alias Alias) error {
	if !manifest.ValidSegment(name) || strings.Contains(name, ".") || name == DemoWord {
		return fault.New(fault.Usage, "invalid_alias", "%q cannot be an alias: use letters, digits, '_' and '-'", name)
	}
	return a.update(func() { a.byName[name] = alias })
}

// Remove forgets a name; ok tells whether it was known.
func (a *Aliases) Remove(name string) (ok bool, err error) {
	err = a.update(func() {
		_, ok = a.byName[name]
		delete(a.byName, name)
	})
	return ok, err
}

// update reads the file again, changes it and writes it under a lock, so that two runs at once lose nothing.
func (a *Aliases) update(change func()) (err error) {
	unlock, err := atomicfile.Lock(a.path)
	if err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	defer unlock()
	current, err := LoadAliases(filepath.Dir(a.path))
	if err != nil {
		return err
	}
	a.byName = current.byName
	change()
	data, err := json.MarshalIndent(a.byName, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding aliases: %w", err)
	}
	if err := atomicfile.Write(a.path, append(data, '\n')); err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	return nil
}
