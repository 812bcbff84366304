package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// This file reads NATS's block files without NATS, because opening them with
// NATS already changes them. The layout is that of nats-server 2.15
// (filestore.go): a record is
//
//	length(4) sequence(8) time(8) subject length(2) subject
//	[header length(4) header, if the top bit of length is set] message hash(8)
//
// all little-endian, hash = HighwayHash-64 over sequence, time, subject, header
// and message, keyed with SHA-256 of "<stream>-<block number>". Sequence bit 62
// marks a tombstone (that record was removed), bit 63 an erased record.
const (
	recordHeader = 22
	recordHash   = 8
	headersFlag  = 1 << 31
	tombFlag     = 1 << 62
	erasedFlag   = 1 << 63
)

var errTorn = errors.New("record is cut off or its checksum is wrong")

// span is the unbroken run of records found in one or more blocks; last is
// zero when there is none.
type span struct {
	first, last uint64
}

// add takes the next record's sequence number.
func (s *span) add(sequence uint64) error {
	switch {
	case s.last == 0:
		s.first = sequence
	case sequence <= s.last:
		return nil // NATS skips what it has seen; so do we
	case sequence != s.last+1:
		return fmt.Errorf("records %d to %d are missing", s.last+1, sequence-1)
	}
	s.last = sequence
	return nil
}

// scanBlock reads one block and continues seen; visit, if any, is called for each
// record. It returns errTorn with the offset of the first record that is not
// whole.
func scanBlock(data []byte, stream string, number int, seen *span, visit func(sequence uint64, message []byte)) (offset int, err error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, number))
	for offset < len(data) {
		record := data[offset:]
		if len(record) < recordHeader+recordHash {
			return offset, errTorn
		}
		length := binary.LittleEndian.Uint32(record)
		subject := int(binary.LittleEndian.Uint16(record[20:]))
		skip := 0
		if length&headersFlag != 0 {
			length &^= headersFlag
			skip = 4
		}
		if int(length) < recordHeader+subject+skip+recordHash || int(length) > len(record) {
			return offset, errTorn
		}
		body := record[recordHeader : length-recordHash]
		sum := hashRecord(key[:], record[4:20], body[:subject], body[subject+skip:])
		if !bytes.Equal(sum, record[length-recordHash:length]) {
			return offset, errTorn
		}
		if skip > 0 && !headerFits(body[subject:]) {
			return offset, errTorn
		}
		offset += int(length)
		sequence := binary.LittleEndian.Uint64(record[4:])
		if sequence&(tombFlag|erasedFlag) != 0 {
			continue
		}
		if err := seen.add(sequence); err != nil {
			return offset, err
		}
		if visit != nil {
			header := 0
			if skip > 0 {
				header = skip + int(binary.LittleEndian.Uint32(body[subject:])) // headerFits has checked it
			}
			visit(sequence, body[subject+header:])
		}
	}
	return offset, nil
}

// headerFits checks the one field that the hash leaves out, the length of the
// header: a header ends with its first empty line.
func headerFits(sized []byte) bool {
	end := bytes.Index(sized[4:], []byte("\r\n\r\n"))
	return end >= 0 && uint64(binary.LittleEndian.Uint32(sized)) == uint64(end+4)
}

func hashRecord(key []byte, parts ...[]byte) []byte {
	hash, err := highwayhash.New64(key)
	if err != nil {
		panic(err) // only for a key that is not 32 bytes long
	}
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}

// blockNumbers lists the block files of a stream in order.
func blockNumbers(folder string) ([]int, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, damaged(folder, "cannot be read: %v", err)
	}
	var numbers []int
	for _, entry := range entries {
		name, isBlock := strings.CutSuffix(entry.Name(), ".blk")
		if !isBlock {
			continue
		}
		number, err := strconv.Atoi(name)
		if err != nil || number < 1 || number > math.MaxUint32 {
			return nil, damaged(filepath.Join(folder, entry.Name()), "is no block of this store; remove it")
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers, nil
}

// checkStream reads a stream's files and compares them with its mark. It
// returns the records found; they may reach further than the mark, by what was
// being written when the process was killed.
func checkStream(folder, stream string, want mark) (span, error) {
	if err := checkMeta(folder, stream); err != nil {
		return span{}, err
	}
	messages := filepath.Join(folder, "msgs")
	numbers, err := blockNumbers(messages)
	if err != nil {
		return span{}, err
	}
	var seen span
	for i, number := range numbers {
		path := filepath.Join(messages, strconv.Itoa(number)+".blk")
		data, err := os.ReadFile(path)
		if err != nil {
			return span{}, damaged(path, "cannot be read: %v", err)
		}
		offset, err := scanBlock(data, stream, number, &seen, nil)
		switch {
		case errors.Is(err, errTorn) && i == len(numbers)-1 && seen.last >= want.last:
			// Everything acknowledged is before it: the write that a kill
			// interrupted. NATS cuts it off.
		case errors.Is(err, errTorn):
			return span{}, damaged(path, "byte %d: %v", offset, err)
		case err != nil:
			return span{}, damaged(path, "%v", err)
		}
	}
	switch {
	case want.last < want.floor && seen.last == 0:
		return seen, nil // nothing was ever written
	case seen.last < want.last:
		return span{}, damaged(messages, "stream %s ends at record %d, but record %d was acknowledged", stream, seen.last, want.last)
	case seen.first > want.floor:
		return span{}, damaged(messages, "stream %s begins at record %d instead of %d", stream, seen.first, want.floor)
	}
	return seen, nil
}

// checkMeta verifies the stream's configuration, which carries a checksum of its
// own: NATS would skip the whole stream if it did not match. The index beside
// the records needs none: NATS makes it anew when it does not fit, as a kill in
// the middle of its writing leaves it, and the records are checked one by one.
func checkMeta(folder, stream string) error {
	path := filepath.Join(folder, "meta.inf")
	meta, err := os.ReadFile(path)
	if err != nil {
		return damaged(path, "cannot be read: %v", err)
	}
	sumPath := filepath.Join(folder, "meta.sum")
	sum, err := os.ReadFile(sumPath)
	if err != nil {
		return damaged(sumPath, "cannot be read: %v", err)
	}
	key := sha256.Sum256([]byte(stream))
	if hex.EncodeToString(hashRecord(key[:], meta)) != string(sum) {
		return damaged(path, "does not match its checksum in meta.sum")
	}
	return nil
}
