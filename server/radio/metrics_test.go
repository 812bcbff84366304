package radio_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"squelch/server/internal/testradio"
)

// page is what Prometheus reads, by Prometheus' own parser.
type page map[string]*dto.MetricFamily

// scrape reads the metrics of a radio.
func scrape(t *testing.T, url, token string) (page, string) {
	t.Helper()
	code, text := ask(t, url+"/metrics", token)
	if code != http.StatusOK {
		t.Fatalf("metrics: %d %s", code, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families, text
}

func ask(t *testing.T, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// value is that of a metric with these labels ("name", "value", …); of a histogram the
// number of its observations. -1: there is none.
func (p page) value(name string, labels ...string) float64 {
	for _, m := range p[name].GetMetric() {
		has := map[string]string{}
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		if len(has)*2 != len(labels) {
			continue
		}
		fits := true
		for i := 0; i < len(labels); i += 2 {
			fits = fits && has[labels[i]] == labels[i+1]
		}
		switch {
		case !fits:
		case m.Counter != nil:
			return m.Counter.GetValue()
		case m.Gauge != nil:
			return m.Gauge.GetValue()
		case m.Histogram != nil:
			return float64(m.Histogram.GetSampleCount())
		}
	}
	return -1
}

// TestPrometheusSeesTheRadio: two desks on a channel, one talks, the other is denied the
// floor. The figures are theirs, they are said as Prometheus wants it, and no counter falls
// when the talker leaves.
func TestPrometheusSeesTheRadio(t *testing.T) {
	s := testradio.Start(t, named("a token"))
	ear, talker := open(t, s.URL, "a token", -2), open(t, s.URL, "a token", -3)
	ear.does(t, "setSpeakerChannel", channel)
	talker.does(t, "setSpeakerChannel", channel)
	talker.does(t, "setTalking", true)
	for n := range 5 {
		if err := talker.Emit("voice", map[string]any{"frequency": channel, "data": base64.StdEncoding.EncodeToString([]byte{31 << 3, byte(n), 0, 0})}); err != nil {
			t.Fatal(err)
		}
	}
	talker.does(t, "addListeningChannel", channel) // its answer comes after the voice
	denied := make(chan error, 1)
	if err := ear.EmitAck("setTalking", patience, func(_ []json.RawMessage, err error) { denied <- err }, true); err != nil {
		t.Fatal(err)
	}
	if err := <-denied; err != nil {
		t.Fatal(err)
	}
	ask(t, s.URL+"/radio/dispatch/reauth", "a token") // a wrong method, which is no login
	var seen page
	want := map[string]float64{
		"squelch_users kind dispatcher link connected":          2,
		"squelch_users kind player link connected":              0,
		"squelch_channels":                                      1,
		"squelch_talkers":                                       1,
		"squelch_floor_grants_total kind key_up":                1,
		"squelch_floor_grants_total kind override":              0,
		"squelch_floor_denials_total reason busy":               1,
		"squelch_key_up_seconds link websocket":                 2,
		"squelch_voice_frames_in_total":                         5,
		"squelch_voice_frames_out_total transport socketio":     5,
		"squelch_voice_frames_out_total transport webrtc":       0,
		"squelch_voice_frames_dropped_total reason no_floor":    0,
		"squelch_sockets transport websocket":                   2,
		"squelch_sockets transport webrtc":                      0,
		"squelch_follower_lost_steps_total follower sockets":    0,
		"squelch_follower_waiting_steps follower sockets":       0,
		"squelch_storage_failing":                               0,
		"squelch_ready":                                         1,
		"squelch_logins_total surface dispatch result accepted": 0,
	}
	var text string
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) { // followers come a moment later
		seen, text = scrape(t, s.URL, "a token")
		wrong := ""
		for line, n := range want {
			words := strings.Fields(line)
			if got := seen.value(words[0], words[1:]...); got != n {
				wrong += line + ": " + strings.TrimSpace(text[:0]) + jsonOf(got) + ", want " + jsonOf(n) + "\n"
			}
		}
		if wrong == "" {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%s", wrong)
		}
	}
	if seen.value("squelch_store_write_seconds") < 0 || seen["squelch_build_info"] == nil || seen["go_goroutines"] == nil {
		t.Error("the disk, the version or the process is missing")
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	talker.Close()
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		after, _ := scrape(t, s.URL, "a token")
		for name, f := range seen {
			if f.GetType() != dto.MetricType_COUNTER || !strings.HasPrefix(name, "squelch_") {
				continue
			}
			for _, m := range f.GetMetric() {
				var labels []string
				for _, l := range m.GetLabel() {
					labels = append(labels, l.GetName(), l.GetValue())
				}
				if got := after.value(name, labels...); got < m.Counter.GetValue() {
					t.Errorf("%s %v falls from %v to %v", name, labels, m.Counter.GetValue(), got)
				}
			}
		}
		if after.value("squelch_talkers") == 0 && after.value("squelch_sockets", "transport", "websocket") == 1 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("the talker is still there")
		}
	}
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// TestMetricsAreForWhoMayReadThem, and readiness is for everybody. No profile is served
// beside them.
func TestMetricsAreForWhoMayReadThem(t *testing.T) {
	s := testradio.Start(t, named("a token"))
	if code, _ := ask(t, s.URL+"/metrics", ""); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", code)
	}
	if code, _ := ask(t, s.URL+"/metrics", "another token"); code != http.StatusUnauthorized {
		t.Errorf("with a wrong token: %d", code)
	}
	if code, text := ask(t, s.URL+"/readyz", ""); code != http.StatusOK || strings.TrimSpace(text) != `{"ready":true}` {
		t.Errorf("readiness: %d %s", code, text)
	}
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
		if code, text := ask(t, s.URL+path, "a token"); code != http.StatusNotFound {
			t.Errorf("%s: %d %.100s", path, code, text)
		}
	}
}

