package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Keys in the storage: "session.<SHA-256 of the id, hex>" and "player.<server
// id>".
const (
	sessionPrefix = "session."
	playerPrefix  = "player."
)

func sessionKey(id digest) string { return sessionPrefix + id.String() }

func playerKey(serverID int) string { return playerPrefix + strconv.Itoa(serverID) }

func sessionKeys(sessions []*live) []string {
	keys := make([]string, 0, len(sessions))
	for _, s := range sessions {
		keys = append(keys, sessionKey(s.id))
	}
	return keys
}

// storedSession is the durable form; times are milliseconds since the epoch.
type storedSession struct {
	Version  int    `json:"v"` // 1
	Token    string `json:"token"`
	Lineage  string `json:"lineage,omitempty"` // "": the session is the first of its login
	Callsign string `json:"callsign,omitempty"`
	Nac      bool   `json:"nac,omitempty"` // logged in with the dispatch NAC id, which is kept elsewhere
	Via      Via    `json:"via"`
	Name     string `json:"name,omitempty"`
	Created  int64  `json:"created"`
	Expires  int64  `json:"expires"`
}

type storedPlayer struct {
	Version      int             `json:"v"` // 1
	Token        string          `json:"token"`
	ServerID     int             `json:"serverId"`
	Registration json.RawMessage `json:"registration,omitempty"`
}

func (s *live) encode() []byte {
	lineage := s.Lineage
	if lineage == s.Key {
		lineage = ""
	}
	return mustEncode(storedSession{
		Version: 1, Token: s.token.String(), Lineage: lineage, Callsign: s.Callsign, Nac: s.NacID != "", Via: s.Via, Name: s.Name,
		Created: s.Created.UnixMilli(), Expires: s.Expires.UnixMilli(),
	})
}

func (p player) encode(serverID int) []byte {
	return mustEncode(storedPlayer{Version: 1, Token: p.token.String(), ServerID: serverID, Registration: p.registration})
}

func mustEncode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and JSON that was checked always encode
	}
	return data
}

// restore puts one stored value into the maps. Keys of other kinds are left alone.
func (m *Manager) restore(key string, value []byte) error {
	if text, ok := strings.CutPrefix(key, sessionPrefix); ok {
		return m.restoreSession(text, value)
	}
	if text, ok := strings.CutPrefix(key, playerPrefix); ok {
		return m.restorePlayer(text, value)
	}
	return nil
}

func (m *Manager) restoreSession(key string, value []byte) error {
	var stored storedSession
	if err := json.Unmarshal(value, &stored); err != nil {
		return err
	}
	if stored.Version != 1 {
		return fmt.Errorf("unknown version %d", stored.Version)
	}
	id, idOK := parseDigest(key)
	token, tokenOK := parseDigest(stored.Token)
	if stored.Lineage == "" {
		stored.Lineage = key
	}
	_, lineageOK := parseDigest(stored.Lineage)
	if !idOK || !tokenOK || !lineageOK {
		return errors.New("a hash is malformed")
	}
	s := &live{id: id, token: token, Session: Session{
		Key: key, Lineage: stored.Lineage,
		Identity: Identity{Callsign: stored.Callsign, Via: stored.Via, Name: stored.Name},
		Created:  time.UnixMilli(stored.Created), Expires: time.UnixMilli(stored.Expires),
	}}
	if stored.Nac {
		s.NacID = m.nac
	}
	s.LastUsed = s.Created
	m.remember(s)
	return nil
}

func (m *Manager) restorePlayer(key string, value []byte) error {
	var stored storedPlayer
	if err := json.Unmarshal(value, &stored); err != nil {
		return err
	}
	if stored.Version != 1 {
		return fmt.Errorf("unknown version %d", stored.Version)
	}
	token, ok := parseDigest(stored.Token)
	if !ok || stored.ServerID <= 0 || key != strconv.Itoa(stored.ServerID) {
		return errors.New("its hash or server id is malformed")
	}
	if old, known := m.players[stored.ServerID]; known {
		delete(m.owners, old.token)
	}
	m.players[stored.ServerID] = player{token: token, registration: stored.Registration}
	m.owners[token] = stored.ServerID
	return nil
}
