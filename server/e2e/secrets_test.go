package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ledger has what must not be found, by name.
type ledger map[string]string

// forms are the ways in which a secret may appear in a file: as it is, in hex, and in
// base64 at any place of a longer text.
func forms(secret string) (all [][]byte) {
	for _, raw := range [][]byte{[]byte(secret), decoded(secret)} {
		if len(raw) == 0 {
			continue
		}
		all = append(all, raw, []byte(hex.EncodeToString(raw)), []byte(strings.ToUpper(hex.EncodeToString(raw))))
		for shift := range 3 {
			text := base64.StdEncoding.EncodeToString(append(make([]byte, shift), raw...))
			from := []int{0, 2, 3}[shift]
			middle := text[from : len(text)-4] // the part that its neighbours do not change
			all = append(all, []byte(middle), []byte(strings.NewReplacer("+", "-", "/", "_").Replace(middle)))
		}
	}
	return all
}

// decoded returns the bytes that one of our tokens encodes.
func decoded(token string) []byte {
	if raw, err := base64.RawURLEncoding.DecodeString(token); err == nil && len(raw) == 32 {
		return raw
	}
	if raw, err := hex.DecodeString(token); err == nil && len(raw) == 32 {
		return raw
	}
	return nil
}

// search reports where the secrets of a ledger are in a text.
func (l ledger) search(t *testing.T, where string, text []byte) {
	t.Helper()
	for name, secret := range l {
		for _, form := range forms(secret) {
			if bytes.Contains(text, form) {
				t.Errorf("%s has the %s", where, name)
				break
			}
		}
	}
}

// generated reads the secrets that the first start shows, and the rest of its output.
func generated(t *testing.T, s *service) (secrets ledger, rest []byte) {
	t.Helper()
	secrets = ledger{}
	for _, line := range s.Lines() {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "generated" {
			secrets[words[1]] = words[2]
		} else {
			rest = append(rest, line...)
		}
	}
	if len(secrets) != 3 {
		t.Fatalf("the first start shows %q", s.Lines())
	}
	return secrets, rest
}

// admin logs in to the administration and makes an API key.
func (s *service) apiKey(password, name string) (cookie, csrf, key string) {
	s.t.Helper()
	send := func(path, body string, into any) *http.Response {
		r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
			r.Header.Set("X-CSRF-Token", csrf)
		}
		reply, err := client.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		defer reply.Body.Close()
		if err := json.NewDecoder(reply.Body).Decode(into); err != nil || reply.StatusCode/100 != 2 {
			s.t.Fatalf("%s: %s %v", path, reply.Status, err)
		}
		return reply
	}
	var in struct {
		CSRFToken string `json:"csrfToken"`
	}
	reply := send("/admin/api/login", `{"password":"`+password+`"}`, &in)
	cookie, csrf = strings.Split(reply.Header.Get("Set-Cookie"), ";")[0], in.CSRFToken
	var made struct {
		Key string `json:"key"`
	}
	send("/admin/api/keys", `{"name":"`+name+`","scopes":["read"]}`, &made)
	return cookie, csrf, made.Key
}

// TestNoSecretIsLeftLying: the data folder, the log at its finest and the journal of a service on
// which everybody has logged in, before and after a kill, have nothing in them that
// allows a login, except the record of the generated secrets.
func TestNoSecretIsLeftLying(t *testing.T) {
	defer careless()()
	conf := configure(t, "Config.authToken = nil", "Config.dispatchNacId = nil", "Config.adminPassword = nil", "Config.logLevel = 5")
	data, journal := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "journal")
	s := resume(t, conf, data, "--journal", journal)
	secrets, said := generated(t, s)
	told := ledger{}
	by := everybody(s, secrets, told)
	for _, line := range []string{"level=debug msg=connects kind=player address=127.0.0.1", `level=debug msg="on the radio" user=7 name=Anna`,
		"level=debug msg=joins user=7 name=Anna frequency=154.755", "level=debug msg=login surface=rest by=Desk address=127.0.0.1",
		"level=debug msg=login.refused surface=rest by=Thief address=127.0.0.1", "level=debug msg=admin.login surface=admin", "level=debug msg=admin.key.create"} {
		for end := time.Now().Add(10 * time.Second); !strings.Contains(s.Stderr(), line); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the log has no line %q:\n%s", line, s.Stderr())
			}
		}
	}
	s.Kill()
	secrets.search(t, "the first start's greeting", said)
	secrets.search(t, "the first start's log", []byte(s.Stderr()))
	inspect(t, data, journal, secrets, told)

	// The folder was copied by somebody who made it readable.
	if err := filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error { return os.Chmod(path, 0o755) }); err != nil {
		t.Fatal(err)
	}
	s2 := resume(t, conf, data, "--journal", journal+"2")
	s2.ask(http.MethodGet, "/api/status", nil, by, http.StatusOK, nil) // the session lives on
	everybody(s2, secrets, told)
	out, err := exec.Command(program, "secrets", "--data", data, "--json").Output() // beside the service
	shown := ledger{}
	if err != nil || json.Unmarshal(out, &shown) != nil || len(shown) != 3 {
		t.Errorf("squelch secrets: %v %s", err, out)
	}
	for name, value := range secrets {
		if shown[name] != value {
			t.Errorf("squelch secrets shows %q, want %s %s", shown[name], name, value)
		}
	}
	s2.stop()
	for _, run := range []*service{s, s2} {
		told.search(t, "the log", []byte(run.Stderr()+strings.Join(run.Lines(), "\n")))
	}
	secrets.search(t, "the second start", []byte(s2.Stderr()+strings.Join(s2.Lines(), "\n")))
	inspect(t, data, journal+"2", secrets, told)
}

