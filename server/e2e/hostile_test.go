package e2e

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"squelch/core/wire"
)

// packets that no well-behaved client sends, each over a websocket of its own, before
// and after it has joined the radio.
var packets = []string{
	"", " ", "4", "42", "4212", "42[]", "42[1]", "42[null]", "42{}", `42"text"`, "42[\"", `42["heartbeat"`, `42["heartbeat",1]]`,
	"450-", "451-", `451-["voice",{"_placeholder":true,"num":0}]`, `45999999999999999999-["voice"]`, `451-["voice"]`, `45-1-["voice"]`,
	"430[]", "4399999[]", "43[]", "4312", "461-0[]", `431["nobody asked"]`, "44", `44{"message":"x"}`, "40", "40{", "40/nowhere,", "41", "41/nowhere,",
	"47", "4a", "5", "6", "7", "9", "0", "1x", "2probe", "3", "3probe", "3whatever", "\x00", "42\x00", "b4AAAA", "\x1e\x1e",
	`420["setTalking"]`, `4218446744073709551616["heartbeat",1]`, `42["disconnect"]`, `42["connect"]`, `42["error"]`, `42["newListener",1]`,
	`42["` + strings.Repeat("a", 100_000) + `"]`, `42["updateUserInfo",` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `]`,
	`42["updateUserInfo",` + strings.Repeat(`{"a":`, 20_000), `42["x"` + strings.Repeat(",1", 100_000) + `]`,
}

// wrongs are payloads of every wrong type.
var wrongs = []string{`null`, `true`, `0`, `-1`, `1e400`, `1e308`, `-0.0`, `""`, `"text"`, `"154.755\u0000"`, `[]`, `[[]]`, `{}`, `{"frequency":{}}`,
	`{"frequency":[],"enabled":"yes","state":2,"override":{},"serverId":"me","data":5,"sdp":7,"groupId":[],"name":{},"volumes":1}`,
	`{"state":true,"frequency":"1e5"}`, `{"state":null}`, `{"sdp":"v=0"}`, `{"data":"%%%","encoding":"mp3"}`, `{"data":"AAAA","encoding":"imbe"}`,
	`{"serverId":99999999999}`, `{"enabled":true,"frequency":"-1"}`, `99999999999999999999`, `"99999999999999999999"`, `{"__proto__":{"state":true}}`}

// calm is a dispatcher and a unit in the middle of a talk, who must not be disturbed.
type calm struct{ desk, near *raw }

func calmOn(s *service) calm {
	s.t.Helper()
	c := calm{s.dispatcher(-100, s.login("CALM")), s.dispatcher(-101, s.login("NEAR"))}
	for _, r := range []*raw{c.desk, c.near} {
		r.send(`421["setSpeakerChannel","154.755"]`)
		r.wait(`431[{"success":true`)
	}
	c.desk.send(`422["setTalking",true]`)
	c.near.wait(`42["talkingState",{"serverId":-100,"frequency":"154.755","state":true}`)
	return c
}

func (c calm) undisturbed(t *testing.T, n int) {
	t.Helper()
	c.desk.send(fmt.Sprintf(`42["voice",{"data":"Y2FsbQ%d"}]`, n))
	for {
		got := c.near.wait(`42["`)
		if strings.HasPrefix(got, `42["voice"`) {
			if want := fmt.Sprintf(`"data":"Y2FsbQ%d"`, n); !strings.Contains(got, want) {
				t.Fatalf("heard %s, want %s", got, want)
			}
			c.desk.well() // it has to read, or it would miss its PINGs
			return
		}
		if strings.Contains(got, `"talkingState",{"serverId":-100`) || strings.Contains(got, `"speakerLeft",{"serverId":-100`) {
			t.Fatalf("the calm talk was disturbed: %s", got)
		}
	}
}

func TestMalformedPacketsHurtNobodyElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	calm, by := calmOn(s), s.login("HOSTILE")
	for i, packet := range packets {
		stranger := s.websocket("")
		stranger.send(packet)
		for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
			member := s.dispatcher(-5, by)
			member.write(kind, packet)
			// What follows may get through or find the connection closed; both are fine.
			_ = member.conn.WriteMessage(websocket.BinaryMessage, []byte{1, 2, 3})
			_ = member.conn.WriteMessage(websocket.TextMessage, []byte(`42["setTalking",{"state":false}]`))
			_ = member.conn.WriteMessage(websocket.TextMessage, []byte("1"))
			member.drain()
		}
		stranger.conn.Close()
		calm.undisturbed(t, i)
	}
	if !s.Alive() {
		t.Fatal("the service is gone")
	}
}

