package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"squelch/server/config"
	"squelch/server/host"
	"squelch/server/radio"
	"squelch/server/radios"
	"squelch/server/rest"
)

// Limits of the debugging port: a profile may be taken for a minute.
const (
	debugHeaderTime = 5 * time.Second
	debugWriteTime  = 90 * time.Second
)

// debugPort serves metrics, readiness and profiles without credentials, apart from the
// radio's own port.
type debugPort struct {
	listener net.Listener
	server   *http.Server
	radios   atomic.Pointer[radios.Radios] // nil: they are starting
}

// openDebug opens the debugging port. An error names the flag.
func openDebug(address string) (*debugPort, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--debug-listen: %w", host.PortErrorOf("tcp", address, err))
	}
	p := &debugPort{listener: l}
	mux := http.NewServeMux()
	metrics := func(w http.ResponseWriter, r *http.Request, on *radio.Radio) { on.Metrics().ServeHTTP(w, r) }
	ready := func(w http.ResponseWriter, _ *http.Request, on *radio.Radio) { rest.Ready(w, on.Ready()) }
	for _, path := range []string{"", "/r/{radio}"} { // each radio has a page of its own, as on the radios' own port
		mux.HandleFunc("GET "+path+"/metrics", p.of(metrics))
		mux.HandleFunc("GET "+path+"/readyz", p.of(ready))
	}
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound) // flags may name what is nobody's business
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: debugHeaderTime, WriteTimeout: debugWriteTime}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// of serves a page of the radio that a request names: the default one, if none.
func (p *debugPort) of(page func(http.ResponseWriter, *http.Request, *radio.Radio)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		all := p.radios.Load()
		if all == nil {
			rest.Ready(w, starting)
			return
		}
		on := all.Find(cmp.Or(r.PathValue("radio"), config.MainRadio))
		if on == nil {
			http.Error(w, "there is no such radio, or it is not on the air", http.StatusNotFound)
			return
		}
		page(w, r, on)
	}
}

const starting = "the radio is starting"

// warning is what an operator should know of the address; "": nothing.
func (p *debugPort) warning() string {
	at, _ := p.listener.Addr().(*net.TCPAddr)
	if at == nil || at.IP.IsLoopback() {
		return ""
	}
	return fmt.Sprintf("metrics and profiles are open at %s to everybody who can reach it (--debug-listen); loopback or a private network is safer", at)
}

func (p *debugPort) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := p.server.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		_ = p.server.Close()
	}
}
