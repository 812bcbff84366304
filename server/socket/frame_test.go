package socket

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFramesOfAClient(t *testing.T) {
	for text, want := range map[string]string{
		`["heartbeat"]`:   `heartbeat [] 0 false`,
		`["heartbeat",1]`: `heartbeat [1] 0 false`,
		` [ "setTalking" , {"state":true} , 7 ] `: `setTalking [{"state":true}] 7 true`,
		`["setSpeakerChannel",null,0]`:            `setSpeakerChannel [null] 0 true`,
		`["a","b",null]`:                          `a ["b"] 0 false`,
		`["a",[],9007199254740991]`:               `a [[]] 9007199254740991 true`,
		`["a",1,9007199254740992]`:                ``,
		`["a",1,1.5]`:                             ``,
		`["a",1,-1]`:                              ``,
		`["a",1,"1"]`:                             ``,
		`["a",1,true]`:                            ``,
		`["a",1,2,3]`:                             ``,
		`["",1]`:                                  ``,
		`[null,1]`:                                ``,
		`[1]`:                                     ``,
		`[]`:                                      ``,
		`null`:                                    ``,
		`"heartbeat"`:                             ``,
		`["a",1]x`:                                ``,
		``:                                        ``,
	} {
		s, err := readFrame([]byte(text))
		got := fmt.Sprintf("%s %s %d %v", s.name, s.args(), s.ack, s.asks)
		if err != nil {
			got = ""
		}
		if got != want {
			t.Errorf("%s: %q (%v), want %q", text, got, err, want)
		}
	}
}

func TestALongMessageComesInPieces(t *testing.T) {
	for _, text := range []string{`["a",1]`, `["configUpdate","` + strings.Repeat(`\"ü\\`, 5000) + `"]`, `["b","` + strings.Repeat("\u2028<>&\U0001F600", 3000) + `"]`} {
		for _, most := range []int{64, 100, 4096, 64 << 10} {
			joined, pieces := "", inPieces([]byte(text), most)
			if len(text) <= most && len(pieces) != 1 {
				t.Errorf("%d bytes in %d pieces", len(text), len(pieces))
			}
			for n, p := range pieces {
				var piece []string
				switch {
				case len(p) > most || !utf8.Valid(p):
					t.Fatalf("piece %d has %d bytes of at most %d: %.50q", n, len(p), most, p)
				case len(pieces) == 1:
					joined = string(p)
				case json.Unmarshal(p, &piece) != nil || len(piece) != 2 || (piece[0] == endFrame) != (n == len(pieces)-1):
					t.Fatalf("piece %d of %d is %.50q", n, len(pieces), p)
				default:
					joined += piece[1]
				}
			}
			if joined != text {
				t.Errorf("%d bytes became %d", len(text), len(joined))
			}
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte(`["setTalking",{"state":true},7]`), 4096)
	f.Add([]byte(`["#bye"]`), 64)
	f.Fuzz(func(t *testing.T, text []byte, most int) {
		s, err := readFrame(text)
		if err != nil {
			return
		}
		if s.name == "" || s.payload != nil && !json.Valid(s.payload) || s.ack > maxAckID {
			t.Fatalf("%q is read as %+v", text, s)
		}
		out, err := frame(ackFrame, s.ack, s.payload)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range inPieces(out, 64+(most&0xffff)) {
			if !json.Valid(p) {
				t.Fatalf("%q is no JSON", p)
			}
		}
	})
}
