package line

import (
	"bytes"
	"slices"
	"testing"
)

// aRecord is one of DTLS 1.2.
func aRecord(kind byte, epoch byte, content ...byte) []byte {
	return append([]byte{kind, 254, 253, 0, epoch, 0, 0, 0, 0, 0, 7, 0, byte(len(content))}, content...)
}

func TestOnlyRecordsThatCanBeBelievedAreKept(t *testing.T) {
	hello, ready, finished, bye := aRecord(HandshakeRecord, 0, 1, 2, 3), aRecord(ChangeCipherRecord, 0, 1), aRecord(HandshakeRecord, 1, 4, 5), aRecord(AlertRecord, 1, 6, 7)
	data := aRecord(DataRecord, 1, 8)
	forged := [][]byte{
		aRecord(AlertRecord, 0, 2, 40), aRecord(AlertRecord, 0, 1, 0), aRecord(DataRecord, 0, 8), // of nobody
		aRecord(ChangeCipherRecord, 0, 2), aRecord(ChangeCipherRecord, 0, 1, 1), aRecord(ChangeCipherRecord, 1, 1), aRecord(ChangeCipherRecord, 1, 9),
		aRecord(24, 0, 1), aRecord(24, 1, 1), aRecord(25, 1, 1), aRecord(63, 0, 1), // of no known type
		aRecord(HandshakeRecord, 2, 1), aRecord(AlertRecord, 2, 1, 0), aRecord(DataRecord, 255, 1), // of no epoch that there is
		aRecord(HandshakeRecord, 0), aRecord(AlertRecord, 1), // empty
	}
	for _, c := range []struct{ says, want []byte }{
		{hello, hello}, {bye, bye}, {data, data}, {finished, finished},
		{slices.Concat(hello, ready, finished), slices.Concat(hello, ready, finished)}, // a repeated flight
		{slices.Concat(hello, bye[:len(bye)-1]), hello},
		{nil, nil}, {hello[:12], nil},
	} {
		if got := Records(bytes.Clone(c.says)); !bytes.Equal(got, c.want) {
			t.Errorf("of % x is kept % x", c.says, got)
		}
	}
	for _, f := range forged {
		if got := Records(slices.Concat(hello, f, bye, f)); !bytes.Equal(got, slices.Concat(hello, bye)) {
			t.Errorf("with % x is kept % x", f, got)
		}
		if got := Records(bytes.Clone(f)); len(got) > 0 {
			t.Errorf("% x is kept", f)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(slices.Concat(aRecord(HandshakeRecord, 0, 1, 2, 3), aRecord(ChangeCipherRecord, 0, 1), aRecord(AlertRecord, 1, 2, 40)))
	f.Fuzz(func(t *testing.T, b []byte) {
		kept := Records(bytes.Clone(b))
		if len(kept) > len(b) || !bytes.Equal(Records(bytes.Clone(kept)), kept) {
			t.Errorf("of % x is kept % x", b, kept)
		}
	})
}