// TestTheJournalLearnsNoSecret: under systemd the first start says how to see the secrets,
// and the lines have no time of their own.
func TestTheJournalLearnsNoSecret(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "8:12345")
	conf := configure(t, "Config.authToken = nil", "Config.dispatchNacId = nil", "Config.adminPassword = nil", "Config.logLevel = 5")
	data := filepath.Join(t.TempDir(), "data")
	s := resume(t, conf, data)
	out, err := exec.Command(program, "secrets", "--data", data, "--json").Output()
	secrets := ledger{}
	if err != nil || json.Unmarshal(out, &secrets) != nil || len(secrets) != 3 {
		t.Fatalf("squelch secrets: %v %s", err, out)
	}
	told := strings.Join(s.Lines(), "\n")
	secrets.search(t, "what the journal gets", []byte(told+s.Stderr()))
	if n := strings.Count(told, "(shown by: squelch secrets --data "+data+")"); n != 3 {
		t.Errorf("the first start says %q", told)
	}
	if strings.Contains(s.Stderr(), "time=") {
		t.Errorf("the journal gets %q", s.Stderr())
	}
}

// everybody logs in, in every way, and works; the credentials go into the ledger.
func everybody(s *service, secrets, told ledger) session {
	s.t.Helper()
	master := session{AuthToken: secrets["authToken"]}
	round := fmt.Sprint(" ", len(told))
	note := func(who string, c session) session {
		told["token of "+who+round], told["session of "+who+round] = c.AuthToken, c.SessionID
		return c
	}
	var desk, again, bot session
	s.ask(http.MethodPost, "/radio/dispatch/auth", map[string]any{"nacId": secrets["dispatchNacId"], "callsign": "Desk"}, session{}, 200, &desk)
	s.ask(http.MethodPost, "/radio/dispatch/reauth", map[string]any{"callsign": "Desk"}, session{AuthToken: desk.AuthToken}, 200, &again)
	s.ask(http.MethodPost, "/radio/dispatch/reauth", map[string]any{"callsign": "Bot"}, master, 200, &bot)
	note("the desk", desk)
	note("the desk, again", again)
	note("the bot", bot)
	guess := session{AuthToken: strings.Repeat("q", 43)}
	told["guess at a token"] = guess.AuthToken
	s.ask(http.MethodPost, "/radio/dispatch/reauth", map[string]any{"callsign": "Thief"}, guess, 401, nil)
	told["guess at the NAC id"] = "90210-90210-guess"
	s.ask(http.MethodPost, "/radio/dispatch/auth", map[string]any{"nacId": told["guess at the NAC id"], "callsign": "Thief"}, session{}, 401, nil)
	var player struct{ PlayerToken string }
	for _, name := range []string{"Ann", "Anna"} {
		s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": 7, "name": name, "nacId": "PD"}, master, 200, &player)
		told["token of "+name+round] = player.PlayerToken
	}
	cookie, csrf, key := s.apiKey(secrets["adminPassword"], "CAD"+round)
	told["cookie of the administrator"+round], told["CSRF token"+round], told["API key"+round] = strings.SplitN(cookie, "=", 2)[1], csrf, key
	console := s.dispatcher(-1, desk)
	unit := s.open(map[string]any{"authToken": player.PlayerToken, "serverId": 7})
	unit.send(`421["setSpeakerChannel","154.755"]`)
	unit.wait(`431[{"success":true`)
	unit.send(`422["panic",{"enabled":true}]`)
	unit.wait(`432[{"success":true`)
	console.send(`421["setDispatchSession",` + `"` + again.SessionID + `"]`)
	console.wait(`431[`)
	reader := s.open(map[string]any{"authToken": key})
	reader.well()
	s.ask(http.MethodPost, "/dispatch/user/set-player-callsign", map[string]any{"userId": 7, "callsign": "4-A-12"}, desk, 200, nil)
	for name, secret := range told {
		if len(secret) < 16 {
			s.t.Fatalf("the %s is %q", name, secret)
		}
	}
	return desk
}

// inspect searches every file, and checks who else could read it.
func inspect(t *testing.T, data, journal string, secrets, told ledger) {
	t.Helper()
	record := filepath.Join(data, "store", "jetstream", "$G", "streams", "secrets", "msgs") + string(filepath.Separator)
	look := func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v", path, info.Mode())
		}
		if e.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		told.search(t, path, text)
		if !strings.HasPrefix(path, record) {
			secrets.search(t, path, text)
		}
		return err
	}
	if err := filepath.WalkDir(data, look); err != nil {
		t.Error(err)
	}
	if err := filepath.WalkDir(journal, look); err != nil {
		t.Error(err)
	}
	kept, err := filepath.Glob(filepath.Join(record, "*.blk"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("%v %v", kept, err)
	}
	// The search finds what is there, in its form there.
	text, err := os.ReadFile(kept[0])
	found := 0
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			if bytes.Contains(text, form) {
				found++
				break
			}
		}
	}
	if err != nil || found != len(secrets) {
		t.Errorf("the search finds %d of %d secrets in their own record: %v", found, len(secrets), err)
	}
}
