package conformance

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// mutations is how many broken packets each server gets.
	mutations = 400
	// mutationSeed makes them the same packets in every run.
	mutationSeed = 20
	// workers is how many conversations go on at once.
	workers = 6
)

// TestHostilePackets sends both servers packets that no honest client sends: ours
// answers as Node does, and a bystander notices nothing.
func TestHostilePackets(t *testing.T) {
	p := startPair(t, calmHeart)
	for way, tell := range map[string]func(*testing.T, server, string) string{
		"websocket": overWebsocket, "polling": overPolling,
	} {
		t.Run(way, func(t *testing.T) {
			packets := append(slices.Clone(hostilePackets), mutated(mutations)...)
			if way == "polling" {
				packets = packets[:len(hostilePackets)+mutations/4] // six requests each
			}
			fromNode, fromOurs := make([]string, len(packets)), make([]string, len(packets))
			for s, outcomes := range map[server][]string{p.node: fromNode, p.ours: fromOurs} {
				quiet := bystander(t, s)
				inParallel(len(packets), func(i int) { outcomes[i] = tell(t, s, packets[i]) })
				quiet()
			}
			alive := 0
			for i, packet := range packets {
				if strings.HasSuffix(fromNode[i], "alive") {
					alive++
				}
				if want := expected(packet, fromNode[i]); fromOurs[i] != want {
					t.Errorf("%.200q\nnode: %.200s\nours: %.200s", packet, fromNode[i], fromOurs[i])
				}
			}
			if ended := len(packets) - alive; alive < 50 || ended < 100 {
				t.Errorf("the corpus is one-sided: %d packets were survived, %d ended the connection", alive, ended)
			}
		})
	}
}

// oddities are the packets whose answers may differ, and what ours then is.
var oddities = []struct {
	packet *regexp.Regexp
	ours   string
	why    string
}{
	{regexp.MustCompile(`^1.`), "ended", "CLOSE ends the session over websocket too, see the story of that name"},
	{regexp.MustCompile(`^42(/custom,)? +[0-9]`), "ended", "a blank in an ack id: JavaScript takes it for a zero"},
	{regexp.MustCompile(`^40/n{1000}`), "ended", "the names of namespaces are bounded"},
	{regexp.MustCompile(`^42\["message",-0\]$`), `42["message-back",-0] alive`, "arguments stay raw JSON"},
}

// expected returns what ours has to answer, given Node's answer.
func expected(packet, node string) string {
	for _, o := range oddities {
		if o.packet.MatchString(packet) {
			return o.ours
		}
	}
	return node
}

// hostilePackets are sent over websocket after "/" was joined.
var hostilePackets = []string{
	// Engine.IO
	"", "0", "1x", "2", "2probe", "3", "3probe", "3\x1e3", "5", "6", "7", "9", "a", "b", "b!!!!", "bAQID", "\x1e", "4\x1e4", "\x00\x00\x00",
	// Socket.IO types and namespaces
	"4", "40", "40{}", "40/custom,", "40/nowhere,", "40/,{}", "40/custom,{\"token\":1}", "40//,", "40/custom/,", "40,", "4,", "4/",
	"41", "41/", "41/,", "41/custom,", "41{}", "44", "44{}", "47", "4\"", "4{}", "4null",
	// events
	`42`, `42[]`, `42[""]`, `42[0]`, `42[-1]`, `42[1.5]`, `42["message"]`, `42["message",]`, `42["message"][]`, `42 ["message"]`,
	`42["__proto__",1]`, `42["constructor"]`, `42["toString"]`, `42["hasOwnProperty",{}]`, `42["message",{"__proto__":{"x":1}}]`,
	`42["message",{"toJSON":1}]`, `42["message","\ud800"]`, `42["message","\u0000"]`, `42["message",-0]`, `42["message",1E2]`,
	`42["message",01]`, `42["message",.5]`, `42["message",+1]`, `42["message",0x10]`, `42["message",Infinity]`, "42[\"message\",\"\t\"]", "42[\"message\",\n1]",
	`42["message",/*x*/1]`, `42/,["message"]`, `42/custom,["message"]`, `42/custom["message"]`, `42,["message"]`,
	// acknowledgement ids
	`420["message"]`, `4200["message-with-ack",1]`, `4207["message-with-ack",1]`, `42 7["message-with-ack"]`, `42-7["message-with-ack"]`,
	`429007199254740991["message-with-ack"]`, `42["message-with-ack",1]`, `43`, `430`, `430[]`, `43[]`, `439999999[1]`, `43-1[]`, `43["x"]`,
	// attachments
	`45`, `450`, `451`, `451-`, `45-`, `450-["message"]`, `451-["message"]`, `45["message"]`, `451--["message"]`, `451-1-["message"]`, `45+1-["message"]`,
	`45 1-["message"]`, `4501-["message"]`, `451e0-["message"]`, `450x1-["message"]`, `4511-["message"]`, `459999999999-["message"]`, `461-[]`, `46`, `461-0[]`,
	`451-/custom,["message"]`, `451-["connect"]`,
	// long and deep
	`42["message",` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `]`,
	`42["message",` + strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300) + `]`,
	`42["` + strings.Repeat("long", 20_000) + `"]`, `40/` + strings.Repeat("n", 20_000) + `,`, `41/` + strings.Repeat("n", 20_000) + `,`,
	`42` + strings.Repeat("9", 15) + `["message-with-ack"]`,
}

