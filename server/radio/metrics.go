package radio

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/metrics"
)

// lookTime is how long the engine may take to answer a reader of the metrics.
const lookTime = 2 * time.Second

func (r *Radio) openMetrics(build string) {
	r.metrics = metrics.New(metrics.Options{Build: build, Interface: wire.Version, Go: runtime.Version(), Look: r.look})
}

// Metrics is the page of figures for monitoring, which asks for no credentials.
func (r *Radio) Metrics() http.Handler { return r.metrics }

// Ready says why the radio takes no traffic; "": it does.
func (r *Radio) Ready() string {
	select {
	case <-r.onAir:
	default:
		return "the radio is starting"
	}
	select {
	case <-r.leaving:
		return "the service is stopping"
	default:
	}
	if reason := r.keeper.Reason(); reason != "" {
		return "storage unavailable: " + reason
	}
	return r.member.notReady()
}

// look is the radio at this moment.
func (r *Radio) look() (at metrics.Look) {
	at.Ready = r.Ready() == ""
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	_ = r.engine.View(ctx, func(v core.View) { at.Radio = metrics.LookAt(v) }) // an engine that has ended shows nothing
	at.Voice = r.sfu.Totals()
	at.Followers = r.engine.Progress()
	at.Sockets = r.hub.Links()
	at.Sessions = len(r.sessions.List())
	at.Backlog = r.sio.Stats().BacklogBytes
	at.StorageFailing = r.keeper.Reason() != ""
	if r.shelf != nil {
		s := r.shelf.State()
		at.Recordings = &metrics.Recordings{Bytes: s.Bytes, Quota: s.Quota, Free: s.FreeBytes, Count: s.Recordings, OnAir: s.OnAir, Failing: s.Problem != ""}
	}
	if list, err := r.webhooks.List(""); err == nil {
		for _, h := range list.Webhooks {
			at.Webhooks = append(at.Webhooks, metrics.Webhook{Name: h.Name, Sent: h.Sent, Dead: h.Dead, Behind: h.Behind, Failures: h.Failures})
		}
	}
	if r.member != nil {
		at.Cluster = r.member.figures(ctx)
	}
	at.Scripts = map[string]int{}
	for _, s := range r.scripts.List() {
		at.Scripts[s.State]++
	}
	if r.lines != nil {
		at.LogLines, at.LogLost = r.lines.Counts()
	}
	return at
}

// watchPeers notes how well the connections of clients are doing, until the radio ends.
func (r *Radio) watchPeers() {
	peers := r.metrics.Peers()
	every := time.NewTicker(metrics.PeersEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			peers.See(r.sfu.Stats().Peers)
		case <-r.quit:
			return
		}
	}
}
