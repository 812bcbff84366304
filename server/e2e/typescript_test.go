package e2e

import (
	"bytes"
	"encoding/base64"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	typed "squelch/clients/go"
	"squelch/core"
	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/server/ogg/demo"
	"squelch/server/testpeers"
)

// typescriptFolder is the package clients/typescript.
var typescriptFolder = filepath.Join("..", "..", "clients", "typescript")

// builtTypeScript builds the package and its examples once; strict types are part of that.
var builtTypeScript = sync.OnceValues(func() (string, error) {
	compiler := filepath.Join("node_modules", "typescript", "bin", "tsc")
	var said strings.Builder
	for _, project := range []string{"tsconfig.json", "tsconfig.examples.json", "tsconfig.test.json"} {
		build := exec.Command("node", compiler, "-p", project)
		build.Dir = typescriptFolder
		out, err := build.CombinedOutput()
		said.Write(out)
		if err != nil {
			return said.String(), err
		}
	}
	return said.String(), nil
})

// bot is an example of clients/typescript in a process of its own.
type bot struct {
	*testpeers.Process
	t    *testing.T
	name string
	seen int // lines
}

func (s *service) bot(t *testing.T, name, key string, flags ...string) *bot {
	t.Helper()
	if said, err := builtTypeScript(); err != nil {
		t.Fatalf("clients/typescript does not build (its packages come with `just deps`): %v\n%s", err, said)
	}
	cmd := exec.Command("node", append([]string{filepath.Join("dist-examples", name+".js"), "--url", s.url, "--key", key}, flags...)...)
	cmd.Dir = typescriptFolder
	return &bot{testpeers.Start(t, cmd), t, name, 0}
}

// prints waits for the next line that has the text.
func (b *bot) prints(text string) string {
	b.t.Helper()
	late := time.AfterFunc(patience, b.Kill)
	defer late.Stop()
	for {
		line, more := b.Line(b.seen)
		if !more {
			b.t.Fatalf("%s ended without printing %q; it printed %q\n%s", b.name, text, b.Lines(), b.Stderr())
		}
		b.seen++
		if strings.Contains(line, text) {
			return line
		}
	}
}

func (b *bot) says(line string) {
	b.t.Helper()
	if _, err := b.Stdin.Write([]byte(line + "\n")); err != nil {
		b.t.Fatal(err)
	}
}