// mutated is a fixed list of n valid packets that were damaged at random.
func mutated(n int) []string {
	random := rand.New(rand.NewPCG(mutationSeed, 0))
	seeds := []string{
		`40/custom,{"token":"x"}`, `42["message",1,{"a":[true]}]`, `4212["message-with-ack","x"]`, `42/custom,["message"]`,
		`451-["message",{"_placeholder":true,"num":0}]`, `461-3[{"_placeholder":true,"num":0}]`, `431["x"]`, `41/custom,`, `3probe`, `6`,
	}
	alphabet := []string{"0", "1", "2", "3", "4", "5", "6", "9", "-", "/", ",", "[", "]", "{", "}", `"`, `\`, ":", " ", "a", "b", "é", "\x00", "\x1e", "null"}
	var packets []string
	for len(packets) < n {
		packet := []byte(seeds[random.IntN(len(seeds))])
		for range 1 + random.IntN(3) {
			at, letter := random.IntN(len(packet)+1), alphabet[random.IntN(len(alphabet))]
			switch random.IntN(4) {
			case 0: // one more
				packet = slices.Insert(packet, at, []byte(letter)...)
			case 1: // another
				packet = append(packet[:at:at], append([]byte(letter), packet[min(at+1, len(packet)):]...)...)
			case 2: // cut off
				packet = packet[:at:at]
			case 3: // twice
				packet = append(packet[:at:at], append(packet[at/2:at:at], packet[at:]...)...)
			}
		}
		if text := strings.ToValidUTF8(string(packet), "?"); !slices.Contains(packets, text) {
			packets = append(packets, text)
		}
	}
	return packets
}

// overWebsocket sends a packet in a conversation of its own and returns the answers,
// and whether the connection is alive afterwards.
func overWebsocket(t *testing.T, s server, packet string) string {
	t.Helper()
	w := newTalk(t, s.base, "/socket.io/").connected()
	defer w.Close()
	// The pong comes when the packet has been read; only then the question is sent, so
	// that the two do not share a tick of Node's.
	w.SetPongHandler(func(string) error {
		w.send(`42["message","still there?"]`)
		return nil
	})
	w.send(packet)
	_ = w.WriteControl(websocket.PingMessage, nil, time.Now().Add(silence))
	var answers []string
	for {
		got := w.next()
		switch {
		case strings.HasPrefix(got, "closed"):
			return "ended" // what came before depends on which was faster
		case got == `42["message-back","still there?"]`:
			return strings.Join(append(canonical(answers), "alive"), " ")
		}
		answers = append(answers, got)
	}
}

// overPolling does the same in a POST.
func overPolling(t *testing.T, s server, packet string) string {
	t.Helper()
	c := newTalk(t, s.base, "/socket.io/")
	defer c.http.CloseIdleConnections()
	sid := c.openPolling()
	c.post(sid, "40")
	c.pollAll(sid, 2)
	if c.post(sid, packet).status != http.StatusOK || c.post(sid, `42["message","still there?"]`).status != http.StatusOK {
		return "ended"
	}
	var answers []string
	for {
		r := c.pollPacket(sid)
		for _, got := range strings.Split(r.body, separator) {
			switch {
			case r.status != http.StatusOK || got == "1":
				return "ended"
			case got == `42["message-back","still there?"]`:
				return strings.Join(append(canonical(answers), "alive"), " ")
			case got != "6":
				answers = append(answers, got)
			}
		}
	}
}

// canonical writes the JSON of answers in one way, because Node re-encodes numbers
// and escapes. It also hides ids.
func canonical(answers []string) []string {
	var all []string
	for _, a := range answers {
		at := strings.IndexAny(a, "[{")
		var value any
		if at >= 0 && json.Unmarshal([]byte(a[at:]), &value) == nil {
			a = a[:at] + asText(value)
		}
		all = append(all, steady(a))
	}
	return all
}
