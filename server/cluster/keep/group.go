package keep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

const (
	// numberHeader is the number of a message's last record in its log.
	numberHeader = "Squelch-Number"
	// countHeader is how many records a message has; a message without it is one record.
	countHeader = "Squelch-Count"
)

// groups splits records into those that go into one message each: up to groupBytes if they
// are packed, but always one.
func groups(records [][]byte, packed bool) (all [][][]byte) {
	begin, bytes := 0, 0
	for i, r := range records {
		if i > begin && (!packed || bytes+len(r) > groupBytes) {
			all = append(all, records[begin:i])
			begin, bytes = i, 0
		}
		bytes += len(r)
	}
	return append(all, records[begin:])
}

// pack makes a message of records, the last of which has the number last. Several are each
// preceded by their length (varint).
func pack(subject string, last uint64, records [][]byte) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Header.Set(numberHeader, strconv.FormatUint(last, 10))
	if len(records) == 1 {
		m.Data = records[0]
		return m
	}
	m.Header.Set(countHeader, strconv.Itoa(len(records)))
	for _, r := range records {
		m.Data = append(binary.AppendUvarint(m.Data, uint64(len(r))), r...)
	}
	return m
}

// span is the numbers of a message's first and last record.
func span(h nats.Header) (first, last uint64, err error) {
	last, err = strconv.ParseUint(h.Get(numberHeader), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("a record has no number: %w", err)
	}
	count := uint64(1)
	if text := h.Get(countHeader); text != "" {
		if count, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 0, 0, fmt.Errorf("the count of records is not a number: %w", err)
		}
	}
	if count == 0 || count > MaxBatch || count > last {
		return 0, 0, fmt.Errorf("%d records cannot end at number %d", count, last)
	}
	return last - count + 1, last, nil
}

// unpack is a message's records; the first has the number first.
func unpack(h nats.Header, data []byte) (first uint64, records [][]byte, err error) {
	first, last, err := span(h)
	if err != nil {
		return 0, nil, err
	}
	if h.Get(countHeader) == "" {
		return first, [][]byte{data}, nil
	}
	for range last - first + 1 {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return 0, nil, errGarbled
		}
		records = append(records, data[n:n+int(size):n+int(size)])
		data = data[n+int(size):]
	}
	if len(data) > 0 {
		return 0, nil, errGarbled
	}
	return first, records, nil
}

var errGarbled = errors.New("the records of a message are garbled")
