package config

import (
	"cmp"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
)

// topKeys are the keys of Config itself.
var topKeys = []string{"serverPort", "serverAddress", "authToken", "dispatchNacId", "adminPassword", "useDiscordAuth", "discord",
	"useCallsignSystem", "callsign", "zones", "alerts", "tones", "toneFolder", "bonking", "voiceVolume", "sfxVolume",
	"default3DVolume", "volumeStep", "radioFx", "panicTimeout", "pttReleaseDelay", "timeoutTimer", "talkLease",
	"announcementGroups", "codeplugs", "jobCodeplugs", "resumeWindow", "audio3DRange", "signal", "serverName", "resourceName", "webrtc", "tls",
	"trustedProxies", "limits", "scripts", "radios", "themes", "cluster", "transcriber", "recording", "webhooks", "logLevel", "radioAccessCheck", "getUserNacId", "getPlayerName", "talkCheck", "batteryTick", "bgSirenCheck"}

// longest time in the file: a week, as the core checks.
const maxMillis = 7 * 24 * 3600_000

// core reads the rules of the radio. demo fills in zones, alerts and tones that the
// file does not mention.
func (r *reader) core(c value, demo *core.Config) core.Config {
	k := core.DefaultConfig()
	c.known(topKeys...)
	k.ServerName = c.get("serverName").text(k.ServerName)
	k.ResourceName = c.get("resourceName").text(k.ResourceName)
	r.zones(c.get("zones"), &k, demo)
	r.alerts(c.get("alerts"), &k, demo)
	k.Tones = r.tones(c.get("tones"))
	r.bonking(c.get("bonking"), &k.Bonking)
	for _, f := range []struct {
		key string
		to  *int
	}{{"voiceVolume", &k.Volumes.Voice}, {"sfxVolume", &k.Volumes.SFX}, {"default3DVolume", &k.Volumes.Audio3D}, {"volumeStep", &k.Volumes.Step}} {
		*f.to = int(c.get(f.key).whole(int64(*f.to), 0, 100))
	}
	k.RadioFx = r.radioFx(c.get("radioFx"))
	for _, f := range []struct {
		key string
		to  *int64
	}{{"panicTimeout", &k.PanicTimeout}, {"pttReleaseDelay", &k.PTTReleaseDelay}, {"timeoutTimer", &k.TimeoutTimer},
		{"talkLease", &k.TalkLease}, {"resumeWindow", &k.ResumeWindow}} {
		*f.to = c.get(f.key).whole(*f.to, 0, maxMillis)
	}
	k.Audio3DRange = c.get("audio3DRange").number(k.Audio3DRange)
	k.Signal = r.signal(c.get("signal"), k.Zones)
	r.groups(c.get("announcementGroups"), &k)
	r.codeplugs(c.get("codeplugs"), &k)
	r.jobs(c.get("jobCodeplugs"), &k)
	k.UseCallsignSystem = c.get("useCallsignSystem").flag(k.UseCallsignSystem)
	r.callsign(c.get("callsign"), &k.Callsign)
	k.DispatchNac = strings.TrimSpace(c.get("dispatchNacId").text(""))
	return k
}

func (r *reader) zones(v value, k *core.Config, demo *core.Config) {
	if v.none() && demo != nil {
		k.Zones = demo.Zones
		r.warn = append(r.warn, r.file+": zones: not given, the demo zones are used")
		return
	}
	for _, z := range v.list() {
		if !z.table() { // it keeps its place, so that the others keep their numbers
			k.Zones = append(k.Zones, core.Zone{})
			continue
		}
		z.known("name", "nacIds", "Channels", "channels")
		zone := core.Zone{Name: z.get("name").text(""), NacIDs: z.get("nacIds").texts(), Channels: []core.Channel{}}
		list := z.get("Channels")
		if list.none() {
			list = z.get("channels")
		} else if !z.get("channels").none() {
			r.warnOnce(shape(list.path)+" twice", list.path, "is used: the key channels beside it is ignored")
			r.note(Ignored, z.get("channels").path, "Channels beside it is used")
		}
		for _, c := range list.list() {
			var channel core.Channel
			if c.table() {
				channel = r.channel(c)
			}
			zone.Channels = append(zone.Channels, channel)
		}
		r.oddZone(z, list, zone.Channels)
		k.Zones = append(k.Zones, zone)
	}
}

// oddZone warns of what a radio can work with but hardly anybody wants.
func (r *reader) oddZone(z, list value, channels []core.Channel) {
	if len(channels) == 0 && !r.held(list.path) {
		r.warnOnce(list.path+" empty", list.path, "is empty: nobody can talk in this zone")
	}
	first := map[core.Frequency]string{}
	for i, at := range r.index[strings.ToLower(list.path)] {
		ch := &channels[i]
		if ch.Frequency == 0 { // reported as a mistake
			continue
		}
		if seen, twice := first[ch.Frequency]; twice {
			key := field(at, "frequency")
			r.warnOnce(key+" twice", key, "%s is already in this zone, at %s", ch.Frequency, seen)
		} else {
			first[ch.Frequency] = at
		}
		if key := field(at, "frequencyRange"); ch.Type == core.Trunked && ch.Low == 0 && !r.told(key) {
			r.warnOnce(key+" missing", key, "is missing: without {low, high} a trunked channel has no working frequencies and stays on %s", ch.Frequency)
		}
	}
}

