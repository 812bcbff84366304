package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"squelch/core"
	"squelch/server/engine"
	"squelch/server/logs"
	"squelch/sfu"
)

// Look is the radio at one moment.
type Look struct {
	Ready bool // it takes traffic
	Radio *Radio
	Voice sfu.Totals

	Followers []engine.Progress
	Sockets   map[string]int // by transport
	Sessions  int
	Backlog   int64 // bytes that wait for clients

	StorageFailing bool
	Recordings     *Recordings // nil: there are none
	Webhooks       []Webhook
	Scripts        map[string]int // by state

	Cluster *Cluster // nil: the radio has one node

	LogLines [logs.Verbose + 1]uint64
	LogLost  uint64
}

// Radio is what the core knows.
type Radio struct {
	Users                                                 map[UserKind]int
	Channels, Talkers, Alerts, Panics, Patches, Emergency int
}

// UserKind tells users apart.
type UserKind struct {
	Dispatcher, Connected bool
}

// Recordings is what is on the shelf.
type Recordings struct {
	Bytes, Quota, Free int64 // Quota 0: no limit; Free below 0: not known
	Count, OnAir       int
	Failing            bool
}

// Webhook is how one is doing.
type Webhook struct {
	Name       string
	Sent, Dead int
	Behind     uint64
	Failures   int
	Stopped    bool
}

// LookAt reads the core's part of a look. It runs on the engine's goroutine.
func LookAt(v core.View) *Radio {
	r := &Radio{Users: map[UserKind]int{}, Patches: len(v.Patches()), Alerts: len(v.Alerts()), Panics: len(v.Panics())}
	for _, dispatcher := range []bool{true, false} {
		for _, connected := range []bool{true, false} {
			r.Users[UserKind{dispatcher, connected}] = 0
		}
	}
	for _, u := range v.OnTheRadio() {
		r.Users[UserKind{u.ID.Dispatcher(), !u.Lost}]++
	}
	talkers := map[core.UserID]bool{}
	for _, row := range v.Routes().All() {
		talkers[row.Talker] = true
	}
	r.Talkers, r.Channels = len(talkers), len(v.ActiveChannels())
	for _, e := range v.Emergencies() {
		if e.ClosedAt == 0 {
			r.Emergency++
		}
	}
	return r
}

// described are the metrics of a look, in the order below.
var described []*prometheus.Desc

func describe(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("squelch_"+name, help, labels, nil)
	described = append(described, d)
	return d
}

var (
	ready      = describe("ready", "1 if the radio takes traffic, as /readyz says.")
	users      = describe("users", "Users on the radio: players and dispatchers, connected or with a lost link.", "kind", "link")
	channels   = describe("channels", "Channels with somebody on them.")
	talkers    = describe("talkers", "Users who talk now.")
	alerts     = describe("alerts", "Alerts that are on.")
	panics     = describe("panics", "Panics that are on.")
	patches    = describe("patches", "Patches.")
	emergency  = describe("emergencies_open", "Emergency records that are not closed.")
	sockets    = describe("sockets", "Links of clients, by transport.", "transport")
	sessions   = describe("sessions", "Sessions of dispatchers and bots.")
	backlog    = describe("client_backlog_bytes", "Bytes that wait for clients that read slowly.")
	peers      = describe("voice_peers", "WebRTC connections.")
	framesIn   = describe("voice_frames_in_total", "Frames of voice that came with a floor; one on two channels counts twice.")
	framesOut  = describe("voice_frames_out_total", "Frames of voice to listeners, by transport.", "transport")
	dropped    = describe("voice_frames_dropped_total", "Frames of voice that were not heard, by reason: no_floor, stranger (no user of the radio), late, lost_on_line, flood, malformed, no_form (some listeners could not take it, or it came too late for them), container (not for WebRTC), unsent.", "reason")
	transcoded = describe("voice_transcoded_blocks_total", "Blocks of 20 ms that went through the vocoder: to IMBE, and to sound.", "to")
	waiting    = describe("follower_waiting_steps", "Steps of the radio that a follower has not delivered yet.", "follower")
	lost       = describe("follower_lost_steps_total", "Steps that a follower could not take or deliver.", "follower")
	storage    = describe("storage_failing", "1 while nothing can be written to the data folder.")
	recBytes   = describe("recordings_bytes", "Size of all recordings.")
	recQuota   = describe("recordings_quota_bytes", "How large they may become; 0: no limit.")
	recFree    = describe("recordings_disk_free_bytes", "Free space on their disk.")
	recCount   = describe("recordings", "Recordings on the shelf.")
	recOnAir   = describe("recordings_on_air", "Talks that are being recorded.")
	recFailing = describe("recordings_failing", "1 while the shelf cannot be kept.")
	hookSent   = describe("webhook_sent_total", "Events that a webhook's receiver took.", "webhook")
	hookDead   = describe("webhook_dead_letters", "Events that it did not take.", "webhook")
	hookBehind = describe("webhook_behind_entries", "Entries of the timeline that wait for it.", "webhook")
	hookFails  = describe("webhook_failures_in_a_row", "Its last attempts that failed.", "webhook")
	scripts    = describe("scripts", "Scripts in the service, by state.", "state")
	lines      = describe("log_lines_total", "Lines of the log, by level.", "level")
	linesLost  = describe("log_lines_lost_total", "Lines of the log that were left out.")
)