func TestWrongTypesInEveryEventAreIgnored(t *testing.T) {
	t.Parallel()
	s := start(t)
	calm, by := calmOn(s), s.login("HOSTILE")
	events, sent := reflect.TypeFor[wire.ClientEvents](), 0
	hostile := s.dispatcher(-5, by)
	for i := range events.NumField() {
		name := events.Field(i).Tag.Get("event")
		for _, wrong := range wrongs {
			hostile.send(fmt.Sprintf(`42[%q,%s]`, name, wrong))
			hostile.send(fmt.Sprintf(`427[%q,%s,"second",{}]`, name, wrong))
			sent++
		}
		hostile.send(fmt.Sprintf(`42[%q]`, name))
		hostile.send(fmt.Sprintf(`451-[%q,{"_placeholder":true,"num":0}]`, name))
		hostile.write(websocket.BinaryMessage, "\x00\xff")
		hostile.well()
		calm.undisturbed(t, i)
	}
	if sent < 20*len(wrongs) {
		t.Errorf("only %d payloads were sent", sent)
	}
}

func TestHalfAndOversizedFrames(t *testing.T) {
	t.Parallel()
	s := start(t)
	calm, by := calmOn(s), s.login("HOSTILE")
	for i, bytes := range []string{
		"\x81\xfe", // a header without its length
		"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff",                 // 2^63-1 bytes are announced
		"\x81\xff\x00\x00\x00\x00\x00\x20\x00\x00\x01\x02\x03\x04", // 2 MiB are announced
		"\x81\x85\x01\x02\x03\x04ab",                               // half of the payload
		"\x81\x02hi",                                               // not masked
		"\xf1\x80\x00\x00\x00\x00",                                 // reserved bits
		"\x83\x80\x00\x00\x00\x00",                                 // an unknown opcode
		"\x80\x80\x00\x00\x00\x00",                                 // continues nothing
		"\x01\x81\x00\x00\x00\x004\x01\x81\x00\x00\x00\x002",       // a message inside a message
		"\x89\xfe\x00\x80\x00\x00\x00\x00",                         // a ping that is too long
		"\x81\x82\x00\x00\x00\x00\xc3\x28",                         // not UTF-8
	} {
		r := s.dispatcher(-5, by)
		if _, err := r.conn.NetConn().Write([]byte(bytes)); err != nil {
			t.Fatal(err)
		}
		r.conn.NetConn().Close()
		calm.undisturbed(t, i)
	}
	large := s.dispatcher(-6, by)
	_ = large.conn.WriteMessage(websocket.TextMessage, []byte(`42["x","`+strings.Repeat("a", 2<<20)+`"]`))
	large.drain()
	calm.undisturbed(t, 99)
}

func TestPollingBodiesThatAreNoPayload(t *testing.T) {
	t.Parallel()
	s := start(t)
	calm := calmOn(s)
	for i, body := range append([]string{"2\x1e2\x1e2", strings.Repeat("\x1e", 5000), "4:2[]", strings.Repeat("a", 2<<20), "bAAAA\x1eb%%%"}, packets...) {
		session := s.openPoll()
		if status, text := s.poll(http.MethodPost, session, body); status >= 500 {
			t.Errorf("%.40q: status %d %s", body, status, text)
		}
		if i%8 == 0 {
			calm.undisturbed(t, i)
		}
	}
	for _, query := range []string{"&sid=nobody", "&sid=", "&sid=%00", "&EIO=3", "&transport=pigeon", "&j=0"} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "BREW"} {
			if status, text := s.poll(method, query, "40"); status >= 500 {
				t.Errorf("%s %s: status %d %s", method, query, status, text)
			}
		}
	}
	calm.undisturbed(t, 99)
}

// A client that upgrades may send its first packets before the server has answered,
// and stray pings and pongs are normal.
func TestPongRightAfterTheUpgrade(t *testing.T) {
	t.Parallel()
	s := start(t)
	calm, by := calmOn(s), s.login("HASTY")
	for i, hasty := range []string{"3", "3probe", "2probe", "5", "2", "6"} {
		session := s.openPoll()
		r := s.websocket(session)
		r.send("2probe")
		r.wait("3probe")
		r.send("5")
		r.send(hasty)
		if hasty == "3" { // the one that real clients send
			r.send(fmt.Sprintf(`40{"authToken":%q,"sessionId":%q,"serverId":-9}`, by.AuthToken, by.SessionID))
			r.wait("40{")
			r.well()
		}
		r.conn.Close()
		calm.undisturbed(t, i)
	}
}
