// Package testradio puts a whole radio on the air in the process of a test or a
// benchmark, on free ports of this machine.
package testradio

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"squelch/server/cluster"
	"squelch/server/config"
	"squelch/server/host"
	"squelch/server/radio"
	"squelch/server/radios"
	"squelch/sfu"
)

// Options of Start and Open. All are optional; the comments give the defaults.
type Options struct {
	Config  *config.Loaded // the demo radio; closed when the radio ends
	Data    string         // the data folder, which may have been used before; default: a fresh one
	Listen  string         // 127.0.0.1:0
	Journal string         // none
	Log     io.Writer      // of the service; default: the test's own
	// Reread reads the configuration again, see radio.Options.
	Reread func(ctx context.Context) (*config.Loaded, []string, error)
	Node   *cluster.Node // of a cluster that has the radio; nil: it is alone
}

// Service is a radio on the air.
type Service struct {
	URL, Data string
	Radios    *radios.Radios // those of its host, itself among them

	stop  context.CancelFunc
	ended chan struct{}
	err   error // valid once ended is closed
}

// Start puts a radio on the air. It ends with the test, unless Stop was called
// before.
func Start(t testing.TB, o Options) *Service {
	t.Helper()
	s, err := Open(t, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("the radio ended with: %v", err)
		}
	})
	return s
}

// Open is Start for a radio that may fail to start; the caller stops it.
func Open(t testing.TB, o Options) (*Service, error) {
	t.Helper()
	if o.Config == nil {
		o.Config = config.Default()
	}
	if o.Data == "" {
		o.Data = filepath.Join(t.TempDir(), "data")
	}
	h, voice, r, err := begin(t, o)
	if err != nil {
		o.Config.Callbacks.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Service{URL: h.URL(), Data: o.Data, Radios: r, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		defer o.Config.Callbacks.Close()
		err := h.Run(ctx, r)
		voice.Close()
		s.err = errors.Join(err, h.Close())
	}()
	return s, nil
}

// begin starts host and radio as the program does.
func begin(t testing.TB, o Options) (*host.Host, *sfu.Ports, *radios.Radios, error) {
	if o.Log == nil {
		o.Log = t.Output()
	}
	logger := slog.New(slog.NewTextHandler(o.Log, nil))
	h, err := host.Open(t.Context(), host.Options{Data: o.Data, TLS: host.TLS(o.Config.Server.TLS), Log: logger})
	if err != nil {
		return nil, nil, nil, err
	}
	storage := radio.OnStore(h.Store())
	if o.Node != nil {
		o.Config.Server.Cluster = cmp.Or(o.Config.Server.Cluster, &config.Cluster{Node: o.Node.Name()})
		kept, err := o.Node.Radio(t.Context(), config.MainRadio, 0)
		if err != nil {
			return nil, nil, nil, errors.Join(err, h.Close())
		}
		storage = radio.OnKeep(kept)
	}
	_, err = radio.Secrets(t.Context(), storage.Secrets, o.Config)
	if err == nil {
		err = h.Listen(cmp.Or(o.Listen, "127.0.0.1:0"))
	}
	if err == nil {
		err = h.OpenMedia(host.Media{UDP: "127.0.0.1:0"})
	}
	if err != nil {
		return nil, nil, nil, errors.Join(err, h.Close())
	}
	w := o.Config.Server.WebRTC
	voice, err := sfu.OpenPorts(sfu.Network{UDPConn: h.UDP(), TCPListener: h.TCP(), PublicAddresses: w.PublicAddresses, Engine: sfu.Engine(w.Engine)})
	if err != nil {
		return nil, nil, nil, errors.Join(err, h.Close())
	}
	r, err := radios.Start(t.Context(), radios.Options{Data: o.Data, Default: radio.Options{Config: o.Config, Reread: o.Reread, Store: storage, Cluster: o.Node, Folder: o.Data, Ports: voice,
		Panel: http.NotFoundHandler(), Journal: o.Journal, Build: "test", Log: logger}})
	if err != nil {
		voice.Close()
		return nil, nil, nil, errors.Join(err, h.Close())
	}
	return h, voice, r, nil
}

// Stop ends the radio as a signal ends the program, and waits.
func (s *Service) Stop() error {
	s.stop()
	<-s.ended
	return s.err
}
