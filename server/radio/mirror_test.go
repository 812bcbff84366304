package radio_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"squelch/core/wire"
	"squelch/server/internal/testradio"
)

// asGame makes a request of the game server.
func asGame(t *testing.T, s *testradio.Service, method, path, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer game-token")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Body.Close() })
	return got
}

type changes struct {
	Epoch   string
	Next    uint64
	Reset   bool
	Changes []map[string]any
	State   *wire.GameState
}

func read(t *testing.T, from io.Reader) (c changes) {
	t.Helper()
	text, err := io.ReadAll(from)
	if err != nil || json.Unmarshal(text, &c) != nil {
		t.Fatalf("%s %v", text, err)
	}
	return c
}

// TestAGameServerOutlivesTheService: when the service ends, a call for changes that waits
// is answered. After the restart another epoch begins, with the players who were
// announced before, let in as the game had said.
func TestAGameServerOutlivesTheService(t *testing.T) {
	s, err := testradio.Open(t, named("game-token"))
	if err != nil {
		t.Fatal(err)
	}
	reply := asGame(t, s, "POST", "/api/game/players", `{"replace":true,"players":[{"serverId":12,"name":"Ana","access":false,"callbackNac":"SWAT"},{"serverId":13,"name":"Bo"}]}`)
	var announced wire.GamePlayersReply
	if json.NewDecoder(reply.Body).Decode(&announced) != nil || len(announced.Tokens) != 2 {
		t.Fatalf("%d %+v", reply.StatusCode, announced)
	}
	first := read(t, asGame(t, s, "GET", "/api/game/changes", "").Body)
	if len(first.State.Users) != 2 {
		t.Fatalf("%+v", first.State)
	}
	path := fmt.Sprintf("/api/game/changes?since=%d&epoch=%s&wait=25", first.Next, first.Epoch)
	waiting := bufio.NewReader(asGame(t, s, "GET", path, "").Body)
	if b, err := waiting.ReadByte(); b != ' ' || err != nil {
		t.Fatalf("%q %v", b, err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if c := read(t, waiting); c.Reset || len(c.Changes) != 0 || c.Epoch != first.Epoch || c.Next != first.Next {
		t.Errorf("at the end: %+v", c)
	}
	next := named("game-token")
	next.Data = s.Data
	again := testradio.Start(t, next)
	c := read(t, asGame(t, again, "GET", path, "").Body)
	if !c.Reset || c.Epoch == first.Epoch || len(c.State.Users) != 2 {
		t.Fatalf("after the restart: %+v", c)
	}
	ana := c.State.Users[0]
	if ana.Access || *ana.NacID != "SWAT" || ana.Connected || len(c.State.Classes[ana.Class].Connect) != 0 {
		t.Errorf("%+v, class %+v", ana, c.State.Classes[ana.Class])
	}
}
