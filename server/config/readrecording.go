package config

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
	"squelch/server/nearest"
)

// Recording is what the file says about the recorder.
type Recording struct {
	On           bool             // Config.recording is there
	All          bool             // every channel is recorded
	Zones        []string         // zones of which every channel is, as they are called in core.Config
	Channels     []core.Frequency // channels that are
	Folder       string           // where recordings are kept, absolute or beside the config file; "": in the data folder
	Days         int              // how long a recording is kept
	ChannelBytes int64            // how much is kept of one channel, in bytes
	FreeBytes    int64            // how much of the disk is left free, in bytes
	Retention    map[core.Frequency]Retention
}

// Retention is how long, and how many bytes of, one channel's recordings are kept.
type Retention struct {
	Days  int
	Bytes int64
}

// Defaults and ranges of Config.recording.
const (
	recordingDays, maxRecordingDays = 30, 3660         // ten years
	channelBytes, leastBytes        = 2 << 30, 1 << 20 // 12 days of 16 kbit/s without a pause; 8 minutes
	maxRecordingBytes               = 1 << 50
	freeBytes                       = 512 << 20 // what the rest of a small machine needs
)

// Recorded says for each channel of a radio whether it is recorded: it or its zone is
// named. The working frequencies of a talkgroup are with its base.
func (r *Recording) Recorded(c *core.Config) map[core.Frequency]bool {
	out := map[core.Frequency]bool{}
	for _, z := range c.Zones {
		whole := r.All || slices.Contains(r.Zones, z.Name)
		for _, ch := range z.Channels {
			if r.On && (whole || slices.Contains(r.Channels, ch.Frequency)) {
				out[ch.Frequency] = true
			}
		}
	}
	return out
}

func (r *reader) recording(v value, to *Recording, c *core.Config, folder string) {
	*to = Recording{Days: recordingDays, ChannelBytes: channelBytes, FreeBytes: freeBytes, Retention: map[core.Frequency]Retention{}}
	if v.none() || v.v == lua.LFalse || !v.table() {
		return
	}
	v.known("all", "zones", "channels", "folder", "days", "channelBytes", "freeBytes", "retention")
	to.On, to.All = true, v.get("all").flag(false)
	zones, channels := v.get("zones"), v.get("channels")
	for _, z := range zones.scalars() {
		if name := r.zoneNamed(z, c); name != "" && !slices.Contains(to.Zones, name) {
			to.Zones = append(to.Zones, name)
		}
	}
	for _, ch := range channels.scalars() {
		to.Channels = append(to.Channels, r.channelsNamed(ch, c)...)
	}
	slices.Sort(to.Channels)
	to.Channels = slices.Compact(to.Channels)
	switch named := len(to.Zones)+len(to.Channels) > 0; {
	case to.All && named:
		r.warnOnce("recording.all", field(v.path, "all"), "records every channel: zones and channels have no effect")
	case !to.All && !named && !r.told(v.path):
		r.warnOnce("recording nothing", v.path, "records nothing: give all = true, or the names of zones or channels")
	}
	if name := strings.TrimSpace(v.get("folder").text("")); folder != "" {
		to.Folder = beside(folder, name)
	}
	to.Days = int(v.get("days").whole(recordingDays, 1, maxRecordingDays))
	to.ChannelBytes = v.get("channelBytes").whole(channelBytes, leastBytes, maxRecordingBytes)
	to.FreeBytes = v.get("freeBytes").whole(freeBytes, 0, maxRecordingBytes)
	keep := v.get("retention")
	if !keep.table() {
		return
	}
	for _, e := range keep.entries() {
		if e.name == "" {
			r.warnAs(Ignored, shape(e.value.path), e.value.path, "is ignored: retention has the name or frequency of a channel as its key, such as [\"154.755\"]")
			continue
		}
		one := Retention{to.Days, to.ChannelBytes}
		if e.value.table() {
			e.value.known("days", "bytes")
			one.Days = int(e.value.get("days").whole(int64(one.Days), 1, maxRecordingDays))
			one.Bytes = e.value.get("bytes").whole(one.Bytes, leastBytes, maxRecordingBytes)
		}
		for _, f := range r.channelsNamed(value{r, e.value.path, lua.LString(e.name), e.value.depth}, c) {
			to.Retention[f] = one
		}
	}
}

// zoneNamed finds a zone by its name, whatever the case; "" if there is none.
func (r *reader) zoneNamed(v value, c *core.Config) string {
	name := strings.TrimSpace(v.text(""))
	var names []string
	for _, z := range c.Zones {
		if strings.EqualFold(z.Name, name) && name != "" {
			return z.Name
		}
		names = append(names, z.Name)
	}
	r.noSuch(v, "zone", name, names)
	return ""
}

// channelsNamed finds channels by frequency, or else by name, whatever the case: in
// several zones there may be one of that name.
func (r *reader) channelsNamed(v value, c *core.Config) []core.Frequency {
	name := strings.TrimSpace(v.text(""))
	at, err := core.ParseFrequency(name)
	if n, is := v.v.(lua.LNumber); is {
		at, err = core.FrequencyOf(float64(n))
	}
	var found []core.Frequency
	var names []string
	for _, z := range c.Zones {
		for _, ch := range z.Channels {
			if err == nil && ch.Frequency == at {
				return []core.Frequency{at}
			}
			if strings.EqualFold(ch.Name, name) && ch.Frequency != 0 && !slices.Contains(found, ch.Frequency) {
				found = append(found, ch.Frequency)
			}
			if names = append(names, ch.Frequency.String()); ch.Name != "" {
				names = append(names, ch.Name)
			}
		}
	}
	if len(found) == 0 {
		r.noSuch(v, "channel", name, names)
	}
	return found
}

// noSuch reports a name that nothing has, unless the zones could not be read.
func (r *reader) noSuch(v value, what, name string, names []string) {
	switch near := nearest.Name(name, names); {
	case r.told("zones") || r.told(v.path):
	case near != "":
		r.fail(v.path, "there is no %s %q; did you mean %q?", what, name, near)
	default:
		r.fail(v.path, "there is no %s %q in zones", what, name)
	}
}
