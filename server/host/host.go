// Package host is what a radio of this process stands on: the listener with its TLS,
// the data folder, and the ports of voice. It knows nothing of a radio but how to
// serve and how to end it.
package host

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"squelch/server/logs"
	"squelch/server/store"
)

// stopTime is how long clients and writes have to end when the service stops.
const stopTime = 10 * time.Second

// Options of Open.
type Options struct {
	Data string // the data folder
	TLS  TLS
	// Timeline is how many records of the timeline are kept; 0: the store decides.
	Timeline int
	Log      *slog.Logger // for operators; required
}

// Host is the open data folder and, after Listen and OpenMedia, the open ports. Its
// methods must not be called concurrently.
type Host struct {
	data     string
	timeline int
	tls      TLS
	log      *slog.Logger
	store    *store.Store
	web      net.Listener
	udp      *net.UDPConn
	tcp      net.Listener
	scheme   string
	server   *http.Server
}

// Radio is what a host serves.
type Radio interface {
	http.Handler
	// HangUp ends the radio's sockets; requests are still answered.
	HangUp(ctx context.Context) error
	// Close ends the radio. It is called when no request is running any more.
	Close()
}

// Open opens the data folder; the errors are those of store.Open.
func Open(ctx context.Context, o Options) (*Host, error) {
	h := &Host{data: o.Data, tls: o.TLS, log: o.Log, timeline: o.Timeline}
	if err := h.open(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Host) open(ctx context.Context) error {
	opened, err := store.Open(ctx, h.data, store.Options{Logf: logs.Printf(h.log, logs.Notice), TimelineMax: h.timeline})
	if err == nil {
		h.store = opened
	}
	return err
}

// SetAside has the data folder begin anew, and what it holds is in the new folder to. If that
// fails, the data folder is as it was; open is false if it could not be opened again. Nobody
// may use the store meanwhile.
func (h *Host) SetAside(ctx context.Context, to string) (open bool, err error) {
	if err := h.store.Close(); err != nil {
		return false, err
	}
	err = store.SetAside(ctx, h.data, to)
	if again := h.open(context.WithoutCancel(ctx)); again != nil { // also if the service is to stop meanwhile
		return false, errors.Join(err, again)
	}
	return true, err
}

// Store returns the data folder.
func (h *Host) Store() *store.Store { return h.store }

// URL returns where the host listens: scheme, address and port.
func (h *Host) URL() string { return h.scheme + "://" + h.web.Addr().String() }

// Run serves a radio until ctx ends or the listener fails, and then ends it from the
// outside in: sockets, then requests, then the radio.
func (h *Host) Run(ctx context.Context, r Radio) error {
	h.server.Handler = h.strict(r)
	ended := make(chan error, 1)
	go func() { ended <- h.serve() }()
	var err error
	select {
	case <-ctx.Done():
		h.log.Info("stopping")
	case err = <-ended:
		ended <- nil
	}
	stop, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := r.HangUp(stop); err != nil {
		h.log.Warn("clients did not leave in time", "error", err)
	}
	if err := h.server.Shutdown(stop); err != nil {
		h.log.Warn("requests did not end in time", "error", err)
		_ = h.server.Close() // requests that are still open have had their time
	}
	<-ended
	r.Close()
	return err
}

// Close closes the ports and the data folder.
func (h *Host) Close() error {
	if h.web != nil {
		_ = h.web.Close() // closed already if a radio has run
	}
	h.closeMedia()
	return h.store.Close()
}
