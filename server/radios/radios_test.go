package radios_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core/wire"
	"squelch/server/backup"
	"squelch/server/config"
	"squelch/server/internal/testradio"
	"squelch/server/radios"
	"squelch/server/sio/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever.
const patience = time.Minute

// files are the configuration of a host.
type files struct {
	t      testing.TB
	folder string
}

func (f files) write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// read is the main file.
func (f files) read(context.Context) (*config.Loaded, []string, error) {
	l, err := config.Load(filepath.Join(f.folder, "config.lua"))
	return l, nil, err
}

// token is the master token of a radio.
func token(name string) string { return "the master token of " + name }

// radioFile is a radio's configuration with its token.
func radioFile(name string) string {
	return fmt.Sprintf("Config.serverName = %q\nConfig.authToken = %q\nConfig.adminPassword = %q\n", name, token(name), "the password of "+name)
}

// host puts radios on the air: the default one and those that main names.
func host(t testing.TB, main string, names ...string) (files, *testradio.Service) {
	t.Helper()
	f := files{t, t.TempDir()}
	f.write("config.lua", radioFile("default")+main)
	for _, name := range names {
		f.write(name+".lua", radioFile(name))
	}
	l, _, err := f.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f, testradio.Start(t, testradio.Options{Config: l, Reread: f.read})
}

// user is a dispatcher.
type user struct {
	*client.Client
	heard chan string
}

// join opens a socket at a radio's address.
func join(t testing.TB, address, token string, id int) (*user, error) {
	t.Helper()
	u, up := &user{heard: make(chan string, 1000)}, make(chan error, 1)
	server, path := client.At(address)
	var err error
	u.Client, err = client.New(client.Options{URL: server, Path: path, NoReconnect: true,
		Auth:           func() any { return map[string]any{"authToken": token, "serverId": id} },
		OnConnect:      func(bool) { up <- nil },
		OnConnectError: func(err error) { up <- err },
		OnEvent: func(e client.Event) {
			if e.Name == "talkingState" {
				select {
				case u.heard <- string(e.Args[0]):
				default: // nobody listens
				}
			}
		}})
	if err == nil {
		t.Cleanup(u.Close)
		err = <-up
	}
	return u, err
}

func (u *user) does(t testing.TB, event string, arg any) {
	t.Helper()
	done := make(chan error, 1)
	if err := u.EmitAck(event, patience, func(_ []json.RawMessage, err error) { done <- err }, arg); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatalf("%s: %v", event, err)
	}
}

// answer is what the service says to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask makes a request; host is that of the Host header, "": the address's.
func ask(t testing.TB, method, url, host, token, body string) answer {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if q.Host = host; host == "" {
		q.Host = q.URL.Host
	}
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, string(text)}
}

// nameAt is the name of the radio that answers.
func nameAt(t testing.TB, url, host string) string {
	t.Helper()
	a := ask(t, "GET", url+"/api/health", host, "", "")
	var h wire.Health
	if err := json.Unmarshal([]byte(a.body), &h); err != nil || a.status != 200 {
		return fmt.Sprintf("%d %s", a.status, a.body)
	}
	return h.ServiceName
}

// TestARequestMeansItsRadio: by the host name, by the path, and the default one otherwise.
func TestARequestMeansItsRadio(t *testing.T) {
	_, s := host(t, `Config.radios = { county = { file = "county.lua", hosts = "county.example.org" }, city = "city.lua", broken = "broken.lua" }`, "county", "city")
	for _, c := range []struct{ path, host, want string }{
		{"", "", "default"},
		{"/r/default", "", "default"},
		{"/r/county", "", "county"},
		{"/r/city", "", "city"},
		{"", "county.example.org", "county"},
		{"", "COUNTY.example.org.:7777", "county"},
		{"/r/county", "county.example.org", "county"},
		{"", "other.example.org", "default"},
		{"/r/city", "county.example.org", `404 {"success":false,"error":"There is no such radio here"}`},
		{"/r/conty", "", `404 {"success":false,"error":"There is no such radio here; did you mean county?"}`},
		{"/r/broken", "", `503 {"success":false,"error":"The radio broken is not on the air"}`},
		{"/r/%63ounty", "", `404 {"success":false,"error":"There is no such radio here; did you mean county?"}`},
		{"/r/", "", `404 {"success":false,"error":"There is no such radio here"}`},
	} {
		if got := strings.TrimSpace(nameAt(t, s.URL+c.path, c.host)); got != c.want {
			t.Errorf("%q at %q is answered by %s, want %s", c.path, c.host, got, c.want)
		}
	}
	if a := ask(t, "GET", s.URL+"/r/county?x=1", "", "", ""); a.status != 308 || a.header.Get("Location") != "/r/county/?x=1" {
		t.Errorf("without a slash: %+v", a)
	}
	for path, want := range map[string]string{"/r/county/admin/": "/r/county/admin", "/r/county/docs/": "/r/county/docs"} {
		if a := ask(t, "GET", s.URL+path, "", "", ""); want == "/r/county/docs" && a.header.Get("Location") != want {
			t.Errorf("%s: %+v", path, a)
		}
	}
	if a := ask(t, "GET", s.URL+"/r/county/asyncapi.json", "", "", ""); !strings.Contains(a.body, `"pathname": "/r/county/socket.io/"`) {
		t.Error("the document says another path")
	}
	if a := ask(t, "GET", s.URL+"/r/county/openapi.json", "", "", ""); !strings.Contains(a.body, s.URL+`/r/county"`) {
		t.Error("the document says another address")
	}
}

