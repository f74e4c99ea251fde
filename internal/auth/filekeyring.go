package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// fileKeyring keeps secrets in a file for machines without a keyring (AGENTCTL_KEYRING=file): a 0600 file in a 0700
// directory of its own, replaced whole, under a lock. It is not encrypted: who can read it has the secrets, so a file or
// directory that others may read is refused.
type fileKeyring struct {
	path string
}

func newFileKeyring(configDir string) fileKeyring {
	return fileKeyring{filepath.Join(configDir, "keyring", "secrets.json")}
}

func (k fileKeyring) get(_ context.Context, name string) (string, error) {
	secrets, err := k.read()
	if err != nil {
		return "", err
	}
	secret, ok := secrets[name]
	if !ok {
		return "", errNotFound
	}
	return secret, nil
}

func (k fileKeyring) set(_ context.Context, name, secret string) error {
	return k.update(func(secrets map[string]string) error {
		secrets[name] = secret
		return nil
	})
}

func (k fileKeyring) remove(_ context.Context, name string) error {
	return k.update(func(secrets map[string]string) error {
		if _, ok := secrets[name]; !ok {
			return errNotFound
		}
		delete(secrets, name)
		return nil
	})
}

func (k fileKeyring) update(change func(map[string]string) error) error {
	unlock, err := atomicfile.Lock(k.path)
	if err != nil {
		return writeFailed(err)
	}
	defer unlock()
	secrets, err := k.read()
	if err != nil {
		return err
	}
	if err := change(secrets); err != nil {
		return err
	}
	data, err := json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(k.path, append(data, '\n'))
}

// read returns the secrets; a file that is not there holds none. What is wrong with a damaged one is not told: it might be
// a secret.
func (k fileKeyring) read() (map[string]string, error) {
	secrets := map[string]string{}
	data, err := k.contents()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return secrets, nil
	case err != nil:
		return nil, err
	}
	if strictjson.Check(data) != nil || json.Unmarshal(data, &secrets) != nil || secrets == nil {
		return nil, fault.New(fault.Internal, "config_damaged", "%s is damaged", k.path).WithHint("mend or remove %s", k.path)
	}
	return secrets, nil
}

// contents reads the file if nobody else can. The directory counts also where no file is in it yet: what is about to be
// written there could not be read back.
func (k fileKeyring) contents() ([]byte, error) {
	dir := filepath.Dir(k.path)
	if info, err := os.Stat(dir); err == nil && shared(info) {
		return nil, insecure(dir, "700")
	}
	file, err := atomicfile.Open(k.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, fault.New(fault.Internal, "config_unreadable", "%w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && shared(info) {
		return nil, insecure(k.path, "600")
	}
	if err == nil && info.Size() > maxDocumentBytes {
		err = fmt.Errorf("%s is larger than %d MiB", k.path, maxDocumentBytes>>20)
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(file)
	}
	if err != nil {
		return nil, fault.New(fault.Internal, "config_unreadable", "%w", err)
	}
	return data, nil
}

func insecure(path, mode string) *fault.Error {
	return fault.New(fault.Auth, "keyring_insecure", "others than you may use %s, which keeps secrets", path).WithHint("chmod %s %s", mode, path)
}