// caller is a client of the Go package with a credential.
func (s *service) caller(key string) *typed.Client {
	s.t.Helper()
	c, err := typed.New(s.url, typed.Key(key))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func (s *service) linked(c *typed.Client, user core.UserID, handlers ...typed.Handler) *typed.Link {
	s.t.Helper()
	l, err := c.Connect(s.t.Context(), user, handlers...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(l.Close)
	return l
}

// unit is a player on a channel.
func (s *service) unit(user core.UserID, name, channel string, handlers ...typed.Handler) *typed.Link {
	s.t.Helper()
	made, err := s.caller(masterToken).PostPlayerConnect(s.t.Context(), wire.PlayerConnect{ServerID: typed.User(user), Name: wire.Text(name), NacID: "PD"})
	if err != nil {
		s.t.Fatal(err)
	}
	l := s.linked(s.caller(made.PlayerToken), user, handlers...)
	if err := l.SetSpeakerChannel(s.t.Context(), typed.MustFrequency(channel)); err != nil {
		s.t.Fatal(err)
	}
	return l
}

// talks keys a unit up and releases it.
func talks(t *testing.T, unit *typed.Link) {
	t.Helper()
	for _, on := range []bool{true, false} {
		if err := unit.SetTalking(t.Context(), wire.SetTalking{State: on}); err != nil {
			t.Fatal(err)
		}
	}
}

func within[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case got := <-c:
		return got
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

func TestTheTypeScriptListenerSaysWhoTalksAndComesBackAfterARestart(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.administrator().key("Logger", wire.ScopeRead, wire.ScopeDispatch).Key
	b := s.bot(t, "listen", key, "--channel", "154.755")
	b.prints("listening on 154.755")
	ann := s.unit(7, "Ann", "154.755")
	talks(t, ann)
	b.prints("Ann talks on 154.755")
	b.prints("Ann talked for ")
	if err := s.caller(key).PostDispatchAlertTrigger(t.Context(), wire.AlertTrigger{Frequency: typed.MustFrequency("154.755"), AlertType: "SIGNAL 100"}); err != nil {
		t.Fatal(err)
	}
	b.prints("alert SIGNAL 100 on 154.755 by Logger")
	ann.Close()
	s.Kill() // nobody says goodbye, and nothing of the connection is left to recover
	b.prints("connection lost")
	s = resume(t, s.conf, s.data, "--listen", strings.TrimPrefix(s.url, "http://"))
	b.prints("connection back")
	talks(t, s.unit(8, "Ben", "154.755"))
	b.prints("Ben talks on 154.755")
	b.prints("Ben talked for ")
}

func TestTheTypeScriptCADMovesUnitsAndRaisesAlerts(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.administrator().key("CAD", wire.ScopeRead, wire.ScopeDispatch).Key
	alerts := make(chan wire.DispatchNotification, 16)
	s.unit(7, "Ann", "154.755", typed.OnDispatchNotification(func(_ *typed.Link, n wire.DispatchNotification) {
		if n.Type == "alert" {
			alerts <- n
		}
	}))
	b := s.bot(t, "cad", key)
	b.prints("connected to County")
	b.says("dispatch 154.81 Ann Zed")
	b.prints("Ann moved to 154.81")
	b.prints("no unit Zed; on the radio: Ann")
	b.says("alert 154.81 signal 100")
	b.prints("alert SIGNAL 100 on 154.81")
	if n := within(t, alerts, "the alert at the unit"); *n.Frequency != "154.81" || n.AlertConfig.Name != "SIGNAL 100" || n.ByName != "CAD" {
		t.Errorf("the unit hears of %q on %s by %q", n.AlertConfig.Name, *n.Frequency, n.ByName)
	}
	var now wire.DispatchStatus
	s.ask("GET", "/radio/dispatch/status", nil, session{AuthToken: key}, 200, &now)
	if at := now.Users["7"].CurrentChannel; at == nil || *at != "154.81" {
		t.Errorf("the unit is on %v", at)
	}
	if len(now.ActiveAlerts) != 1 || now.ActiveAlerts["154.81"].Name != "SIGNAL 100" {
		t.Errorf("active alerts: %v", now.ActiveAlerts)
	}
	b.says("units")
	b.prints("Ann 154.81")
	b.says("dispatch 999.999 Ann")
	b.prints("refused: Channel not found")
	b.says("clear 154.81")
	b.prints("alert cleared on 154.81")
	var after wire.DispatchStatus
	s.ask("GET", "/radio/dispatch/status", nil, session{AuthToken: key}, 200, &after)
	if len(after.ActiveAlerts) != 0 {
		t.Errorf("active alerts after clear: %v", after.ActiveAlerts)
	}
}

// What the unit hears is the file, packet by packet.
func TestTheTypeScriptAnswerIsHeard(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.administrator()
	clip, err := filepath.Abs(filepath.Join("..", "ogg", "demo", "speech.ogg"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := ogg.NewReader(bytes.NewReader(demo.Speech))
	if err != nil {
		t.Fatal(err)
	}
	b := s.bot(t, "answer", admin.key("Answer", wire.ScopeRead, wire.ScopeTalk).Key, "--channel", "154.755", "--clip", clip, "--seconds", "0.5")
	b.prints("answering on 154.755")
	heard := make(chan wire.Voice, 200)
	over := make(chan core.UserID, 16)
	ann := s.unit(7, "Ann", "154.755",
		typed.OnVoice(func(_ *typed.Link, v wire.Voice) { heard <- v }),
		typed.OnTalkingState(func(_ *typed.Link, s wire.TalkingState) {
			if s.ServerID < 0 && !s.State {
				over <- s.ServerID
			}
		}))
	talks(t, ann)
	b.prints("answered unit 7 with 25 of 25 packets")
	id := within(t, over, "the end of the answer")
	for i := range 25 {
		want, err := file.Next()
		if err != nil {
			t.Fatal(err)
		}
		if v := within(t, heard, "the answer's voice"); v.ServerID != id || v.Data != base64.StdEncoding.EncodeToString(want) {
			t.Fatalf("packet %d of %d is not that of the file", i, v.ServerID)
		}
	}
	if len(heard) != 0 {
		t.Errorf("%d packets too many", len(heard))
	}
	deaf := s.bot(t, "answer", admin.key("Deaf", wire.ScopeRead).Key, "--channel", "154.81", "--clip", clip)
	deaf.prints("answering on 154.81")
	talks(t, s.unit(8, "Ben", "154.81"))
	deaf.prints(`not answered: This API key lacks the scope "talk"`)
	toned := s.bot(t, "answer", admin.key("Toned", wire.ScopeTalk, wire.ScopeDispatch).Key, "--channel", "460.25", "--tone", "CHIRP")
	toned.prints("answering on 460.25")
	tones := make(chan wire.ServerTone, 1)
	talks(t, s.unit(9, "Cy", "460.25", typed.OnServerTone(func(_ *typed.Link, t wire.ServerTone) { tones <- t })))
	toned.prints("answered unit 9 with CHIRP")
	if tone := within(t, tones, "the tone"); tone.Tone != "CHIRP" {
		t.Errorf("the tone is %q", tone.Tone)
	}
}

func TestTheTypeScriptClient(t *testing.T) {
	t.Parallel()
	if said, err := builtTypeScript(); err != nil {
		t.Fatalf("clients/typescript does not build: %v\n%s", err, said)
	}
	s := start(t)
	made := s.administrator().key("Test", wire.ScopeRead, wire.ScopeTalk)
	testpeers.NodeTests(t, []string{"SQUELCH_URL=" + s.url, "SQUELCH_KEY=" + made.Key, "SQUELCH_NAC=" + dispatchNac},
		"../../clients/typescript/test/client.test.mjs", "../../clients/typescript/test/nodes.test.mjs")
}
