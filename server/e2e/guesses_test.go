package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// outdated has the form of the service's own tokens, but is not one.
var outdated = strings.Repeat("Zm9yZ290dGVu", 4)[:43]

// answered makes a REST call and returns its status and Retry-After. The credentials
// are a bearer token and a session id; "": none.
func (s *service) answered(method, path, body, token, id string) (status int, retryAfter string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if id != "" {
		r.Header.Set("X-Session-Id", id)
	}
	reply, err := client.Do(r)
	if err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
	reply.Body.Close()
	return reply.StatusCode, reply.Header.Get("Retry-After")
}

// everyTokenPasses expects that every token gets in, in every way.
func (s *service) everyTokenPasses(by session, player string) {
	s.t.Helper()
	for who, auth := range map[string]string{
		"a session":               fmt.Sprintf(`{"authToken":%q,"sessionId":%q,"serverId":-31}`, by.AuthToken, by.SessionID),
		"a session's token alone": fmt.Sprintf(`{"authToken":%q,"serverId":-32}`, by.AuthToken),
		"the master token":        fmt.Sprintf(`{"authToken":%q,"serverId":-33}`, masterToken),
		"a player":                fmt.Sprintf(`{"authToken":%q,"serverId":5}`, player),
	} {
		if got := s.rejected(auth); !strings.HasPrefix(got, "40") {
			s.t.Errorf("%s is refused: %s", who, got)
		}
	}
	for _, c := range []struct{ what, method, path, body, token, id string }{
		{"the session's REST call", "GET", "/api/status", "", by.AuthToken, by.SessionID},
		{"a REST call with the master token", "GET", "/api/status", "", masterToken, by.SessionID},
		{"reauth with the session's token", "POST", "/radio/dispatch/reauth", `{"callsign":"EARLY"}`, by.AuthToken, ""},
		{"reauth with the master token", "POST", "/radio/dispatch/reauth", `{"callsign":"BOT"}`, masterToken, ""},
		{"the game server's player", "POST", "/api/player/connect", `{"serverId":6,"name":"Unit 6"}`, masterToken, ""},
	} {
		if status, _ := s.answered(c.method, c.path, c.body, c.token, c.id); status != http.StatusOK {
			s.t.Errorf("%s: status %d", c.what, status)
		}
	}
}

func (s *service) announce(id int) (token string) {
	s.t.Helper()
	var reply struct{ PlayerToken string }
	s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": id, "name": fmt.Sprint("Unit ", id)},
		session{AuthToken: masterToken}, http.StatusOK, &reply)
	return reply.PlayerToken
}

// Anybody's page may open sockets here, and a bot may still have the token of an
// ended session: neither is a guess.
func TestWhoDoesNotGuessLocksNobodyOut(t *testing.T) {
	t.Parallel()
	s := start(t)
	by, player := s.login("EARLY"), s.announce(5)
	for range 12 {
		if got := s.rejected(`{}`); !strings.Contains(got, `"code":"bad_token"`) {
			t.Errorf("nobody: %s", got)
		}
		if got := s.rejected(fmt.Sprintf(`{"authToken":%q,"sessionId":%q,"serverId":-1}`, outdated, outdated)); !strings.Contains(got, `"code":"bad_token"`) {
			t.Errorf("an outdated token: %s", got)
		}
	}
	s.everyTokenPasses(by, player)
	if s.login("LATE") == (session{}) {
		t.Error("a login is refused")
	}
}

// Guesses end in a lock, which only stops the next guess.
func TestATokenPassesDuringEveryLock(t *testing.T) {
	t.Parallel()
	s := start(t)
	by, player := s.login("EARLY"), s.announce(5)
	for n := range 10 {
		if got := s.rejected(fmt.Sprintf(`{"authToken":"guess %d","serverId":-1}`, n)); !strings.Contains(got, `"code":"bad_token"`) {
			t.Errorf("guess %d: %s", n, got)
		}
	}
	var refusal struct {
		Data struct {
			Code       string
			RetryAfter int
		}
	}
	got := s.rejected(`{"authToken":"guess 11","serverId":-1}`)
	if err := json.Unmarshal([]byte(strings.TrimPrefix(got, "44")), &refusal); err != nil || refusal.Data.Code != "locked_out" ||
		refusal.Data.RetryAfter < 1 || refusal.Data.RetryAfter > 300 {
		t.Errorf("the eleventh guess: %s", got)
	}
	s.everyTokenPasses(by, player)

	login := func(nac string) (int, string) {
		return s.answered("POST", "/radio/dispatch/auth", fmt.Sprintf(`{"nacId":%q,"callsign":"X"}`, nac), "", "")
	}
	for range 10 {
		if status, _ := login("wrong"); status != http.StatusUnauthorized {
			t.Errorf("a wrong NAC id: status %d", status)
		}
	}
	if status, after := login(dispatchNac); status != http.StatusTooManyRequests || after == "" {
		t.Errorf("the right NAC id during the lock: status %d, Retry-After %q", status, after)
	}
	s.everyTokenPasses(by, player)
}

// However many wrong NAC ids arrive at once, only ten are checked.
func TestGuessesAtOnceAreJudgedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	for _, n := range []int{40, 120} {
		s := start(t)
		judged, refused := s.atOnce(n, func() (int, string) {
			return s.answered("POST", "/radio/dispatch/auth", `{"nacId":"wrong","callsign":"X"}`, "", "")
		})
		if judged != 10 || refused != n-10 {
			t.Errorf("of %d wrong NAC ids at once %d were judged and %d refused unseen, want 10 and %d", n, judged, refused, n-10)
		}
		judged, refused = s.atOnce(n, func() (int, string) {
			return s.answered("POST", "/admin/api/login", `{"password":"wrong"}`, "", "")
		})
		if judged != 10 || refused != n-10 {
			t.Errorf("of %d wrong passwords at once %d were judged and %d refused unseen, want 10 and %d", n, judged, refused, n-10)
		}
	}
}

// atOnce makes n calls at the same moment and counts those that were judged wrong,
// and those that were refused with a Retry-After.
func (s *service) atOnce(n int, call func() (int, string)) (judged, refused int) {
	s.t.Helper()
	var mu sync.Mutex
	var calls sync.WaitGroup
	begin := make(chan struct{})
	for range n {
		calls.Go(func() {
			<-begin
			status, after := call()
			mu.Lock()
			defer mu.Unlock()
			switch {
			case status == http.StatusUnauthorized:
				judged++
			case status == http.StatusTooManyRequests && after != "":
				refused++
			}
		})
	}
	close(begin)
	calls.Wait()
	return judged, refused
}
