package client

import (
	"encoding/base64"
	"fmt"

	"squelch/core"
	"squelch/core/wire"
)

// Frequency reads a frequency such as 154.755, for bodies and payloads.
func Frequency(text string) (wire.Frequency, error) {
	f, err := core.ParseFrequency(text)
	if err != nil {
		return wire.Frequency{}, fmt.Errorf("frequency %q is not a decimal number of MHz, such as 154.755", text)
	}
	return wire.Frequency{At: f, Given: true}, nil
}

// MustFrequency is [Frequency] for constants. It panics if text is not a frequency.
func MustFrequency(text string) wire.Frequency {
	f, err := Frequency(text)
	if err != nil {
		panic(err)
	}
	return f
}

// User is a user's id, for bodies and payloads.
func User(id core.UserID) wire.ID { return wire.ID{User: id, Given: true} }

// Packet is the Opus packet of a voice event; with the encoding imbe, its IMBE frame.
func Packet(v wire.Voice) ([]byte, error) {
	p, err := base64.StdEncoding.DecodeString(v.Data)
	if err != nil {
		return nil, fmt.Errorf("data of voice: %w", err)
	}
	return p, nil
}
