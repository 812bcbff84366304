package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// KeyPrefix begins every API key, so that people, and scanners that look for leaked
	// secrets, recognise one.
	KeyPrefix = "sqk_"
	// MaxKeys is how many API keys there may be: one for each program of a large
	// community, many times over.
	MaxKeys = 256
	// keyIDBytes makes ids short enough to read out, and long enough not to repeat.
	keyIDBytes = 8
	// keyOwner begins the owner of what is done with a key. No session's Key has a
	// space.
	keyOwner = "key "
	// usedEvery is how far the stored time of a key's last use may lag behind. It
	// serves to find keys that nobody needs any more, which is a matter of weeks.
	usedEvery = time.Hour
	keyPrefix = "apikey." // in the storage, before the id
)

var (
	// ErrKeysFull: there are MaxKeys API keys.
	ErrKeysFull = errors.New("too many API keys")
	// ErrKeyName: another API key has this name.
	ErrKeyName = errors.New("another API key has this name")
	// ErrNoKey: there is no such API key.
	ErrNoKey = errors.New("no such API key")
)

// Key is an API key as an administrator sees it: without its secret.
type Key struct {
	ID      string // 16 hex digits; it opens nothing
	Name    string
	Scopes  []string // words whose meaning package session does not know
	Created time.Time
	// LastUsed is when the key last passed a check; zero: never. After a restart
	// it may be usedEvery too early.
	LastUsed time.Time
}

// Owner names the key as the owner of its ids and sockets on the radio, as Lineage does
// for a session.
func (k Key) Owner() string { return keyOwner + k.ID }

// Keys owns all API keys. Its methods may be called from any goroutine. Checks
// never wait for the disk.
type Keys struct {
	storage Storage
	now     func() time.Time

	changing sync.Mutex // one change at a time; held while the disk works

	mu    sync.Mutex // guards the maps; never held while the disk works
	keys  map[string]*liveKey
	ids   map[digest]string // secret → id
	ended map[string]bool   // revoked, but still in the storage, by their names there
}

type liveKey struct {
	Key
	secret digest
	stored time.Time // the LastUsed that the storage has
}

// storedKey is the durable form; times are milliseconds since the epoch.
type storedKey struct {
	Version  int      `json:"v"` // 1
	Secret   string   `json:"secret"`
	Name     string   `json:"name"`
	Scopes   []string `json:"scopes"`
	Created  int64    `json:"created"`
	LastUsed int64    `json:"lastUsed,omitempty"`
}

func (k *liveKey) encode() []byte {
	s := storedKey{Version: 1, Secret: k.secret.String(), Name: k.Name, Scopes: k.Scopes, Created: k.Created.UnixMilli()}
	if !k.LastUsed.IsZero() {
		s.LastUsed = k.LastUsed.UnixMilli()
	}
	return mustEncode(s)
}

// KeyForm says whether text looks like an API key. One that does but is unknown was
// revoked: nobody guesses 256 bits.
func KeyForm(text string) bool {
	secret, ok := strings.CutPrefix(text, KeyPrefix)
	return ok && len(secret) == secretLength && strings.Trim(secret, base64url) == ""
}

// openKeys reads the keys in storage.
func openKeys(storage Storage, now func() time.Time) (*Keys, error) {
	k := &Keys{storage: storage, now: now, keys: map[string]*liveKey{}, ids: map[digest]string{}, ended: map[string]bool{}}
	for name, value := range storage.All() {
		id, is := strings.CutPrefix(name, keyPrefix)
		if !is {
			continue
		}
		if err := k.restore(id, value); err != nil {
			return nil, fmt.Errorf("stored API key %q: %w", id, err)
		}
	}
	return k, nil
}

func (k *Keys) restore(id string, value []byte) error {
	var stored storedKey
	if err := json.Unmarshal(value, &stored); err != nil {
		return err
	}
	if stored.Version != 1 {
		return fmt.Errorf("unknown version %d", stored.Version)
	}
	secret, ok := parseDigest(stored.Secret)
	if !ok || id == "" {
		return errors.New("its hash or id is malformed")
	}
	key := &liveKey{Key: Key{ID: id, Name: stored.Name, Scopes: stored.Scopes, Created: time.UnixMilli(stored.Created)}, secret: secret}
	if stored.LastUsed != 0 {
		key.LastUsed = time.UnixMilli(stored.LastUsed)
	}
	key.stored = key.LastUsed
	k.keys[id], k.ids[secret] = key, id
	return nil
}

