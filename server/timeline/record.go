package timeline

import (
	"encoding/json"
	"fmt"

	"squelch/core"
)

// record is an entry as it is stored. Its number is the log's.
type record struct {
	core.Moment
	Cut bool `json:"cut,omitempty"`
}

func encode(e Entry) ([]byte, error) { return json.Marshal(record{e.Moment, e.Cut}) }

func decode(seq uint64, data []byte) (Entry, error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return Entry{}, fmt.Errorf("entry %d of the timeline cannot be read: %w", seq, err)
	}
	return Entry{seq, r.Moment, r.Cut}, nil
}