// TestRadiosKnowNothingOfEachOther: tokens, ids, channels, logins of the administration, logs.
func TestRadiosKnowNothingOfEachOther(t *testing.T) {
	_, s := host(t, `Config.radios = { county = "county.lua", city = "city.lua" }`, "county", "city")
	county, city := s.URL+"/r/county", s.URL+"/r/city"
	for _, at := range []string{s.URL, city} {
		if _, err := join(t, at, token("county"), -2); err == nil {
			t.Errorf("%s takes the county's token", at)
		}
		if a := ask(t, "POST", at+"/radio/dispatch/reauth", "", token("county"), `{"callsign":"X"}`); a.status != 401 {
			t.Errorf("%s: %d", at, a.status)
		}
	}
	var ears []*user
	for name, at := range map[string]string{"county": county, "city": city, "default": s.URL} {
		ear, err := join(t, at, token(name), -2)
		if err != nil {
			t.Fatal(name, err)
		}
		ear.does(t, "addListeningChannel", "154.755")
		if name != "county" {
			ears = append(ears, ear)
			continue
		}
		talker, err := join(t, at, token(name), -3)
		if err != nil {
			t.Fatal(err)
		}
		talker.does(t, "setSpeakerChannel", "154.755")
		talker.does(t, "setTalking", true)
		select {
		case <-ear.heard:
		case <-time.After(patience):
			t.Fatal("the county does not hear its own")
		}
	}
	for _, ear := range ears {
		ear.does(t, "heartbeat", nil) // what was sent before has come
		if len(ear.heard) > 0 {
			t.Errorf("another radio hears %s", <-ear.heard)
		}
	}
	login := ask(t, "POST", county+"/admin/api/login", "", "", `{"password":"the password of county"}`)
	if login.status != 200 || !strings.Contains(login.header.Get("Set-Cookie"), "Path=/r/county/admin/api;") {
		t.Errorf("%+v", login)
	}
	if a := ask(t, "POST", city+"/admin/api/login", "", "", `{"password":"the password of county"}`); a.status != 401 {
		t.Errorf("the city takes the county's password: %d", a.status)
	}
}

// asAdmin asks the administration of a radio.
func asAdmin(t testing.TB, url, name, method, path string) string {
	t.Helper()
	login := ask(t, "POST", url+"/admin/api/login", "", "", fmt.Sprintf(`{"password":"the password of %s"}`, name))
	var in wire.AdminSession
	if err := json.Unmarshal([]byte(login.body), &in); err != nil || login.status != 200 {
		t.Fatalf("%d %s", login.status, login.body)
	}
	q, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Cookie", strings.SplitN(login.header.Get("Set-Cookie"), ";", 2)[0])
	q.Header.Set("X-CSRF-Token", in.CSRFToken)
	q.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != 200 {
		t.Fatalf("%d %s %v", got.StatusCode, text, err)
	}
	return string(text)
}