// Create makes a key. secret is returned only here; only its hash is kept. The key is
// durable when Create returns nil.
func (k *Keys) Create(ctx context.Context, name string, scopes []string) (secret string, key Key, err error) {
	if name == "" || len(name) > MaxField {
		return "", Key{}, fmt.Errorf("%w: a key's name has 1 to %d bytes", ErrInvalid, MaxField)
	}
	secret = KeyPrefix + newSecret()
	raw := make([]byte, keyIDBytes)
	_, _ = rand.Read(raw) // ends the process rather than fail
	made := &liveKey{secret: digestOf(secret), Key: Key{ID: hex.EncodeToString(raw), Name: name, Scopes: slices.Clone(scopes),
		Created: time.UnixMilli(k.now().UnixMilli())}} // whole milliseconds, as they are stored
	k.changing.Lock()
	defer k.changing.Unlock()
	if err := k.room(name); err != nil {
		return "", Key{}, err
	}
	if err := k.storage.Change(ctx, map[string][]byte{keyPrefix + made.ID: made.encode()}, nil); err != nil {
		return "", Key{}, fmt.Errorf("the API key cannot be stored: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[made.ID], k.ids[made.secret] = made, made.ID
	return secret, made.shown(), nil
}

// room refuses a key too many and a name that is taken: audit entries carry the name,
// so no two keys share one.
func (k *Keys) room(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, other := range k.keys {
		if strings.EqualFold(other.Name, name) {
			return ErrKeyName
		}
	}
	if len(k.keys) >= MaxKeys {
		return fmt.Errorf("%w: there are %d; revoke one first", ErrKeysFull, MaxKeys)
	}
	return nil
}

// shown returns a copy that shares nothing.
func (k *liveKey) shown() Key {
	key := k.Key
	key.Scopes = slices.Clone(key.Scopes)
	return key
}

// Check returns the key with this secret, and notes that it is in use.
func (k *Keys) Check(secret string) (Key, bool) {
	given := digestOf(secret)
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[k.ids[given]]
	if key == nil {
		return Key{}, false
	}
	key.LastUsed = k.now()
	return key.shown(), true
}

// Live says whether the key with this Owner may still be used.
func (k *Keys) Live(owner string) bool {
	id, is := strings.CutPrefix(owner, keyOwner)
	k.mu.Lock()
	defer k.mu.Unlock()
	return is && k.keys[id] != nil
}

// Revoke ends a key. It is refused from now on, even if an error says that this could
// not be stored; sweep stores it later, but a restart before that brings the key
// back. An unknown id is ErrNoKey.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	k.changing.Lock()
	defer k.changing.Unlock()
	k.mu.Lock()
	var revoked Key
	if key := k.keys[id]; key != nil {
		revoked = key.shown()
		delete(k.ids, key.secret)
		delete(k.keys, id)
		k.ended[keyPrefix+id] = true
	}
	unstored := k.ended[keyPrefix+id]
	k.mu.Unlock()
	if !unstored {
		return Key{}, ErrNoKey
	}
	if err := k.store(ctx, nil, []string{keyPrefix + id}); err != nil {
		return revoked, fmt.Errorf("the API key's end cannot be stored: %w", err)
	}
	return revoked, nil
}

// store is Change for a caller that holds changing; what it removes is taken off the
// list of what is still to remove.
func (k *Keys) store(ctx context.Context, put map[string][]byte, remove []string) error {
	if err := k.storage.Change(ctx, put, remove); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range remove {
		delete(k.ended, name)
	}
	return nil
}

// List returns all keys, oldest first.
func (k *Keys) List() []Key {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []Key
	for _, key := range k.keys {
		all = append(all, key.shown())
	}
	slices.SortFunc(all, func(a, b Key) int { return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID)) })
	return all
}

// sweep stores when keys were last used, if that is long after the stored time, and
// the end of keys that could not be stored before.
func (k *Keys) sweep(ctx context.Context) error {
	k.changing.Lock()
	defer k.changing.Unlock()
	put, used := map[string][]byte{}, map[string]time.Time{}
	k.mu.Lock()
	for id, key := range k.keys {
		if key.LastUsed.Sub(key.stored) >= usedEvery {
			put[keyPrefix+id], used[id] = key.encode(), key.LastUsed
		}
	}
	ended := slices.Collect(maps.Keys(k.ended))
	k.mu.Unlock()
	if len(put)+len(ended) == 0 {
		return nil
	}
	if err := k.store(ctx, put, ended); err != nil {
		return fmt.Errorf("API keys cannot be stored: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, at := range used {
		if key := k.keys[id]; key != nil {
			key.stored = at
		}
	}
	return nil
}
