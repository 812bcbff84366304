// Package metrics shows Prometheus how a radio is doing. Every radio has a registry of its
// own, so several may run in one process. What counts is counted where it happens, without
// a lock; everything else is looked at when it is asked for.
package metrics

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of reading the metrics.
const (
	// maxScrapes is how many readers are served at once; others get 503.
	maxScrapes = 4
	// scrapeTime is how long one reader may take: half of Prometheus' usual interval.
	scrapeTime = 8 * time.Second
)

// Options of New.
type Options struct {
	Build, Interface, Go string // versions
	// Look is called by each reader.
	Look func() Look
}

// Metrics are those of one radio. Its methods may be called from any goroutine. What counts
// is made when something is to be counted, or when somebody asks: a host may have many
// radios on which nothing happens.
type Metrics struct{ made func() *made }

// made is what counts.
type made struct {
	page http.Handler

	grants, denials *prometheus.CounterVec
	refusals        *prometheus.CounterVec
	logins          *prometheus.CounterVec
	keyUp           *prometheus.HistogramVec
	store           prometheus.Histogram
	jitter, loss    *prometheus.HistogramVec
}

// Buckets of the histograms. The radio is built for key-ups of 1 to 10 ms, a disk for
// flushes of 0.1 to 100 ms; a jitter buffer holds 20 to 200 ms; loss of 1 % is not heard,
// and of 20 % nothing is understood.
var (
	keyUpBuckets  = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1}
	storeBuckets  = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
	jitterBuckets = []float64{.001, .0025, .005, .01, .02, .04, .08, .16, .32}
	lossBuckets   = []float64{0, .001, .0025, .005, .01, .02, .05, .1, .2, .5}
)

// New makes the metrics of a radio.
func New(o Options) *Metrics {
	return &Metrics{sync.OnceValue(func() *made { return build(o) })}
}

// ServeHTTP serves the page.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.made().page.ServeHTTP(w, r) }

func build(o Options) *made {
	m := &made{
		grants: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "squelch_floor_grants_total",
			Help: "Talks that began, by how: an ordinary key-up, an override of somebody who talked, a microphone that a panic opened."}, []string{"kind"}),
		denials: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "squelch_floor_denials_total",
			Help: "Key-ups that were denied, by reason: busy (somebody talks), or what was wrong with the request."}, []string{"reason"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "squelch_commands_refused_total",
			Help: "Commands that the radio refused, by the kind of refusal."}, []string{"kind"}),
		logins: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "squelch_logins_total",
			Help: "Logins and guesses, by surface (dispatch, admin) and result: accepted, refused, locked_out."}, []string{"surface", "result"}),
		keyUp: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "squelch_key_up_seconds",
			Help: "From the arrival of a key-up to its answer, by the link that it came over.", Buckets: keyUpBuckets}, []string{"link"}),
		store: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "squelch_store_write_seconds",
			Help: "How long changes of the radio took until they were safe on the disk.", Buckets: storeBuckets}),
		jitter: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "squelch_peer_jitter_seconds",
			Help: "Jitter (RFC 3550, section 6.4.1) of WebRTC connections with voice, looked at every 5 s: up is what arrives here, down is what clients report.", Buckets: jitterBuckets}, []string{"direction"}),
		loss: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "squelch_peer_loss_ratio",
			Help: "Share of packets of a WebRTC connection that were lost in 5 s with voice.", Buckets: lossBuckets}, []string{"direction"}),
	}
	for _, kind := range []string{Ordinary, Override, HotMic} {
		m.grants.WithLabelValues(kind)
	}
	m.denials.WithLabelValues(Busy)
	for _, surface := range []string{"dispatch", "admin"} {
		for _, result := range []string{"accepted", "refused", "locked_out"} {
			m.logins.WithLabelValues(surface, result)
		}
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.grants, m.denials, m.refusals, m.logins, m.keyUp, m.store, m.jitter, m.loss, &looker{look: o.Look},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), built(o))
	m.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry, MaxRequestsInFlight: maxScrapes, Timeout: scrapeTime,
		ErrorHandling: promhttp.HTTPErrorOnError, EnableOpenMetrics: true})
	return m
}

// built is the metric of the versions.
func built(o Options) prometheus.Collector {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "squelch_build_info", Help: "Always 1; the labels are versions."}, []string{"version", "interface", "go"})
	g.WithLabelValues(o.Build, o.Interface, o.Go).Set(1)
	return g
}

// KeyUp notes how long the answer to a key-up took.
func (m *Metrics) KeyUp(link string, took time.Duration) {
	m.made().keyUp.WithLabelValues(link).Observe(took.Seconds())
}

// Stored notes how long changes took until they were on the disk.
func (m *Metrics) Stored(took time.Duration) { m.made().store.Observe(took.Seconds()) }

// Login notes a login or a guess.
func (m *Metrics) Login(surface, result string) {
	m.made().logins.WithLabelValues(surface, result).Inc()
}