func (r *reader) channel(v value) core.Channel {
	v.known("name", "type", "frequency", "frequencyRange", "coverage", "allowedNacs", "scanAllowedNacs", "gps")
	c := core.Channel{
		Type:            core.ChannelType(v.get("type").text("")),
		Coverage:        v.get("coverage").number(0),
		AllowedNacs:     v.get("allowedNacs").texts(),
		ScanAllowedNacs: v.get("scanAllowedNacs").texts(),
	}
	c.Frequency, c.Shown = v.get("frequency").frequency()
	if c.Frequency != 0 && c.Shown != "" && c.Shown != c.Frequency.String() {
		r.note(Changed, v.get("frequency").path, "%s is %s in replies, events and exports; both spellings are accepted", c.Shown, c.Frequency)
	}
	c.Name = v.get("name").text(cmp.Or(c.Shown, c.Frequency.String()))
	span := v.get("frequencyRange")
	if !span.none() {
		c.Low, c.High = r.span(span)
	}
	switch {
	case r.told(v.get("type").path):
		c.Type = "?" // so that it is not compared with others
	case c.Type == "" && !span.none():
		r.note(Changed, v.get("type").path, "is missing: a channel with frequencyRange is trunked")
		c.Type = core.Trunked
	case c.Type == "":
		c.Type = core.Conventional
	}
	if gps := v.get("gps"); gps.v != lua.LFalse && gps.table() {
		gps.known("color", "visibleToNacs")
		c.GPS = core.GPS{Color: gps.get("color").text(""), VisibleToNacs: gps.get("visibleToNacs").texts()}
	}
	return c
}

// span reads {low, high}.
func (r *reader) span(v value) (low, high core.Frequency) {
	ends := v.list()
	if len(ends) != 2 {
		r.fail(v.path, "must be {low, high}")
		return 0, 0
	}
	low, _ = ends[0].frequency()
	high, _ = ends[1].frequency()
	return low, high
}

// signal reads how distance is heard; nil: it is not.
func (r *reader) signal(v value, zones []core.Zone) *core.Signal {
	if v.none() || v.v == lua.LFalse || !v.table() {
		return nil
	}
	v.known("range", "sites", "noise", "dropouts")
	s := &core.Signal{Range: v.get("range").number(0), Noise: int(v.get("noise").whole(50, 0, 100)), Dropouts: int(v.get("dropouts").whole(50, 0, 100))}
	far := s.Range == 0 && !anyCoverage(zones)
	for _, e := range v.get("sites").list() {
		var site core.Site
		if e.table() {
			e.known("x", "y", "z", "range")
			site = core.Site{At: core.Position{X: r.coordinate(e, "x"), Y: r.coordinate(e, "y"), Z: e.get("z").number(0)}, Range: e.get("range").number(0)}
		}
		far = far && site.Range == 0
		s.Sites = append(s.Sites, site)
	}
	if far && !r.told(v.path) {
		r.warnAs(Ignored, v.path+" everywhere", v.path, "has no effect: neither it nor a site has a range, and no channel has a coverage")
	}
	return s
}

// coordinate reads a coordinate that must be there.
func (r *reader) coordinate(v value, name string) float64 {
	c := v.get(name)
	if c.none() {
		r.fail(c.path, "is missing: a site needs x and y")
	}
	return c.number(0)
}

func anyCoverage(zones []core.Zone) bool {
	return slices.ContainsFunc(zones, func(z core.Zone) bool {
		return slices.ContainsFunc(z.Channels, func(c core.Channel) bool { return c.Coverage > 0 })
	})
}

func (r *reader) bonking(v value, b *core.Bonking) {
	if v.table() {
		v.known("blockTransmission", "playBonkTone", "bonkInterval", "playerOverride")
	}
	b.BlockTransmission = v.get("blockTransmission").flag(b.BlockTransmission)
	b.PlayBonkTone = v.get("playBonkTone").flag(b.PlayBonkTone)
	b.PlayerOverride = v.get("playerOverride").flag(b.PlayerOverride)
	b.BonkInterval = v.get("bonkInterval").whole(b.BonkInterval, 0, maxMillis)
}

// defaultFx are effect levels 0-100 by channel type: analogue channels hiss, digital
// ones hardly do.
var defaultFx = []core.FxLevel{{Name: "conventional", Level: 50}, {Name: "digital", Level: 20}, {Name: "trunked", Level: 35}}

