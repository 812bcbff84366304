package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
)

// Overlay is what the administration has changed. Nil parts are as in the file. Its
// JSON has the shapes of core, except that alerts are config entries
// (wire.AlertConfig).
type Overlay struct {
	Zones              *[]core.Zone              `json:"zones,omitempty"`
	Alerts             *[]AlertEntry             `json:"alerts,omitempty"`
	Tones              *[]core.Tone              `json:"tones,omitempty"`
	Volumes            *core.Volumes             `json:"volumes,omitempty"`
	AnnouncementGroups *[]core.AnnouncementGroup `json:"announcementGroups,omitempty"`
	Codeplugs          *[]core.Codeplug          `json:"codeplugs,omitempty"`
	JobCodeplugs       *[]core.JobCodeplug       `json:"jobCodeplugs,omitempty"`
	Layouts            *[]core.Layout            `json:"layouts,omitempty"`
}

// MaxOverlay bounds the JSON of an overlay, as the file is bounded.
const MaxOverlay = 1 << 20

// ParseOverlay reads an overlay from JSON. Unknown keys are errors.
func ParseOverlay(b []byte) (Overlay, error) {
	var o Overlay
	if len(b) > MaxOverlay {
		return o, fmt.Errorf("the edits are larger than %d bytes", MaxOverlay)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return Overlay{}, fmt.Errorf("overlay: %w", err)
	}
	return o, nil
}

// Parts returns the names of what the overlay changes, for the start log.
func (o Overlay) Parts() []string {
	var out []string
	for _, p := range []struct {
		name  string
		given bool
	}{{"zones", o.Zones != nil}, {"alerts", o.Alerts != nil}, {"tones", o.Tones != nil}, {"volumes", o.Volumes != nil},
		{"announcementGroups", o.AnnouncementGroups != nil}, {"codeplugs", o.Codeplugs != nil}, {"jobCodeplugs", o.JobCodeplugs != nil},
		{"layouts", o.Layouts != nil}} {
		if p.given {
			out = append(out, p.name)
		}
	}
	return out
}

// Apply puts an overlay over a configuration and checks the result. base is not
// changed, and the result does not share with it what o replaces.
func Apply(base core.Config, o Overlay) (core.Config, error) {
	out := base
	if o.Zones != nil {
		out.Zones = cloneZones(*o.Zones)
	}
	if o.Alerts != nil {
		out.Alerts = nil
		for _, a := range *o.Alerts {
			out.Alerts = append(out.Alerts, core.Alert(a))
		}
	}
	if o.Tones != nil {
		out.Tones = slices.Clone(*o.Tones)
	}
	if o.Volumes != nil {
		out.Volumes = *o.Volumes
	}
	if o.AnnouncementGroups != nil {
		out.AnnouncementGroups = slices.Clone(*o.AnnouncementGroups)
		for i := range out.AnnouncementGroups {
			g := &out.AnnouncementGroups[i]
			g.Frequencies = append([]core.Frequency{}, g.Frequencies...)
		}
	}
	if o.Codeplugs != nil {
		out.Codeplugs = slices.Clone(*o.Codeplugs)
		for i := range out.Codeplugs {
			out.Codeplugs[i].Zones = slices.Clone(out.Codeplugs[i].Zones)
		}
	}
	if o.JobCodeplugs != nil {
		out.JobCodeplugs = slices.Clone(*o.JobCodeplugs)
	}
	if o.Layouts != nil {
		out.Layouts = nil
		for _, l := range *o.Layouts {
			out.Layouts = append(out.Layouts, l.Clone())
		}
	}
	if err := out.Check(); err != nil {
		return base, err
	}
	return out, nil
}

func cloneZones(zones []core.Zone) []core.Zone {
	out := slices.Clone(zones)
	for i := range out {
		z := &out[i]
		z.NacIDs = slices.Clone(z.NacIDs)
		z.Channels = append([]core.Channel{}, z.Channels...)
		for j := range z.Channels {
			c := &z.Channels[j]
			c.AllowedNacs = slices.Clone(c.AllowedNacs)
			c.ScanAllowedNacs = slices.Clone(c.ScanAllowedNacs)
			c.GPS.VisibleToNacs = slices.Clone(c.GPS.VisibleToNacs)
		}
	}
	return out
}

// AlertEntry is an alert whose JSON is the alert config object.
type AlertEntry core.Alert

// MarshalJSON returns the object as it was written.
func (a AlertEntry) MarshalJSON() ([]byte, error) {
	if a.Raw != "" {
		return []byte(a.Raw), nil
	}
	out := map[string]any{"name": a.Name}
	for key, v := range map[string]string{"color": a.Color, "tone": a.Tone, "deactivateLabel": a.DeactivateLabel, "deactivateColor": a.DeactivateColor} {
		if v != "" {
			out[key] = v
		}
	}
	if a.Persistence != core.Unsaid {
		out["isPersistent"] = a.Persistence == core.Yes
	}
	if a.Tones != (core.AlertTones{}) {
		out["tones"] = a.Tones
	}
	if a.RepeatInterval != 0 {
		out["repeatInterval"] = a.RepeatInterval
	}
	if a.RepeatShowBanner {
		out["repeatShowBanner"] = true
	}
	if a.ToneOnly {
		out["toneOnly"] = true
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads an object by the same rules as an entry of Config.alerts.
func (a *AlertEntry) UnmarshalJSON(b []byte) error {
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	r := &reader{file: "alert", lines: &lines{}, said: map[string]bool{}, index: map[string][]string{}}
	*a = AlertEntry(r.alert(value{r: r, v: toLua(m)}))
	return r.mistakes()
}

// toLua turns decoded JSON into the tables that a file would have.
func toLua(v any) lua.LValue {
	switch x := v.(type) {
	case bool:
		return lua.LBool(x)
	case float64:
		return lua.LNumber(x)
	case string:
		return lua.LString(x)
	case []any:
		t := &lua.LTable{}
		for i, e := range x {
			t.RawSetInt(i+1, toLua(e))
		}
		return t
	case map[string]any:
		t := &lua.LTable{}
		for k, e := range x {
			t.RawSetString(k, toLua(e))
		}
		return t
	}
	return lua.LNil
}
