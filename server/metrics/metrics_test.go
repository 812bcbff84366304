package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/sfu"
	"squelch/sfu/stream"
)

// text is the page of these metrics.
func (m *Metrics) text() string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// TestMetricsThatComeLater: a radio with recordings, a webhook and scripts.
func TestMetricsThatComeLater(t *testing.T) {
	m := New(Options{Look: func() Look {
		return Look{Recordings: &Recordings{Bytes: 7, Free: 9}, Webhooks: []Webhook{{Name: "cad", Behind: 3, Dead: 2}}, Scripts: map[string]int{"running": 1}}
	}})
	m.KeyUp("webrtc", 3*time.Millisecond)
	m.made().refusals.WithLabelValues("forbidden").Inc()
	text := m.text()
	for _, line := range []string{"squelch_recordings_bytes 7", "squelch_recordings_disk_free_bytes 9", `squelch_webhook_behind_entries{webhook="cad"} 3`,
		`squelch_webhook_dead_letters{webhook="cad"} 2`, `squelch_scripts{state="running"} 1`, `squelch_key_up_seconds_bucket{link="webrtc",le="0.005"} 1`,
		`squelch_key_up_seconds_bucket{link="webrtc",le="0.0025"} 0`, `squelch_commands_refused_total{kind="forbidden"} 1`, "squelch_recordings_failing 0",
		`squelch_webhook_sent_total{webhook="cad"} 0`, `squelch_webhook_failures_in_a_row{webhook="cad"} 0`, "squelch_recordings_quota_bytes 0", "squelch_recordings 0", "squelch_recordings_on_air 0"} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// TestMetricsOfACluster: what the nodes of one radio show.
func TestMetricsOfACluster(t *testing.T) {
	at := &Cluster{Alive: 2, Missing: 1, Peers: 1, Majority: true, Writes: 10, Failed: 2, Refused: 3, Bounds: []float64{.001, .1}, Within: []uint64{4, 9}, Seconds: .5,
		Owned: true, Owns: true, Epoch: 7, Order: 4711, Pending: 5, Gaps: 6, Resyncs: 8, Mismatches: 9, Takeovers: 11, Stale: 12, VoiceSent: 13, VoiceReceived: 14, VoiceDropped: 15}
	text := New(Options{Look: func() Look { return Look{Cluster: at} }}).text()
	for _, line := range []string{`nodes{state="alive"} 2`, `nodes{state="missing"} 1`, "peers 1", "majority 1", `write_seconds_bucket{le="0.001"} 4`, `write_seconds_bucket{le="+Inf"} 10`,
		"write_seconds_sum 0.5", "writes_failed_total 2", "takes_refused_total 3", "owned 1", "owns 1", "deaf 0", "differs 0", "epoch 7", "order 4711", "pending_commands 5", "gaps_total 6",
		"resyncs_total 8", "mismatches_total 9", "takeovers_total 11", "stale_orders_total 12", `voice_frames_total{direction="sent"} 13`, `voice_frames_total{direction="received"} 14`,
		"voice_frames_dropped_total 15"} {
		if !strings.Contains(text, "squelch_cluster_"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	at.Peers = -1
	if text := New(Options{Look: func() Look { return Look{Cluster: at} }}).text(); strings.Contains(text, "squelch_cluster_peers") {
		t.Error("an existing NATS does not say with how many nodes this one is connected")
	}
	if text := New(Options{Look: func() Look { return Look{} }}).text(); strings.Contains(text, "squelch_cluster_") {
		t.Error("a radio with one node has no cluster")
	}
}

// TestHowWellClientsAreHeard: loss and jitter are those of the last five seconds with
// voice; a silent client, a new one, and one that has come back count nothing.
func TestHowWellClientsAreHeard(t *testing.T) {
	m := New(Options{Look: func() Look { return Look{} }})
	p := m.Peers()
	peer := func(id core.UserID, got, lost uint64, sent, missed uint64) sfu.PeerStats {
		return sfu.PeerStats{User: id, Up: stream.InStats{Packets: got, Lost: lost, Jitter: 3 * time.Millisecond},
			Slots: []sfu.SlotStats{{Packets: sent, Lost: missed, Jitter: 30 * time.Millisecond}}}
	}
	p.See([]sfu.PeerStats{peer(7, 100, 50, 0, 0)})                           // it is new
	p.See([]sfu.PeerStats{peer(7, 196, 54, 0, 0), peer(8, 1000, 500, 0, 0)}) // 4 of 100 are lost
	p.See([]sfu.PeerStats{peer(7, 196, 54, 200, 20)})                        // silent, and hears 180 of 200
	p.See([]sfu.PeerStats{peer(7, 10, 0, 5, 0)})                             // another connection
	text := m.text()
	for _, line := range []string{`squelch_peer_loss_ratio_sum{direction="up"} 0.04`, `squelch_peer_loss_ratio_count{direction="up"} 1`,
		`squelch_peer_loss_ratio_sum{direction="down"} 0.1`, `squelch_peer_loss_ratio_count{direction="down"} 1`,
		`squelch_peer_jitter_seconds_sum{direction="up"} 0.003`, `squelch_peer_jitter_seconds_sum{direction="down"} 0.03`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}
