package wire

import (
	"encoding/hex"
	"encoding/json"
	"reflect"

	"squelch/core"
)

// Hash is the SHA-256, in hex, of everything that the radio remembers: of the JSON of
// a Snapshot, whose lists are sorted and whose empty lists are nil, so that the same
// state has the same bytes on every machine. Texts that are not UTF-8 count with their
// own bytes. Numbers that JSON does not have are an error.
func Hash(d core.Data) (string, error) { return hashOf(d) }

// HashConfig is the same for the configuration in force (core.View.Config), which is
// the other half of the state.
func HashConfig(c core.Config) (string, error) { return hashOf(c) }

func hashOf(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	if odd := oddTexts(reflect.ValueOf(v)); odd != nil {
		more, err := json.Marshal(odd)
		if err != nil {
			return "", err
		}
		b = append(b, more...)
	}
	d := NewDigest()
	d.Write(b)
	sum := d.Sum()
	return hex.EncodeToString(sum[:]), nil
}
