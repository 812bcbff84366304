package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"squelch/core"
)

// This file reads the forms in which older clients send the same thing. The rest of
// the program has only clean types.

// Frequency is a frequency in a request: a decimal, as a string or a number. If it is
// absent or null, Given is false.
type Frequency struct {
	At    core.Frequency
	Given bool
}

// UnmarshalJSON refuses other JSON types as invalid, and a string or number that is
// not a frequency with core.ErrChannelNotFound.
func (f *Frequency) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		*f = Frequency{}
		return nil
	}
	var err error
	if len(b) > 0 && b[0] == '"' {
		var s string
		if json.Unmarshal(b, &s) != nil {
			return errWrongType
		}
		f.At, err = core.ParseFrequency(s)
	} else {
		var v float64
		if json.Unmarshal(b, &v) != nil {
			return errWrongType
		}
		f.At, err = core.FrequencyOf(v)
	}
	f.Given = err == nil
	return err
}

// MarshalJSON gives the canonical string, as every reply carries it.
func (f Frequency) MarshalJSON() ([]byte, error) {
	if !f.Given {
		return []byte("null"), nil
	}
	return json.Marshal(f.At.String())
}

// ID is a user id in a request: an integer, as a number or a string. If it is absent
// or null, Given is false.
type ID struct {
	User  core.UserID
	Given bool
}

// UnmarshalJSON takes 5, 5.0 and "5".
func (i *ID) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		*i = ID{}
		return nil
	}
	if len(b) > 1 && b[0] == '"' {
		var s string
		if json.Unmarshal(b, &s) != nil {
			return errWrongType
		}
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return errWrongType
		}
		*i = ID{core.UserID(n), true}
		return nil
	}
	var v float64
	if json.Unmarshal(b, &v) != nil || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
		return errWrongType
	}
	*i = ID{core.UserID(v), true}
	return nil
}

// MarshalJSON gives the number.
func (i ID) MarshalJSON() ([]byte, error) {
	if !i.Given {
		return []byte("null"), nil
	}
	return json.Marshal(i.User)
}

// Text is a string that older bots may send as a number (NAC ids, callsigns).
type Text string

// UnmarshalJSON takes "141" and 141. A whole number keeps its digits, however
// many there are.
func (t *Text) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		*t = ""
		return nil
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text(s)
		return nil
	}
	var v float64
	if json.Unmarshal(b, &v) != nil {
		return errWrongType
	}
	if len(bytes.Trim(b, "-0123456789")) == 0 {
		*t = Text(b)
		return nil
	}
	*t = Text(strconv.FormatFloat(v, 'f', -1, 64))
	return nil
}

// SetTalking is the payload of setTalking: a boolean (legacy), or the
// structured form (version 5.7).
type SetTalking struct {
	State     bool      `json:"state"`
	Frequency Frequency `json:"frequency,omitzero"`
	Override  bool      `json:"override,omitempty"`
}

// UnmarshalJSON takes true, false and { state, frequency?, override? }. A release
// never fails, because a key that stays held by mistake is worse than one released
// too often: if its frequency is "", null or nonsense, it releases every channel.
func (t *SetTalking) UnmarshalJSON(b []byte) error {
	var legacy bool
	if json.Unmarshal(b, &legacy) == nil && string(bytes.TrimSpace(b)) != "null" {
		*t = SetTalking{State: legacy}
		return nil
	}
	type structured struct {
		State     *bool     `json:"state" wire:"required"`
		Frequency Frequency `json:"frequency"`
		Override  bool      `json:"override"`
	}
	var s structured
	err := Decode(b, &s)
	var e *core.Error
	errors.As(err, &e)
	if s.State != nil && !*s.State && (e == nil || e.Field != "state") {
		*t = SetTalking{Frequency: s.Frequency}
		return nil
	}
	if err != nil {
		return err
	}
	*t = SetTalking{*s.State, s.Frequency, s.Override}
	return nil
}

// Grant is what a game server grants for connect, scan or gps: a list of frequencies
// (numbers or strings) or a plain boolean.
type Grant struct{ core.Grant }

// UnmarshalJSON takes [154.755, "460.25"], true and false. A frequency that is
// malformed is refused.
func (g *Grant) UnmarshalJSON(b []byte) error {
	var all bool
	if json.Unmarshal(b, &all) == nil {
		g.Grant = core.Grant{All: all}
		return nil
	}
	var list []Frequency
	if json.Unmarshal(b, &list) != nil {
		return errWrongType
	}
	g.Grant = core.Grant{Listed: true}
	for _, f := range list {
		if f.Given {
			g.Frequencies = append(g.Frequencies, f.At)
		}
	}
	sortUnique(&g.Frequencies)
	return nil
}

// MarshalJSON writes the list or the boolean.
func (g Grant) MarshalJSON() ([]byte, error) {
	if g.Listed {
		return json.Marshal(Spell(g.Frequencies))
	}
	return json.Marshal(g.All)
}

// ZoneGrant is the same for 1-based zone indices.
type ZoneGrant struct{ core.ZoneGrant }

// UnmarshalJSON takes [1, 2], true and false.
func (g *ZoneGrant) UnmarshalJSON(b []byte) error {
	var all bool
	if json.Unmarshal(b, &all) == nil {
		g.ZoneGrant = core.ZoneGrant{All: all}
		return nil
	}
	var list []int
	if json.Unmarshal(b, &list) != nil {
		return errWrongType
	}
	g.ZoneGrant = core.ZoneGrant{Listed: true, Zones: list}
	sortUnique(&g.Zones)
	return nil
}

// MarshalJSON writes the list or the boolean.
func (g ZoneGrant) MarshalJSON() ([]byte, error) {
	if g.Listed {
		return json.Marshal(list(g.Zones))
	}
	return json.Marshal(g.All)
}
