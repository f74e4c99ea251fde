package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// key is a secp256k1 key, as Ethereum has them.
type key struct{ private *secp256k1.PrivateKey }

// loadKey reads 32 bytes in hexadecimal digits. Where there is no file it makes one that nobody else can read.
func loadKey(path string) (*key, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		private, err := secp256k1.GeneratePrivateKey()
		if err != nil {
			return nil, err
		}
		return &key{private}, os.WriteFile(path, []byte(hex.EncodeToString(private.Serialize())+"\n"), 0o600)
	}
	if err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"))
	if err != nil || len(raw) != secp256k1.PrivKeyBytesLen {
		return nil, fmt.Errorf("%s holds no key: 64 hexadecimal digits are one", path)
	}
	var scalar secp256k1.ModNScalar
	if over := scalar.SetByteSlice(raw); over || scalar.IsZero() {
		return nil, fmt.Errorf("%s holds no key: the number is out of range", path)
	}
	return &key{secp256k1.NewPrivateKey(&scalar)}, nil
}

// address is the account of the key.
func (k *key) address() string {
	point := k.private.PubKey().SerializeUncompressed()[1:]
	return "0x" + hex.EncodeToString(keccak(point)[12:])
}

// sign returns r, s and v of a hash, 65 bytes, as Ethereum's contracts take them.
func (k *key) sign(hash []byte) []byte {
	compact := ecdsa.SignCompact(k.private, hash, false) // v, r, s
	return append(compact[1:], compact[0])
}

// keccak is Keccak-256, which is not SHA3-256.
func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		_, _ = h.Write(part)
	}
	return h.Sum(nil)
}
