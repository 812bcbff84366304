package door

import (
	"strconv"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// MaxCallsign is the longest callsign of a login in characters, MaxCallsignBytes in
// bytes. It is the user's name until the user sends another one, and names in the
// core have 128 characters.
const (
	MaxCallsign      = 128
	MaxCallsignBytes = 256
)

// Credentials are what somebody logs in with. Only their shape has been checked.
type Credentials struct{ Callsign, Nac string }

func credentialsOf(body any) (Credentials, error) {
	switch b := body.(type) {
	case *wire.AuthRequest:
		callsign, err := Callsign(b.Callsign)
		if err != nil {
			return Credentials{}, err
		}
		nac := strings.TrimSpace(string(b.NacID))
		if nac == "" {
			return Credentials{}, invalid("nacId", "nacId must not be empty")
		}
		return Credentials{callsign, nac}, nil
	case *wire.ReauthRequest:
		callsign, err := Callsign(b.Callsign)
		return Credentials{Callsign: callsign}, err
	}
	return Credentials{}, nil
}

// Callsign tidies the callsign of a login. It is a name, not yet a callsign on the
// radio, so the operator's pattern does not apply. The error is a *core.Error of kind
// Invalid.
func Callsign(text wire.Text) (string, error) {
	callsign, err := core.Line("callsign", string(text), 1, MaxCallsign)
	if err != nil {
		return "", err
	}
	if len(callsign) > MaxCallsignBytes {
		return "", invalid("callsign", "callsign is longer than "+strconv.Itoa(MaxCallsignBytes)+" bytes")
	}
	return callsign, nil
}
