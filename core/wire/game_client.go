//go:build !wasm

package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// This file is for programs that are clients of the game server's routes: they write what
// the service reads, and read what it writes.

// MarshalJSON writes the arguments with id and do beside them. Args is a JSON object, or
// nothing.
func (q GameRequest) MarshalJSON() ([]byte, error) {
	all := map[string]json.RawMessage{}
	if len(q.Args) > 0 {
		if err := json.Unmarshal(q.Args, &all); err != nil {
			return nil, fmt.Errorf("args must be a JSON object: %w", err)
		}
	}
	var err error
	if all["id"], err = json.Marshal(q.ID); err != nil {
		return nil, err
	}
	if all["do"], err = json.Marshal(q.Do); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads each change as the type that it is. A change of a type that this
// version does not know is an error, because a mirror that leaves it out is wrong.
func (c *GameChanges) UnmarshalJSON(b []byte) error {
	type plain GameChanges
	whole := struct {
		*plain
		Changes []json.RawMessage `json:"changes"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(b, &whole); err != nil {
		return err
	}
	c.Changes = nil
	for _, raw := range whole.Changes {
		one, err := readChange(raw)
		if err != nil {
			return err
		}
		c.Changes = append(c.Changes, one)
	}
	return nil
}

func readChange(raw json.RawMessage) (GameChange, error) {
	var head Change
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	for _, like := range ChangeTypes {
		v := reflect.New(reflect.TypeOf(like)).Elem()
		// Numbered names the type; the change itself has it from the service.
		if numbered := reflect.ValueOf(like.Numbered(0)); numbered.FieldByName("Type").String() != head.Type {
			continue
		}
		if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
			return nil, err
		}
		return v.Interface().(GameChange), nil
	}
	return nil, fmt.Errorf("change %d has the unknown type %q", head.Seq, head.Type)
}