// looker is the collector of what is looked at.
type looker struct{ look func() Look }

func (l *looker) Describe(to chan<- *prometheus.Desc) {
	for _, d := range described {
		to <- d
	}
}

func (l *looker) Collect(to chan<- prometheus.Metric) {
	at := l.look()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	gauge(ready, yes(at.Ready))
	if r := at.Radio; r != nil {
		for kind, n := range r.Users {
			gauge(users, float64(n), pick(kind.Dispatcher, "dispatcher", "player"), pick(kind.Connected, "connected", "lost"))
		}
		gauge(channels, float64(r.Channels))
		gauge(talkers, float64(r.Talkers))
		gauge(alerts, float64(r.Alerts))
		gauge(panics, float64(r.Panics))
		gauge(patches, float64(r.Patches))
		gauge(emergency, float64(r.Emergency))
	}
	for transport, n := range at.Sockets {
		gauge(sockets, float64(n), transport)
	}
	gauge(sessions, float64(at.Sessions))
	gauge(backlog, float64(at.Backlog))
	v := at.Voice
	gauge(peers, float64(v.Peers))
	counter(framesIn, v.In)
	counter(framesOut, v.OutSockets, "socketio")
	counter(framesOut, v.OutPeers, "webrtc")
	for reason, n := range map[string]uint64{"no_floor": v.Unrouted, "stranger": v.Strangers, "late": v.LineLate, "lost_on_line": v.LineLost, "flood": v.Flooded,
		"malformed": v.Malformed, "no_form": v.Dropped, "container": v.Opaque, "unsent": v.OutDropped} {
		counter(dropped, n, reason)
	}
	counter(transcoded, v.Encoded, "imbe")
	counter(transcoded, v.Decoded, "sound")
	for _, f := range at.Followers {
		gauge(waiting, float64(f.Waiting), f.Name)
		counter(lost, uint64(f.Lost), f.Name)
	}
	gauge(storage, yes(at.StorageFailing))
	if r := at.Recordings; r != nil {
		gauge(recBytes, float64(r.Bytes))
		gauge(recQuota, float64(r.Quota))
		if r.Free >= 0 {
			gauge(recFree, float64(r.Free))
		}
		gauge(recCount, float64(r.Count))
		gauge(recOnAir, float64(r.OnAir))
		gauge(recFailing, yes(r.Failing))
	}
	for _, h := range at.Webhooks {
		counter(hookSent, uint64(h.Sent), h.Name)
		gauge(hookDead, float64(h.Dead), h.Name)
		gauge(hookBehind, float64(h.Behind), h.Name)
		gauge(hookFails, float64(h.Failures), h.Name)
	}
	for state, n := range at.Scripts {
		gauge(scripts, float64(n), state)
	}
	for level, n := range at.LogLines {
		counter(lines, n, logs.Name(level))
	}
	counter(linesLost, at.LogLost)
	if at.Cluster != nil {
		at.Cluster.collect(to, gauge, counter)
	}
}

func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func pick(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
