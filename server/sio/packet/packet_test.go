package packet

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestPacketsOfRadios(t *testing.T) {
	for _, c := range []struct {
		text string
		want Packet
		args []string
	}{
		{"0", Packet{Kind: Connect, Namespace: "/"}, nil},
		{`0{"token":"t"}`, Packet{Kind: Connect, Namespace: "/"}, nil},
		{`0/dispatch,{"token":"t"}`, Packet{Kind: Connect, Namespace: "/dispatch"}, nil},
		{"0/dispatch", Packet{Kind: Connect, Namespace: "/dispatch"}, nil},
		{"1", Packet{Kind: Disconnect, Namespace: "/"}, nil},
		{"1/dispatch,", Packet{Kind: Disconnect, Namespace: "/dispatch"}, nil},
		{`2["setTalking",{"state":true,"frequency":154.755}]`, Packet{Kind: Event, Namespace: "/"}, []string{`"setTalking"`, `{"state":true,"frequency":154.755}`}},
		{`212["join"]`, Packet{Kind: Event, Namespace: "/", ID: 12, HasID: true}, []string{`"join"`}},
		{`2/dispatch,0["join", "a]b\"," , [1,[2,"]"]] ]`, Packet{Kind: Event, Namespace: "/dispatch", HasID: true}, []string{`"join"`, `"a]b\","`, `[1,[2,"]"]]`}},
		{`2["a\\",1]`, Packet{Kind: Event, Namespace: "/"}, []string{`"a\\"`, "1"}},
		{`2[7,12345678901234567890]`, Packet{Kind: Event, Namespace: "/"}, []string{"7", "12345678901234567890"}},
		{"2", Packet{Kind: Event, Namespace: "/"}, nil},
		{"212", Packet{Kind: Event, Namespace: "/", ID: 12, HasID: true}, nil},
		{"33[]", Packet{Kind: Ack, Namespace: "/", ID: 3, HasID: true}, nil},
		{`3/x,4[{"ok":1}]`, Packet{Kind: Ack, Namespace: "/x", ID: 4, HasID: true}, []string{`{"ok":1}`}},
		{`52-/x,9["voice",{"_placeholder":true,"num":0}]`, Packet{Kind: BinaryEvent, Attachments: 2, Namespace: "/x", ID: 9, HasID: true}, []string{`"voice"`, `{"_placeholder":true,"num":0}`}},
	} {
		p, err := Parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if p.Kind != c.want.Kind || p.Namespace != c.want.Namespace || p.ID != c.want.ID || p.HasID != c.want.HasID || p.Attachments != c.want.Attachments {
			t.Errorf("%s: got %+v", c.text, p)
		}
		if len(p.Args) != len(c.args) {
			t.Errorf("%s: arguments %q", c.text, p.Args)
			continue
		}
		for i := range c.args {
			if string(p.Args[i]) != c.args[i] {
				t.Errorf("%s: argument %d is %s", c.text, i, p.Args[i])
			}
		}
	}
}

func TestPacketsThatNoRadioSends(t *testing.T) {
	for _, text := range []string{
		"", "7", "x", "9[]", " 2[]", "0[]", `0"x"`, "1{}", `2{}`, `2[]`, `2[{}]`, `2[null]`, `2[true]`, `2["a"`, `2["a",]`,
		`2["connect"]`, `2["disconnect"]`, `2["newListener"]`, `2["\u0063onnect"]`,
		`212345678901234567890["a"]`, "3{}", `4[]`, "4", "5", "50-[]", "5-[]", `5-1-["a"]`, `511-["a"]`, `5999999999999999999999-["a"]`, `51["a"]`,
		"2/" + strings.Repeat("n", 300) + `,["a"]`, `2["a"]["b"]`, "2[\"a\x00\"]", "2[" + strings.Repeat("[", 20000),
	} {
		if p, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.60q was taken as %+v", text, p)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"voice", "webrtc:offer", `a"b`, "über", "\u2028", "", "line\nbreak"} {
		text := append(AppendName([]byte("2"), name), ']')
		p, err := Parse(text)
		if err != nil || p.Name() != name {
			t.Errorf("%q came back as %q, %v", name, p.Name(), err)
		}
	}
}

func TestArguments(t *testing.T) {
	b, attachments, err := AppendArgs(nil, []any{
		json.RawMessage(`{"b":1,"a":12345678901234567890}`), "<&>", nil, []byte{1, 2}, json.RawMessage(nil),
		Attachments{{9}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `,{"b":1,"a":12345678901234567890},"<&>",null,{"_placeholder":true,"num":1},null`
	if string(b) != want {
		t.Errorf("got %s", b)
	}
	if len(attachments) != 2 || attachments[0][0] != 9 || !bytes.Equal(attachments[1], []byte{1, 2}) {
		t.Errorf("attachments %v", attachments)
	}
	if _, _, err := AppendArgs(nil, []any{make(chan int)}); err == nil {
		t.Error("a channel went through as JSON")
	}
}

func TestPlaceholders(t *testing.T) {
	for payload, good := range map[string]bool{
		`["a",{"_placeholder":true,"num":0}]`:                 true,
		`["a",[{"x":{"_placeholder":true,"num":1}}]]`:         true,
		`["a",{"_placeholder":true,"num":2}]`:                 false,
		`["a",{"_placeholder":true,"num":-1}]`:                false,
		`["a",{"_placeholder":true,"num":"0"}]`:               false,
		`["a",{"_placeholder":true}]`:                         false,
		`["a",{"x":[{"_placeholder":true,"num":0.5}]}]`:       false,
		`["a",{"_placeholder":false,"num":7},{"num":"none"}]`: true,
	} {
		err := CheckPlaceholders([]byte(payload), 2)
		if (err == nil) != good || err != nil && !errors.Is(err, errPlaceholder) {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

// FuzzPacket: whatever comes, parsing does not panic, and what it accepts means the
// same to encoding/json.
func FuzzPacket(f *testing.F) {
	for _, seed := range []string{"0", `0/x,{"a":1}`, `2["a",{"b":[1,"]"]}]`, `212["a"]`, `451-["x"]`, `51-/n,3["a",{"_placeholder":true,"num":0}]`, `33[]`, `4{"message":"m"}`, "1", `2["\\\"",1]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		if p.Kind == Event || p.Kind == BinaryEvent {
			var want []json.RawMessage
			if len(p.Args) > 0 {
				_ = p.Name()
				if err := json.Unmarshal(p.Payload, &want); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
			if len(want) != len(p.Args) {
				t.Fatalf("%q: %d arguments, encoding/json sees %d", text, len(p.Args), len(want))
			}
			for i := range want {
				if !bytes.Equal(bytes.TrimSpace(want[i]), p.Args[i]) {
					t.Fatalf("%q: argument %d is %q, encoding/json has %q", text, i, p.Args[i], want[i])
				}
			}
		}
		_ = CheckPlaceholders(p.Payload, p.Attachments)
	})
}
