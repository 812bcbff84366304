package wire

import (
	"bytes"
	"encoding/json"

	"squelch/core"
)

// Alert is an alert config entry on the wire (spec: "Alert config object").
// It is stored and echoed whole, so the entry as it was sent is kept.
type Alert struct{ core.Alert }

// alertShape is what the rules need to know of an entry.
type alertShape struct {
	Name             string      `json:"name"`
	Color            string      `json:"color"`
	IsPersistent     *bool       `json:"isPersistent"`
	Tones            *alertTones `json:"tones"`
	Tone             string      `json:"tone"`
	RepeatInterval   float64     `json:"repeatInterval"`
	RepeatShowBanner bool        `json:"repeatShowBanner"`
	DeactivateLabel  string      `json:"deactivateLabel"`
	DeactivateColor  string      `json:"deactivateColor"`
	ToneOnly         bool        `json:"toneOnly"`
}

type alertTones struct {
	Activate   string `json:"activate"`
	Repeat     string `json:"repeat"`
	Deactivate string `json:"deactivate"`
}

// UnmarshalJSON also takes a plain string for tones, and an empty array, which
// is how Lua writes an empty table.
func (t *alertTones) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = alertTones{Activate: one}
		return nil
	}
	if b = bytes.TrimSpace(b); string(b) == "[]" {
		return nil
	}
	type plain alertTones
	var p plain
	if err := Decode(b, &p); err != nil {
		return err
	}
	*t = alertTones(p)
	return nil
}

// UnmarshalJSON reads an entry and keeps it whole.
func (a *Alert) UnmarshalJSON(b []byte) error {
	var s alertShape
	if err := Decode(b, &s); err != nil {
		return err
	}
	var raw bytes.Buffer
	if err := json.Compact(&raw, b); err != nil {
		return errWrongType
	}
	a.Alert = core.Alert{
		Name: s.Name, Color: s.Color, Tone: s.Tone, RepeatInterval: s.RepeatInterval,
		RepeatShowBanner: s.RepeatShowBanner, DeactivateLabel: s.DeactivateLabel,
		DeactivateColor: s.DeactivateColor, ToneOnly: s.ToneOnly, Raw: raw.String(),
	}
	if s.IsPersistent != nil {
		a.Persistence = core.No
		if *s.IsPersistent {
			a.Persistence = core.Yes
		}
	}
	if s.Tones != nil {
		a.Tones = core.AlertTones(*s.Tones)
	}
	return nil
}

// MarshalJSON echoes the entry; one that was never JSON is written from its
// fields.
func (a Alert) MarshalJSON() ([]byte, error) {
	if a.Raw != "" {
		return []byte(a.Raw), nil
	}
	out := struct {
		Name             string          `json:"name"`
		Color            string          `json:"color,omitempty"`
		IsPersistent     bool            `json:"isPersistent"`
		Tones            core.AlertTones `json:"tones"`
		Tone             string          `json:"tone,omitempty"`
		RepeatInterval   float64         `json:"repeatInterval,omitempty"`
		RepeatShowBanner bool            `json:"repeatShowBanner,omitempty"`
		DeactivateLabel  string          `json:"deactivateLabel,omitempty"`
		DeactivateColor  string          `json:"deactivateColor,omitempty"`
		ToneOnly         bool            `json:"toneOnly,omitempty"`
	}{a.Name, a.Color, a.Persistent(), a.Tones, a.Tone, a.RepeatInterval, a.RepeatShowBanner, a.DeactivateLabel, a.DeactivateColor, a.ToneOnly}
	return json.Marshal(out)
}
