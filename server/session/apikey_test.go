package session

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/server/internal/teststation"
)

// keyFor makes a key for reading and talking.
func keyFor(t *testing.T, m *Manager, name string) (string, Key) {
	t.Helper()
	secret, key, err := m.Keys().Create(t.Context(), name, []string{"read", "talk"})
	if err != nil {
		t.Fatal(err)
	}
	return secret, key
}

func TestAKeyIsKnownUntilItIsRevoked(t *testing.T) {
	clock, bucket := newWatch(), &teststation.Bucket{}
	m := manager(t, bucket, clock, nil)
	cad, key := keyFor(t, m, "CAD")
	bot, _ := keyFor(t, m, "Bot")
	if cad == bot || !KeyForm(cad) || len(cad) != 47 || !strings.HasPrefix(cad, "sqk_") {
		t.Fatalf("keys %q and %q", cad, bot)
	}
	for range 2 { // the second time after a restart
		got, ok := m.Keys().Check(cad)
		if !ok || got.Name != "CAD" || got.ID != key.ID || !slices.Equal(got.Scopes, []string{"read", "talk"}) || !got.Created.Equal(key.Created) {
			t.Errorf("%+v, %v, want %+v", got, ok, key)
		}
		if !m.Keys().Live(got.Owner()) || m.Keys().Live(got.ID) || m.Live(got.Owner()) {
			t.Error("an owner is live by its whole name, and is no session")
		}
		m = manager(t, bucket, clock, nil)
	}
	for _, wrong := range []string{"", key.ID, cad[:46], cad + " ", strings.ToUpper(cad), cad[4:], "sqk_" + strings.Repeat("A", 43), master} {
		if got, ok := m.Keys().Check(wrong); ok {
			t.Errorf("%q is %+v", wrong, got)
		}
	}
	if got, err := m.Keys().Revoke(t.Context(), key.ID); err != nil || got.Name != "CAD" {
		t.Errorf("%+v, %v", got, err)
	}
	for range 2 {
		if _, ok := m.Keys().Check(cad); ok || m.Keys().Live(key.Owner()) {
			t.Error("a revoked key is known")
		}
		if _, ok := m.Keys().Check(bot); !ok {
			t.Error("the other key is not known")
		}
		if _, err := m.Keys().Revoke(t.Context(), key.ID); !errors.Is(err, ErrNoKey) {
			t.Errorf("revoked twice: %v", err)
		}
		m = manager(t, bucket, clock, nil)
	}
	if all := m.Keys().List(); len(all) != 1 || all[0].Name != "Bot" {
		t.Errorf("listed %+v", all)
	}
}

func TestOnlyTheHashOfAKeyIsStored(t *testing.T) {
	bucket := &teststation.Bucket{}
	m := manager(t, bucket, newWatch(), nil)
	secret, key := keyFor(t, m, "CAD")
	if len(bucket.All()) != 1 {
		t.Fatalf("stored %q", bucket.All())
	}
	for name, value := range bucket.All() {
		if text := name + string(value); strings.Contains(text, secret) || strings.Contains(text, secret[4:]) ||
			!strings.Contains(text, digestOf(secret).String()) || !strings.Contains(text, key.ID) {
			t.Errorf("stored %s", text)
		}
	}
}

func TestAKeyIsNotAToken(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	secret, _ := keyFor(t, m, "CAD")
	credentials, _ := login(t, m, "NORTH")
	if m.CheckToken(secret) {
		t.Error("a key is the master token")
	}
	if _, err := m.CheckSessionToken(secret); err == nil {
		t.Error("a key is a session's token")
	}
	if _, err := m.Check(credentials.SessionID, secret); err == nil {
		t.Error("a key opens another's session")
	}
	if _, _, err := m.Reauth(t.Context(), secret, "EAST"); err == nil {
		t.Error("a key made a session")
	}
	if _, ok := m.CheckPlayer(secret); ok {
		t.Error("a key is a player's token")
	}
	for _, token := range []string{credentials.Token, credentials.SessionID, master} {
		if _, ok := m.Keys().Check(token); ok || KeyForm(token) {
			t.Errorf("%q is a key", token)
		}
	}
}

