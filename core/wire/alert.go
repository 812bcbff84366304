package wire

import (
	"bytes"
	"encoding/json"

	"squelch/core"
)

// Alert is an alert config entry on the wire: an AlertConfig with whatever keys
// panels and themes have added. It is stored and echoed whole, so the entry is
// kept as it was sent.
type Alert struct{ core.Alert }

// AlertConfig is the shape of an entry, as far as the rules use it. It may have other
// keys too.
type AlertConfig struct {
	Name             string      `json:"name"`
	Color            string      `json:"color,omitempty"`
	IsPersistent     *bool       `json:"isPersistent,omitempty"`
	Tones            *AlertTones `json:"tones,omitempty"`
	Tone             string      `json:"tone,omitempty"`
	RepeatInterval   float64     `json:"repeatInterval,omitempty"`
	RepeatShowBanner bool        `json:"repeatShowBanner,omitempty"`
	DeactivateLabel  string      `json:"deactivateLabel,omitempty"`
	DeactivateColor  string      `json:"deactivateColor,omitempty"`
	ToneOnly         bool        `json:"toneOnly,omitempty"`
}

// AlertTones name the tones of an alert.
type AlertTones struct {
	Activate   string `json:"activate,omitempty"`
	Repeat     string `json:"repeat,omitempty"`
	Deactivate string `json:"deactivate,omitempty"`
}

// UnmarshalJSON also takes a plain string for tones, and an empty array, which
// is how Lua writes an empty table.
func (t *AlertTones) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = AlertTones{Activate: one}
		return nil
	}
	if b = bytes.TrimSpace(b); string(b) == "[]" {
		return nil
	}
	type plain AlertTones
	var p plain
	if err := Decode(b, &p); err != nil {
		return err
	}
	*t = AlertTones(p)
	return nil
}

// UnmarshalJSON reads an entry and keeps it whole.
func (a *Alert) UnmarshalJSON(b []byte) error {
	var s AlertConfig
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

// MarshalJSON echoes the entry as it was sent; one that was never JSON is written from
// its fields.
func (a Alert) MarshalJSON() ([]byte, error) {
	if a.Raw != "" {
		return []byte(a.Raw), nil
	}
	persistent, tones := a.Persistent(), AlertTones(a.Tones)
	return json.Marshal(AlertConfig{a.Name, a.Color, &persistent, &tones, a.Tone, a.RepeatInterval, a.RepeatShowBanner,
		a.DeactivateLabel, a.DeactivateColor, a.ToneOnly})
}
