package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"squelch/server/host"
	"squelch/server/radio"
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
	radio    atomic.Pointer[radio.Radio] // nil: it is starting
}

// openDebug opens the debugging port. An error names the flag.
func openDebug(address string) (*debugPort, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--debug-listen: %w", host.PortErrorOf("tcp", address, err))
	}
	p := &debugPort{listener: l}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if on := p.radio.Load(); on != nil {
			on.Metrics().ServeHTTP(w, r)
			return
		}
		rest.Ready(w, starting)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if on := p.radio.Load(); on != nil {
			rest.Ready(w, on.Ready())
			return
		}
		rest.Ready(w, starting)
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound) // flags may name what is nobody's business
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: debugHeaderTime, WriteTimeout: debugWriteTime}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
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