// radioFx reads true, false, or levels by name; inner tables are named with dots.
func (r *reader) radioFx(v value) []core.FxLevel {
	fx := slices.Clone(defaultFx)
	if on, ok := v.v.(lua.LBool); ok {
		for i := range fx {
			if !bool(on) {
				fx[i].Level = 0
			}
		}
		return fx
	}
	if !v.table() {
		return fx
	}
	r.fxLevels(v, "", &fx)
	slices.SortFunc(fx, func(a, b core.FxLevel) int { return strings.Compare(a.Name, b.Name) })
	return fx
}

func (r *reader) fxLevels(v value, prefix string, fx *[]core.FxLevel) {
	for _, e := range v.entries() {
		name := field(prefix, e.name)
		level := 0.0
		switch x := e.value.v.(type) {
		case *lua.LTable:
			r.fxLevels(e.value, name, fx)
			continue
		case *lua.LFunction:
			continue
		case lua.LBool:
			if bool(x) {
				level = 50
			}
			r.note(Changed, e.value.path, "is read as the level %g of 0 to 100", level)
		default:
			level = e.value.number(0)
			if level < 0 || level > 100 {
				e.value.wrong("a level from 0 to 100")
			}
		}
		i := slices.IndexFunc(*fx, func(f core.FxLevel) bool { return f.Name == name })
		if i < 0 {
			*fx = append(*fx, core.FxLevel{Name: name})
			i = len(*fx) - 1
		}
		(*fx)[i].Level = level
	}
}

func (r *reader) groups(v value, k *core.Config) {
	for i, g := range v.list() {
		if !g.table() {
			k.AnnouncementGroups = append(k.AnnouncementGroups, core.AnnouncementGroup{})
			continue
		}
		g.known("id", "name", "frequencies")
		fallback := "group-" + numberText(float64(i+1))
		g.named(fallback)
		id := g.get("id").text(fallback)
		out := core.AnnouncementGroup{ID: id, Name: g.get("name").text(id), Frequencies: []core.Frequency{}}
		list := g.get("frequencies")
		for _, f := range list.scalars() {
			if at, _ := f.frequency(); at != 0 && !slices.Contains(out.Frequencies, at) {
				out.Frequencies = append(out.Frequencies, at)
			}
		}
		if len(out.Frequencies) == 0 && !r.told(list.path) {
			r.warnOnce(list.path+" empty", list.path, "is empty: the group keys nothing")
		}
		k.AnnouncementGroups = append(k.AnnouncementGroups, out)
	}
}

// named warns of an entry of a list that has no id and is given one by its place.
func (v value) named(fallback string) {
	if id := v.get("id"); id.none() {
		v.r.warnOnce(id.path+" missing", id.path, "is missing: %s is used, which changes when the list is reordered", fallback)
	}
}

func (r *reader) callsign(v value, c *core.CallsignRule) {
	if v.table() {
		v.known("minLength", "maxLength", "pattern")
	}
	c.MinLength = int(v.get("minLength").whole(int64(c.MinLength), 0, 256))
	c.MaxLength = int(v.get("maxLength").whole(int64(c.MaxLength), 0, 256))
	p := v.get("pattern")
	if s := p.text(""); s != "" {
		re, err := callsignPattern(s)
		if err != nil {
			r.fail(p.path, "%v", err)
		}
		c.Pattern = re
	}
}

// builtinTones are synthesised; a file may give some of them other sounds.
var builtinTones = []string{"ALERT_A", "ALERT_B", "BEEP", "BONK", "CHIRP", "PANIC"}

// tones reads name = file, or a list of { name, file } or of file names. Built-in
// tones that the file does not mention follow its own.
func (r *reader) tones(v value) []core.Tone {
	var out []core.Tone
	for _, e := range r.toneEntries(v) {
		t := core.Tone{Name: e.name}
		at := e.value.path
		if inner, ok := e.value.v.(*lua.LTable); ok && inner != nil {
			e.value.known("name", "file")
			t.Name = e.value.get("name").text(e.name)
			t.File = e.value.get("file").text("")
			at = e.value.get("file").path
		} else {
			t.File = e.value.text("")
		}
		if t.Name == "" {
			t.Name = strings.TrimSuffix(path.Base(t.File), path.Ext(t.File))
		}
		switch {
		case t.File == "":
			r.fail(at, "needs a file name")
		case strings.ContainsAny(t.File, "/\\\x00") || strings.HasPrefix(t.File, "."):
			r.fail(at, "%q must be a plain file name in the tone folder", t.File)
		}
		out = append(out, t)
	}
	for _, name := range builtinTones {
		if !slices.ContainsFunc(out, func(t core.Tone) bool { return strings.EqualFold(t.Name, name) }) {
			out = append(out, core.Tone{Name: name, File: name + ".wav"})
		}
	}
	return out
}

// toneEntries: first lists in order, then names in order.
func (r *reader) toneEntries(v value) []entry {
	if !v.table() {
		return nil
	}
	var at []string
	all := v.entries()
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(boolInt(a.name != ""), boolInt(b.name != "")) })
	out := all[:0]
	for _, e := range all {
		if _, fn := e.value.v.(*lua.LFunction); !fn {
			out = append(out, e)
			at = append(at, e.value.path)
		}
	}
	r.index["tones"] = at
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
