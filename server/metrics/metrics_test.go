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
	m.refusals.WithLabelValues("forbidden").Inc()
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
