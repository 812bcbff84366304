package red

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func TestAPacketRepeatsEarlierFrames(t *testing.T) {
	blocks := []Block{{111, 1920, []byte("one")}, {111, 960, []byte("two")}, {111, 0, []byte("three")}}
	payload := Append(nil, blocks)
	// RFC 2198 section 3: F, payload type, 14 bits of age, 10 bits of length; then F=0.
	want := append([]byte{0x80 | 111, 1920 >> 6, 1920 << 2 & 0xff, 3, 0x80 | 111, 960 >> 6, 960 << 2 & 0xff, 3, 111}, "onetwothree"...)
	if !bytes.Equal(payload, want) {
		t.Errorf("% x, want % x", payload, want)
	}
	got, err := Split(nil, payload)
	if err != nil || !reflect.DeepEqual(got, blocks) {
		t.Errorf("%v, %v", got, err)
	}
	got, err = Split(nil, Append(nil, blocks[2:]))
	if err != nil || !reflect.DeepEqual(got, blocks[2:]) {
		t.Errorf("a packet that repeats nothing: %v, %v", got, err)
	}
}

func TestWhatIsCutOffIsRefused(t *testing.T) {
	payload := Append(nil, []Block{{111, 960, []byte("long")}, {111, 0, nil}})
	for n := range len(payload) {
		if got, err := Split(nil, payload[:n]); !errors.Is(err, ErrMalformed) || len(got) != 0 {
			t.Errorf("the first %d bytes: %v, %v", n, got, err)
		}
	}
	if _, err := Split(nil, bytes.Repeat([]byte{0x80}, 400)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a hundred blocks: %v", err)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(Append(nil, []Block{{111, 960, []byte("two")}, {111, 0, []byte("three")}}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		blocks, err := Split(nil, payload)
		if err != nil {
			return
		}
		if again := Append(nil, blocks); !bytes.Equal(again, payload) {
			t.Fatalf("% x became % x", payload, again)
		}
	})
}
