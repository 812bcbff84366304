package eio

import (
	"bytes"
	"errors"
	"testing"
)

func TestPayloadsOfClients(t *testing.T) {
	var got []packet
	err := eachPacket([]byte("4hello\x1e3\x1ebAQID\x1e2probe"), func(p packet) error {
		got = append(got, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []packet{
		{kind: '4', data: []byte("hello")}, {kind: '3'}, {kind: '4', binary: true, data: []byte{1, 2, 3}}, {kind: '2', data: []byte("probe")},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d packets", len(got))
	}
	for i := range want {
		if got[i].kind != want[i].kind || got[i].binary != want[i].binary || !bytes.Equal(got[i].data, want[i].data) {
			t.Errorf("packet %d: %+v", i, got[i])
		}
	}
	for _, bad := range []string{"", "4a\x1e", "\x1e4a", "7", "abc", "b!", "b===", "4\xff", "4a\x1e\x1e4b"} {
		if err := eachPacket([]byte(bad), func(packet) error { return nil }); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	stop := errors.New("stop")
	if err := eachPacket([]byte("4a\x1e4b"), func(packet) error { return stop }); err != stop {
		t.Errorf("the end of a session did not end its payload: %v", err)
	}
}

// FuzzPayload: no payload panics, and a payload that is understood is made of
// packets that are understood one by one.
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{"4hello", "4a\x1ebAQID\x1e3", "2probe", "", "\x1e", "b", "4\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		n := 0
		err := eachPacket(payload, func(packet) error { n++; return nil })
		if err == nil && n != bytes.Count(payload, []byte{separator})+1 {
			t.Fatalf("%q: %d packets", payload, n)
		}
	})
}

func TestFrames(t *testing.T) {
	for _, size := range []int{0, 124, 125, 126, 65534, 65535, 65536, 900_000} {
		f := NewFrame(bytes.Repeat([]byte{'x'}, size), []byte{1, 2, 3})
		header := frameHeader(size + 1)
		if got := len(f.ws); got != header+1+size+2+3 {
			t.Errorf("%d characters take %d bytes", size, got)
		}
		if f.ws[0] != opText || f.ws[header] != '4' || f.ws[header+1+size] != opBinary {
			t.Errorf("%d characters: frames begin wrongly", size)
		}
		if want := append(bytes.Repeat([]byte{'x'}, size), "\x1ebAQID"...); !bytes.Equal(f.poll[1:], want) {
			t.Errorf("%d characters: polling form is wrong", size)
		}
	}
}
