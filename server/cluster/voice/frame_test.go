package voice

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"reflect"
	"testing"

	"squelch/core"
	"squelch/sfu"
)

const keyed core.Frequency = 155_010_000

// TestAFrameOnTheWire: each kind of frame comes out as it went in, and the bytes are those that
// appendFrame documents: other builds read them.
func TestAFrameOnTheWire(t *testing.T) {
	p := []byte{31 << 3, 1, 2, 3}
	for _, c := range []struct {
		name string
		in   sfu.Crossing
		wire string
		text string // what the text comes out as, if it crosses as its bytes
	}{
		{"a packet of WebRTC", sfu.Crossing{Talker: -3, Talk: 300, Payload: p, Timed: true, Timestamp: 0x01020304, Counted: true, Sequence: 0x0506, Epoch: 7, Comes: true, Turn: true},
			"010f" + "1122334455667788" + "05" + "ac02" + "01020304" + "0506" + "00000007" + "f8010203", ""},
		{"its turn, after a loss", sfu.Crossing{Talker: 12, Talk: 1, Payload: p, Timed: true, Timestamp: 1, Counted: true, Sequence: 2, Epoch: 1, Turn: true, Lost: 3},
			"018e" + "1122334455667788" + "18" + "01" + "00000001" + "0002" + "00000001" + "0003" + "f8010203", ""},
		{"held for its floor", sfu.Crossing{Talker: 12, Talk: 1, Payload: p, Timed: true, Counted: true, Comes: true, PreRolled: true},
			"011d" + "1122334455667788" + "18" + "01" + "00000000" + "0000" + "00000000" + "f8010203", ""},
		{"of a legacy client", sfu.Crossing{Talker: 12, Talk: 1, Text: "+AECAw==", Comes: true, Turn: true},
			"0103" + "1122334455667788" + "18" + "01" + "f8010203", "+AECAw=="},
		{"IMBE", sfu.Crossing{Talker: 12, Talk: 1, Encoding: sfu.IMBE, Text: "AAECAwQFBgcICQo=", Comes: true, Turn: true},
			"0123" + "1122334455667788" + "18" + "01" + "000102030405060708090a", "AAECAwQFBgcICQo="},
		{"without padding", sfu.Crossing{Talker: 12, Talk: 1, Text: "+AECAw", Comes: true, Turn: true},
			"0143" + "1122334455667788" + "18" + "01" + hex.EncodeToString([]byte("+AECAw")), ""},
		{"with a line end", sfu.Crossing{Talker: 12, Talk: 1, Text: "+AEC\n", Comes: true, Turn: true},
			"0143" + "1122334455667788" + "18" + "01" + hex.EncodeToString([]byte("+AEC\n")), ""},
		{"with bits to spare", sfu.Crossing{Talker: 12, Talk: 1, Text: "+AECAx==", Comes: true, Turn: true},
			"0143" + "1122334455667788" + "18" + "01" + hex.EncodeToString([]byte("+AECAx==")), ""},
	} {
		b := appendFrame(nil, 0x1122334455667788, &c.in)
		if got := hex.EncodeToString(b); got != c.wire {
			t.Errorf("%s: %s, want %s", c.name, got, c.wire)
		}
		got, err := readFrame(b, keyed)
		want := c.in
		want.Node, want.Keyed = 0x1122334455667788, keyed
		if c.text != "" {
			want.Text, want.Payload = "", got.Payload
			if again := base64.StdEncoding.EncodeToString(got.Payload); again != c.text {
				t.Errorf("%s: the text came out as %q", c.name, again)
			}
		}
		if len(got.Payload) == 0 {
			got.Payload = nil
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v), want %+v", c.name, got, err, want)
		}
		for n := range len(b) - 1 {
			if short, err := readFrame(b[:n], keyed); err == nil && short.Talk != c.in.Talk {
				t.Errorf("%s: %d bytes of it are %+v", c.name, n, short)
			}
		}
	}
}

// FuzzReadFrame: whatever comes is refused, or is a frame that crosses as it is.
func FuzzReadFrame(f *testing.F) {
	for _, c := range []sfu.Crossing{
		{Talker: -3, Talk: 300, Payload: []byte{1}, Timed: true, Timestamp: 5, Counted: true, Sequence: 6, Epoch: 7, Comes: true, Turn: true, Lost: 3},
		{Talker: 3, Talk: 1, Text: "AAEC", Comes: true, Turn: true},
		{Talker: 3, Talk: 1, Text: "no base64", Comes: true, Turn: true, Encoding: sfu.IMBE},
	} {
		f.Add(appendFrame(nil, 9, &c))
	}
	f.Add([]byte{version, 0xff})
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, message []byte) {
		c, err := readFrame(message, keyed)
		if err != nil {
			return
		}
		if c.Talker == 0 || c.Talk <= 0 || len(c.Payload)+len(c.Text) == 0 || !c.Comes && !c.Turn || c.Keyed != keyed {
			t.Fatalf("%x is %+v", message, c)
		}
		again, err := readFrame(appendFrame(nil, c.Node, &c), keyed)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if c.Text != "" && again.Text == "" { // it crossed as its bytes
			again.Text, again.Payload = base64.StdEncoding.EncodeToString(again.Payload), nil
		}
		if !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v became %+v", c, again)
		}
	})
}
