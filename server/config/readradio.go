package config

import (
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
)

func (r *reader) alerts(v value, k *core.Config, demo *core.Config) {
	if v.none() && demo != nil {
		k.Alerts = demo.Alerts
		return
	}
	for _, a := range v.list() {
		var alert core.Alert
		if a.table() {
			alert = r.alert(a)
		}
		k.Alerts = append(k.Alerts, alert)
	}
}

// alert reads one alert config entry (wire.AlertConfig). Its whole
// content is kept in Raw, so extra keys are not reported.
func (r *reader) alert(v value) core.Alert {
	a := core.Alert{
		Name:             v.get("name").text(""),
		Color:            v.get("color").text(""),
		RepeatInterval:   v.get("repeatInterval").number(0),
		RepeatShowBanner: v.get("repeatShowBanner").flag(false),
		DeactivateLabel:  v.get("deactivateLabel").text(""),
		DeactivateColor:  v.get("deactivateColor").text(""),
		ToneOnly:         v.get("toneOnly").flag(false),
	}
	if p := v.get("isPersistent"); !p.none() {
		a.Persistence = core.No
		if p.flag(false) {
			a.Persistence = core.Yes
		}
	}
	// "tone" and "tones" are each written as one name or as a table.
	for _, key := range []string{"tone", "tones"} {
		t := v.get(key)
		if _, ok := t.v.(*lua.LTable); ok {
			if key == "tone" {
				v.r.note(Changed, t.path, "is a table: it is read as tones")
			}
			a.Tones = core.AlertTones{Activate: t.get("activate").text(""),
				Repeat: t.get("repeat").text(""), Deactivate: t.get("deactivate").text("")}
		} else if s := t.text(""); s != "" {
			a.Tone = s
		}
	}
	if a.RepeatInterval < 0 {
		v.get("repeatInterval").wrong("a number of at least 0")
	}
	a.Raw = v.json()
	return a
}

// codeplugs reads a list with ids, or a table id → codeplug.
func (r *reader) codeplugs(v value, k *core.Config) {
	if !v.table() {
		return
	}
	var at []string
	for _, e := range v.entries() {
		if !e.value.table() {
			continue
		}
		fallback := e.name
		if fallback == "" {
			fallback = "codeplug-" + strconv.Itoa(e.n)
		}
		if e.name == "" {
			e.value.named(fallback)
		}
		k.Codeplugs = append(k.Codeplugs, r.codeplug(e.value, fallback))
		at = append(at, e.value.path)
	}
	r.index["codeplugs"] = at
}

func (r *reader) codeplug(v value, id string) core.Codeplug {
	v.known("id", "unitId", "nac", "radioModel", "zones", "features", "tones", "emergency", "announcementVolume")
	c := core.Codeplug{
		ID:                 v.get("id").text(id),
		UnitID:             v.get("unitId").text(""),
		Nac:                r.accessCode(v.get("nac")),
		RadioModel:         v.get("radioModel").text(""),
		Features:           core.Features{Scan: true, GPS: true, Panic: true},
		AnnouncementVolume: v.get("announcementVolume").number(1),
	}
	if c.AnnouncementVolume > 1 && c.AnnouncementVolume <= 100 {
		c.AnnouncementVolume /= 100 // files mostly write volumes as 0-100
		r.note(Changed, v.get("announcementVolume").path, "is read as 0 to 100: exports and records have %g", c.AnnouncementVolume)
	}
	for _, z := range v.get("zones").scalars() {
		if n := z.whole(0, 1, 1_000_000); n > 0 {
			c.Zones = append(c.Zones, int(n))
		}
	}
	f := v.get("features")
	if f.table() {
		f.known("scan", "gps", "panic", "dispatch")
	}
	for _, x := range []struct {
		key string
		to  *bool
	}{{"scan", &c.Features.Scan}, {"gps", &c.Features.GPS}, {"panic", &c.Features.Panic}, {"dispatch", &c.Features.Dispatch}} {
		*x.to = f.get(x.key).flag(*x.to)
	}
	t := v.get("tones")
	if t.table() {
		t.known("keyUp", "keyDown", "busy")
	}
	c.Tones = core.CodeplugTone{KeyUp: t.get("keyUp").text(""), KeyDown: t.get("keyDown").text(""), Busy: t.get("busy").text("")}
	e := v.get("emergency")
	if e.table() {
		e.known("revertFrequency", "hotMicMs")
	}
	if revert := e.get("revertFrequency"); !revert.none() {
		c.Emergency.RevertFrequency, _ = revert.frequency()
	}
	c.Emergency.HotMicMs = e.get("hotMicMs").whole(0, 0, 600_000)
	return c
}

// accessCode reads the radio's 12-bit NAC: a number, or text in decimal or, as radio
// users write it, in hexadecimal with 0x or $.
func (r *reader) accessCode(v value) int {
	s, ok := v.v.(lua.LString)
	if !ok {
		return int(v.whole(0, 0, 4095))
	}
	base, digits := 10, strings.TrimSpace(string(s))
	for _, p := range []string{"0x", "0X", "$"} {
		if h, found := strings.CutPrefix(digits, p); found {
			base, digits = 16, h
		}
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > 4095 {
		v.wrong("a network access code from 0 to 4095")
	}
	return int(n)
}

// jobs reads job = codeplug id, or a list of { job, codeplug }. Jobs come out in the
// order of their names.
func (r *reader) jobs(v value, k *core.Config) {
	if !v.table() {
		return
	}
	for _, e := range v.entries() {
		j := core.JobCodeplug{Job: e.name}
		job, plug := e.value.path, e.value.path
		if _, ok := e.value.v.(*lua.LTable); ok {
			e.value.known("job", "codeplug")
			job, plug = e.value.get("job").path, e.value.get("codeplug").path
			j.Job = e.value.get("job").text(e.name)
			j.Codeplug = e.value.get("codeplug").text("")
		} else {
			if j.Job == "" {
				j.Job = strconv.Itoa(e.n) // jobs are NAC ids, which may be numbers
			}
			j.Codeplug = e.value.text("")
		}
		if j.Job == "" {
			r.fail(job, "is missing: expected a job and a codeplug id")
		}
		if j.Codeplug == "" {
			r.fail(plug, "is missing: expected a codeplug id")
		}
		if j.Job == "" || j.Codeplug == "" {
			continue
		}
		k.JobCodeplugs = append(k.JobCodeplugs, j)
	}
	slices.SortStableFunc(k.JobCodeplugs, func(a, b core.JobCodeplug) int { return strings.Compare(a.Job, b.Job) })
}