func TestNamesOfKeysAreTheirOwn(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	_, key := keyFor(t, m, "CAD")
	for name, want := range map[string]error{"CAD": ErrKeyName, "cad": ErrKeyName, "": ErrInvalid, strings.Repeat("x", MaxField+1): ErrInvalid} {
		if _, _, err := m.Keys().Create(t.Context(), name, nil); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	if _, err := m.Keys().Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	keyFor(t, m, "CAD") // there is room again
}

func TestThereAreNoMoreKeysThanTheLimit(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	var last Key
	for i := range MaxKeys {
		_, last = keyFor(t, m, fmt.Sprint("bot ", i))
	}
	if _, _, err := m.Keys().Create(t.Context(), "one more", nil); !errors.Is(err, ErrKeysFull) {
		t.Errorf("the limit is no limit: %v", err)
	}
	if _, err := m.Keys().Revoke(t.Context(), last.ID); err != nil {
		t.Fatal(err)
	}
	keyFor(t, m, "one more")
}

func TestWhenAKeyWasUsedIsKnownToTheHour(t *testing.T) {
	clock, bucket := newWatch(), &teststation.Bucket{}
	m := manager(t, bucket, clock, nil)
	secret, _ := keyFor(t, m, "CAD")
	used := func() time.Time { return m.Keys().List()[0].LastUsed }
	sweep := func() {
		if _, err := m.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	restart := func() { m = manager(t, bucket, clock, nil) }
	sweep()
	restart()
	if !used().IsZero() {
		t.Errorf("never used, but at %v", used())
	}
	clock.Pass(time.Minute)
	m.Keys().Check(secret)
	first := clock.Now()
	sweep()
	clock.Pass(59 * time.Minute)
	m.Keys().Check(secret)
	if !used().Equal(clock.Now()) {
		t.Errorf("used at %v", used())
	}
	sweep()
	restart()
	if !used().Equal(first) {
		t.Errorf("after a restart: used at %v, want %v", used(), first)
	}
	clock.Pass(time.Minute)
	m.Keys().Check(secret)
	sweep()
	restart()
	if !used().Equal(clock.Now()) {
		t.Errorf("an hour later: used at %v, want %v", used(), clock.Now())
	}
}

func TestKeysOnABrokenDisk(t *testing.T) {
	bucket, full := &teststation.Bucket{}, errors.New("no space left")
	m := manager(t, bucket, newWatch(), nil)
	secret, key := keyFor(t, m, "CAD")
	bucket.Break(full)
	if text, made, err := m.Keys().Create(t.Context(), "Bot", nil); !errors.Is(err, full) || text != "" || !reflect.DeepEqual(made, Key{}) {
		t.Errorf("%q, %+v, %v", text, made, err)
	}
	if len(m.Keys().List()) != 1 {
		t.Errorf("listed %+v", m.Keys().List())
	}
	// A leaked key must not wait for the disk.
	for range 2 {
		if _, err := m.Keys().Revoke(t.Context(), key.ID); !errors.Is(err, full) {
			t.Errorf("revoked: %v", err)
		}
		if _, ok := m.Keys().Check(secret); ok {
			t.Error("the revoked key is known")
		}
	}
	if _, err := m.Sweep(t.Context()); !errors.Is(err, full) {
		t.Errorf("swept: %v", err)
	}
	bucket.Break(nil)
	if _, err := m.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := manager(t, bucket, newWatch(), nil).Keys().Check(secret); ok {
		t.Error("the revoked key is back after a restart")
	}
	if _, err := m.Keys().Revoke(t.Context(), key.ID); !errors.Is(err, ErrNoKey) {
		t.Errorf("revoked again: %v", err)
	}
}

func TestGarbledKeysAreNotIgnored(t *testing.T) {
	good := `{"v":1,"secret":"` + digestOf("x").String() + `","name":"CAD","scopes":["read"],"created":1}`
	if m := manager(t, teststation.Holding("apikey.1", good), newWatch(), nil); len(m.Keys().List()) != 1 {
		t.Errorf("listed %+v", m.Keys().List())
	}
	for name, value := range map[string]string{
		"apikey.1": `{"v":1,"secret":"12","name":"CAD"}`, "apikey.2": `{"v":2}`, "apikey.3": `[`, "apikey.": good,
	} {
		_, err := New(teststation.Holding(name, value), Options{})
		if id := strings.TrimPrefix(name, "apikey."); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("stored API key %q", id)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysFromManyGoroutines(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				secret, key, err := m.Keys().Create(t.Context(), fmt.Sprint(i, " ", j), []string{"read"})
				if _, ok := m.Keys().Check(secret); err != nil || !ok {
					t.Errorf("%v, known: %v", err, ok)
				}
				m.Keys().List()
				_, err = m.Sweep(t.Context())
				_, ended := m.Keys().Revoke(t.Context(), key.ID)
				if err := errors.Join(err, ended); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if len(m.Keys().List()) != 0 {
		t.Errorf("left over: %+v", m.Keys().List())
	}
}
