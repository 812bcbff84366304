package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// What a stream holds is one record per message:
//
//	"sqr1"(4)  number(8)  time(8)  checksum(16)  payload
//
// Numbers are big-endian. time is when the record was written, in nanoseconds
// since 1970. checksum is the start of the SHA-256 over the id of the data
// folder, the name of the stream, and everything in the record but itself: a
// record of another folder or another stream does not pass for one of ours.
const (
	recordMagic  = "sqr1"
	recordSum    = 16
	recordHeader = len(recordMagic) + 8 + 8 + recordSum
)

// message is one message of a stream as NATS has kept it.
type message struct {
	number uint64 // NATS's
	at     time.Time
	data   []byte
}

// origin is where a record belongs.
type origin struct {
	folder string // the id of the data folder
	stream string
}

// pack makes the message that keeps payload as record number.
func (o origin) pack(number uint64, at time.Time, payload []byte) []byte {
	data := make([]byte, recordHeader, recordHeader+len(payload))
	copy(data, recordStart(number))
	binary.BigEndian.PutUint64(data[12:], uint64(at.UnixNano()))
	data = append(data, payload...)
	copy(data[20:recordHeader], o.sum(data))
	return data
}

// unpack returns the record in a message and when it was written. The message
// must be whole, and be the one with the given number.
func (o origin) unpack(number uint64, data []byte) (payload []byte, at time.Time, err error) {
	switch {
	case len(data) < recordHeader || string(data[:len(recordMagic)]) != recordMagic:
		return nil, time.Time{}, errors.New("has no header of this format")
	case !bytes.Equal(data[20:recordHeader], o.sum(data)):
		return nil, time.Time{}, errors.New("does not match its checksum")
	}
	if own := binary.BigEndian.Uint64(data[4:]); own != number {
		return nil, time.Time{}, fmt.Errorf("says that it is record %d", own)
	}
	return data[recordHeader:], time.Unix(0, int64(binary.BigEndian.Uint64(data[12:]))), nil
}

// sum is the checksum of a message of at least recordHeader bytes.
func (o origin) sum(data []byte) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n", o.folder, o.stream)
	hash.Write(data[:20])
	hash.Write(data[recordHeader:])
	return hash.Sum(nil)[:recordSum]
}

// recordStart is how record number begins, wherever it is kept.
func recordStart(number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(recordMagic), number)
}