// TestRadiosComeAndGoAtAReload: those that stay notice nothing, and one that fails is
// reported.
func TestRadiosComeAndGoAtAReload(t *testing.T) {
	f, s := host(t, `Config.radios = { county = "county.lua", city = "city.lua" }`, "county", "city")
	stays, err := join(t, s.URL+"/r/county", token("county"), -2)
	if err != nil {
		t.Fatal(err)
	}
	goes, err := join(t, s.URL+"/r/city", token("city"), -2)
	if err != nil {
		t.Fatal(err)
	}
	f.write("port.lua", radioFile("port"))
	f.write("bad.lua", "Config.zones = 7\nConfig.alerts = 8")
	f.write("county.lua", strings.Replace(radioFile("county"), `"county"`, `"The county"`, 1))
	f.write("config.lua", radioFile("default")+`Config.radios = { county = "county.lua", port = "port.lua", bad = "bad.lua" }`)
	var out wire.AdminReloaded
	if err := json.Unmarshal([]byte(asAdmin(t, s.URL, "default", "POST", "/admin/api/reload")), &out); err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprint(out.Changed, out.Warnings)
	if !strings.Contains(all, "radios") || !strings.Contains(all, "radio bad: ") || !strings.Contains(all, "bad.lua:1: zones: ") || !strings.Contains(all, "and 1 more") {
		t.Errorf("the reload says %s", all)
	}
	for path, want := range map[string]string{"/r/county": "The county", "/r/port": "port", "/r/city": "404", "/r/bad": "503"} {
		if got := nameAt(t, s.URL+path, ""); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	stays.does(t, "addListeningChannel", "154.755")
	for until := time.Now().Add(patience); goes.Connected(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("a client of the radio that has gone is still connected")
		}
	}
	var list wire.AdminRadioList
	if err := json.Unmarshal([]byte(asAdmin(t, s.URL, "default", "GET", "/admin/api/radios")), &list); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range list.Radios {
		said = append(said, fmt.Sprintf("%s %s %s %d", r.Name, r.Path, r.State, r.Clients))
		if r.Name == "bad" && !strings.Contains(r.Reason, "zones") {
			t.Errorf("why: %q", r.Reason)
		}
	}
	if got := strings.Join(said, ", "); got != "default / onAir 0, bad /r/bad/ failed 0, county /r/county/ onAir 1, port /r/port/ onAir 0" {
		t.Errorf("the list is %s", got)
	}
	if text := asAdmin(t, s.URL+"/r/county", "county", "GET", "/admin/api/radios"); strings.TrimSpace(text) != `{"radios":[]}` {
		t.Errorf("the county sees %s", text)
	}
	f.write("bad.lua", radioFile("bad"))
	_ = asAdmin(t, s.URL, "default", "POST", "/admin/api/reload")
	if got := nameAt(t, s.URL+"/r/bad", ""); got != "bad" {
		t.Errorf("the mended radio is %s", got)
	}
}

// TestARadioComesBackWithWhatItHad after a restart of the host.
func TestARadioComesBackWithWhatItHad(t *testing.T) {
	f := files{t, t.TempDir()}
	f.write("config.lua", radioFile("default")+`Config.radios = { county = "county.lua" }`)
	f.write("county.lua", strings.Replace(radioFile("county"), "Config.authToken", "-- Config.authToken", 1))
	var logged strings.Builder
	begin := func(data string) *testradio.Service {
		l, _, err := f.read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s, err := testradio.Open(t, testradio.Options{Config: l, Reread: f.read, Data: data, Log: &logged})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := begin("")
	login := ask(t, "POST", s.URL+"/r/county/radio/dispatch/auth", "", "", `{"nacId":"`+nac(t, s)+`","callsign":"DESK"}`)
	var got wire.AuthReply
	if err := json.Unmarshal([]byte(login.body), &got); err != nil || got.SessionID == "" {
		t.Fatal(login)
	}
	copied := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Create(t.Context(), backup.Options{Data: s.Data, Out: copied}); err != nil { // while it runs
		t.Fatal(err)
	}
	secrets, err := radios.ReadSecrets(t.Context(), s.Data, "county")
	if err != nil || string(secrets["dispatchNacId"]) != nac(t, s) || len(secrets["authToken"]) == 0 {
		t.Errorf("the secrets are %q, %v", secrets, err)
	}
	if _, err := radios.ReadSecrets(t.Context(), s.Data, "conty"); err == nil || !strings.Contains(err.Error(), "there are county") {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	restored := filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(t.Context(), file, restored, ""); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{s.Data, restored} {
		hadSession(t, begin(data), got)
	}
}

// hadSession: the session is the county's, in a service that has begun again.
func hadSession(t *testing.T, s *testradio.Service, got wire.AuthReply) {
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for path, want := range map[string]int{"/r/county": 200, "": 401} {
		q, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+path+"/api/status", nil)
		q.Header.Set("Authorization", "Bearer "+got.AuthToken)
		q.Header.Set("X-Session-Id", got.SessionID)
		back, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		back.Body.Close()
		if back.StatusCode != want {
			t.Errorf("the session at %q: %d", path, back.StatusCode)
		}
	}
}

// nac is the login of the radio county, which was generated.
func nac(t testing.TB, s *testradio.Service) string {
	t.Helper()
	return s.Radios.Find("county").DispatchNac()
}
