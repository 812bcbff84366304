package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Surface is how a request came in.
type Surface string

// The surfaces. Core is for what the radio does by itself, such as a time-out timer
// that ends a transmission.
const (
	REST     Surface = "rest"
	SocketIO Surface = "socketio"
	Lua      Surface = "lua"
	Core     Surface = "core"
	Admin    Surface = "admin"
)

// Actor is who did it: a player (positive id), a dispatcher (negative id), or the
// service itself (0).
type Actor struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// Entry is one line of the audit log.
type Entry struct {
	// Seq numbers the entries from 1 without gaps. Append sets it.
	Seq uint64 `json:"seq"`
	// Time is in milliseconds since the epoch. Append sets it when it is 0.
	Time    int64   `json:"time"`
	Actor   Actor   `json:"actor"`
	Surface Surface `json:"surface"`
	// Action is what was done, such as "alert.trigger"; it is required.
	Action string `json:"action"`
	// Frequency is the canonical frequency concerned, if one is.
	Frequency string `json:"frequency,omitempty"`
	// Target is whom or what the action was done to: a user id, a patch id, a theme.
	Target string `json:"target,omitempty"`
	// Detail is anything else that can be encoded as JSON. Numbers that are read back
	// are json.Number.
	Detail map[string]any `json:"detail,omitempty"`
}

// MaxEntry is the largest encoded entry, in bytes: the largest REST body, with room
// for its escaping.
const MaxEntry = 256 << 10

// record is what is stored: the entry, the hash of the record before it (zeros
// for the first) and its own hash.
type record struct {
	Version int             `json:"v"` // 1
	Prev    string          `json:"prev"`
	Hash    string          `json:"hash"`
	Entry   json.RawMessage `json:"entry"`
}

// digest is a SHA-256.
type digest [sha256.Size]byte

// chain is SHA-256 over the previous hash and the entry's canonical JSON: no
// white space, the fields in the order of Entry, the keys of Detail sorted.
func chain(prev digest, entry []byte) digest {
	return sha256.Sum256(append(prev[:], entry...))
}

// encode makes the record of an entry that comes after prev in the chain.
func encode(entry Entry, prev digest) (data []byte, hash digest, err error) {
	canonical, err := json.Marshal(entry)
	if err != nil {
		return nil, digest{}, fmt.Errorf("the audit entry's detail cannot be encoded: %w", err)
	}
	if len(canonical) > MaxEntry {
		return nil, digest{}, fmt.Errorf("the audit entry for %q has %d bytes, the limit is %d", entry.Action, len(canonical), MaxEntry)
	}
	hash = chain(prev, canonical)
	data, err = json.Marshal(record{
		Version: 1, Prev: hex.EncodeToString(prev[:]), Hash: hex.EncodeToString(hash[:]), Entry: canonical,
	})
	return data, hash, err
}

// decode reads a record and checks everything in it that needs no other
// record: that it is exactly what encode wrote, and its own hash.
func decode(data []byte, number uint64) (entry Entry, prev, hash digest, err error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return Entry{}, prev, hash, fmt.Errorf("is not valid JSON: %w", err)
	}
	if r.Version != 1 {
		return Entry{}, prev, hash, fmt.Errorf("has version %d; this program supports only version 1", r.Version)
	}
	if canonical, err := json.Marshal(r); err != nil || !bytes.Equal(canonical, data) {
		return Entry{}, prev, hash, errors.New("is not in canonical form")
	}
	if !unhex(&prev, r.Prev) || !unhex(&hash, r.Hash) {
		return Entry{}, prev, hash, errors.New("contains a malformed hash")
	}
	if chain(prev, r.Entry) != hash {
		return Entry{}, prev, hash, errors.New("does not match its own hash: it was changed")
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Entry))
	decoder.UseNumber()
	if err := decoder.Decode(&entry); err != nil {
		return Entry{}, prev, hash, fmt.Errorf("contains an entry that cannot be decoded: %w", err)
	}
	if entry.Seq != number {
		return Entry{}, prev, hash, fmt.Errorf("is numbered %d", entry.Seq)
	}
	return entry, prev, hash, nil
}

func unhex(into *digest, text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && copy(into[:], raw) == len(into) && len(raw) == len(into)
}