// TestTheHandbooksDashboardAndAlerts: every metric that they name is on the page of a
// radio, and every one of the service's metrics is on the dashboard or in an alert.
func TestTheHandbooksDashboardAndAlerts(t *testing.T) {
	s := testradio.Start(t, named("a token"))
	seen, text := scrape(t, s.URL, "a token")
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(text, -1) {
		if seen[line[1]] == nil {
			seen[line[1]] = &dto.MetricFamily{}
		}
	}
	folder := filepath.Join("..", "..", "handbook", "monitoring")
	dashboard, err := os.ReadFile(filepath.Join(folder, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(filepath.Join(folder, "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	check := func(where, expr string) {
		names := regexp.MustCompile(`\b(squelch|go|process)_[a-z0-9_]+\b`).FindAllString(regexp.MustCompile(`\{[^}]*\}|(by|on|without)\s*\([^)]*\)`).ReplaceAllString(expr, ""), -1)
		if len(names) == 0 && !strings.HasPrefix(expr, "up") {
			t.Errorf("%s: %q names no metric", where, expr)
		}
		for _, name := range names {
			base := name
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if cut, is := strings.CutSuffix(name, suffix); is && (seen[cut].GetType() == dto.MetricType_HISTOGRAM || neverYet[cut]) {
					base = cut
				}
			}
			if used[base] = true; seen[base] == nil && !neverYet[base] {
				t.Errorf("%s: there is no metric %s", where, name)
			}
		}
	}
	var board struct {
		Title, UID string
		Panels     []struct {
			Type, Title string
			Targets     []struct{ Expr string }
			Datasource  struct{ UID string }
		}
		Templating struct{ List []struct{ Name, Type string } }
	}
	if err := json.Unmarshal(dashboard, &board); err != nil || board.Title == "" || board.UID == "" {
		t.Fatalf("dashboard: %v", err)
	}
	panels := 0
	for _, p := range board.Panels {
		if p.Type == "row" {
			continue
		}
		panels++
		if p.Title == "" || len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
			t.Errorf("the panel %q has no title, no query or a data source of its own", p.Title)
		}
		for _, target := range p.Targets {
			check("dashboard, "+p.Title, target.Expr)
		}
	}
	var groups struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(rules, &groups); err != nil {
		t.Fatal(err)
	}
	alerts := 0
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			alerts++
			if r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("the alert %q lacks a severity, a summary or a description", r.Alert)
			}
			check("alert "+r.Alert, r.Expr)
		}
	}
	if panels < 12 || alerts < 8 {
		t.Errorf("%d panels and %d alerts", panels, alerts)
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if strings.HasPrefix(name, "squelch_") && !used[name] {
			t.Errorf("%s is neither on the dashboard nor in an alert", name)
		}
	}
}

// neverYet are metrics that begin with what they count, so that a radio that has just
// started does not have them: TestMetricsThatComeLater has them.
var neverYet = map[string]bool{"squelch_peer_loss_ratio": true, "squelch_peer_jitter_seconds": true, "squelch_key_up_seconds": true,
	"squelch_commands_refused_total": true, "squelch_webhook_behind_entries": true, "squelch_webhook_dead_letters": true, "squelch_webhook_sent_total": true,
	"squelch_webhook_failures_in_a_row": true, "squelch_recordings_bytes": true, "squelch_recordings_quota_bytes": true, "squelch_recordings_disk_free_bytes": true,
	"squelch_recordings": true, "squelch_recordings_on_air": true, "squelch_recordings_failing": true, "squelch_scripts": true,
	// These are of a radio with several nodes: metrics.TestMetricsOfACluster has them.
	"squelch_cluster_nodes": true, "squelch_cluster_peers": true, "squelch_cluster_majority": true, "squelch_cluster_write_seconds": true, "squelch_cluster_writes_failed_total": true,
	"squelch_cluster_takes_refused_total": true, "squelch_cluster_owned": true, "squelch_cluster_owns": true, "squelch_cluster_deaf": true, "squelch_cluster_differs": true,
	"squelch_cluster_epoch": true, "squelch_cluster_order": true, "squelch_cluster_pending_commands": true, "squelch_cluster_gaps_total": true, "squelch_cluster_resyncs_total": true,
	"squelch_cluster_mismatches_total": true, "squelch_cluster_takeovers_total": true, "squelch_cluster_stale_orders_total": true, "squelch_cluster_voice_frames_total": true,
	"squelch_cluster_voice_frames_dropped_total": true}
