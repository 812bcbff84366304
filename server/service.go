package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/audit"
	"squelch/server/config"
	"squelch/server/engine"
	"squelch/server/keeper"
	"squelch/server/replaycmd/journal"
	"squelch/server/rest"
	"squelch/server/session"
	"squelch/server/sio"
	"squelch/server/socket"
	"squelch/server/store"
	"squelch/server/tones"
	"squelch/sfu"
)

const (
	// stopTime is how long clients and writes have to end when the service stops.
	stopTime = 10 * time.Second
	// sweepEvery is how often sessions whose time is over are cleared away.
	sweepEvery = 5 * time.Minute
)

// service is everything that runs, in the order in which it was started.
type service struct {
	loaded   *config.Loaded
	data     string
	store    *store.Store
	audit    *audit.Log
	keeper   *keeper.Keeper
	sessions *session.Manager
	lockout  *session.Lockout
	guesses  *session.Lockout
	sfu      *sfu.SFU
	sio      *sio.Server
	hub      *socket.Hub
	editor   *admin.Editor
	engine   *engine.Engine
	http     *http.Server
	log      *log.Logger
	state    *core.State     // the engine's, to be read only when that has ended
	journal  *journal.Writer // nil: none is written
	host     string          // of the listen address
}

// runService starts the service, serves until ctx ends, and stops in order.
// journalFile is the file of the journal; "" : none.
func runService(ctx context.Context, loaded *config.Loaded, listen, data, journalFile string, allowDefault bool) (err error) {
	s := &service{loaded: loaded, data: data, log: log.New(os.Stderr, "", log.LstdFlags)}
	s.store, err = store.Open(ctx, data, store.Options{Logf: s.log.Printf})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	if err := s.secrets(ctx); err != nil {
		return err
	}
	warnings, err := config.CheckSecrets(listen, loaded.Server, allowDefault)
	if err != nil {
		return err
	}
	note, err := config.CheckExternal(listen, loaded.Server)
	if err != nil {
		return err
	}
	if short := config.WarnOfShortToken(loaded.Server); short != "" {
		warnings = append(warnings, short)
	}
	for _, w := range append(loaded.Warnings, warnings...) {
		s.log.Printf("warning: %s", w)
	}
	if note != "" {
		s.log.Print(note)
	}
	loaded.Callbacks.Logf(s.log.Printf)
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen, or serverPort of the configuration: %w", err)
	}
	defer listener.Close()
	s.host, _, _ = net.SplitHostPort(listener.Addr().String())
	if err := s.start(ctx, journalFile); err != nil {
		return err
	}
	defer s.stop()
	return s.serve(ctx, listener)
}

// secrets fills in what the configuration does not give, from the first start.
func (s *service) secrets(ctx context.Context) error {
	c := &s.loaded.Server
	for _, secret := range []struct {
		name string
		at   *string
		make func() ([]byte, error)
	}{
		{"authToken", &c.AuthToken, randomToken},
		{"dispatchNacId", &c.DispatchNacID, randomNac},
		{"adminPassword", &c.AdminPassword, randomPassword},
	} {
		if *secret.at != "" {
			continue
		}
		v, created, err := s.store.Secrets().Ensure(ctx, secret.name, secret.make)
		if err != nil {
			return err
		}
		*secret.at = string(v)
		if created { // at once: a start that fails later would keep it to itself
			fmt.Printf("generated %-14s %s\n", secret.name, v)
		}
	}
	s.loaded.SetDispatchNac(c.DispatchNacID)
	return nil
}

// start builds the radio, inside out: state, media, sockets, engine, REST.
func (s *service) start(ctx context.Context, journalFile string) error {
	limits := s.loaded.Server.Limits
	var err error
	s.audit = audit.New(s.store.Audit(), time.Now)
	s.keeper = keeper.New(keeper.Options{Store: s.store, Log: s.audit, Logf: s.log.Printf})
	s.sessions, err = session.New(s.keeper.Guard(s.store.Sessions()), session.Options{MasterToken: s.loaded.Server.AuthToken, DispatchNac: s.loaded.Server.DispatchNacID,
		Lifetime: limits.SessionLifetime, MaxSessions: limits.Sessions, MaxPerLogin: limits.SessionsPerLogin})
	if err != nil {
		return err
	}
	lock := session.LockoutOptions{Failures: limits.FailedLogins, Window: limits.FailedLoginWindow, LockTime: limits.LockOut}
	s.lockout, s.guesses = session.NewLockout(lock), session.NewLockout(lock)
	if s.editor, s.loaded.Core, err = admin.OpenEditor(s.keeper.Guard(s.store.Config()), s.loaded.Core); err != nil {
		return err
	}
	if note := s.editor.StartNote(); note != "" {
		s.log.Print(note)
	}
	if s.state, err = s.restore(ctx); err != nil {
		return err
	}
	s.sfu = sfu.New(sfu.Options{Heard: func(u core.UserID, f core.Frequency) {
		s.engine.Post(core.Actor{User: u, Surface: core.BySystem}, core.Heard{User: u, Frequency: f})
	}})
	if err := s.listenVoice(); err != nil {
		return err
	}
	s.sio = sio.NewServer(sio.Options{PingInterval: limits.PingInterval, PingTimeout: limits.PingTimeout,
		MaxPayload: limits.MessageBytes, MaxSessions: limits.Sockets, MaxSessionsPerAddress: limits.SocketsPerAddress,
		RecoveryWindow: time.Duration(s.loaded.Core.ResumeWindow) * time.Millisecond, Logf: s.log.Printf})
	s.hub = socket.NewHub(socket.Options{Engine: func() *engine.Engine { return s.engine }, Server: s.sio,
		Gate: socket.NewGate(s.sessions, s.guesses), Facts: s.facts, Media: s.sfu, Now: time.Now, PublicURL: s.loaded.Server.Address,
		EventsPerSecond: limits.EventsPerSecond, VoiceBytes: limits.VoiceBytes, Logf: s.log.Printf})
	sinks := engine.Sinks{Routes: s.sfu.SetRoutes, Tell: s.hub.Tell, Keep: s.keeper.Keep, Probe: s.keeper.Probe}
	if err := s.beginJournal(journalFile, &sinks); err != nil {
		return err
	}
	s.engine = engine.Start(s.state, sinks, time.Now)
	s.keeper.Tell(s.tellStorage)
	s.keeper.Probe(ctx) // a disk may have been full before
	handler, err := s.handler()
	if err != nil {
		return err
	}
	s.http = rest.NewServer(handler, s.log)
	return nil
}

// tellStorage tells the radio why nothing can be stored; "": it can again.
func (s *service) tellStorage(reason string) {
	err := s.engine.Apply(context.Background(), core.Actor{Surface: core.BySystem}, core.SetStorage{Reason: reason})
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		s.log.Printf("the radio does not know of its storage: %v", err)
	}
}

// beginJournal writes down the radio as it is before the first client.
func (s *service) beginJournal(path string, sinks *engine.Sinks) error {
	if path == "" {
		return nil
	}
	start := wire.Start{Config: *s.state.View().Config(), Data: s.state.Snapshot()}
	var err error
	if s.journal, err = journal.Create(path, buildVersion(), start, s.log.Printf); err != nil {
		return err
	}
	sinks.Log = s.journal.Log
	return nil
}

// listenVoice opens the WebRTC ports on the host that the service listens on.
func (s *service) listenVoice() error {
	w := s.loaded.Server.WebRTC
	n := sfu.Network{UDP: net.JoinHostPort(s.host, strconv.Itoa(w.UDPPort)), PublicAddress: w.PublicAddress,
		Peers: s.loaded.Server.Limits.WebRTCPeers}
	if w.TCPPort != 0 {
		n.TCP = net.JoinHostPort(s.host, strconv.Itoa(w.TCPPort))
	}
	err := s.sfu.Listen(n)
	var port *net.OpError
	if errors.As(err, &port) { // most often: another service has it
		key := "webrtc.udpPort"
		if port.Net == "tcp" {
			key = "webrtc.tcpPort"
		}
		return fmt.Errorf("%s of the configuration: %w", key, port)
	}
	return err
}

// restore puts the radio back to what was acknowledged before the last stop.
func (s *service) restore(ctx context.Context) (*core.State, error) {
	snap, found, err := s.store.LatestSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	var d core.Data
	if found {
		if snap.Format != keeper.Format {
			return nil, fmt.Errorf("the data folder %s holds a snapshot of format %d; this program reads %d", s.data, snap.Format, keeper.Format)
		}
		if err := json.Unmarshal(snap.Data, &d); err != nil {
			return nil, fmt.Errorf("the data folder %s holds a snapshot that cannot be read: %w", s.data, err)
		}
	}
	state, err := core.Restore(s.loaded.Core, d)
	if err != nil {
		return nil, err
	}
	players := s.sessions.Players()
	for _, id := range wire.SortedKeys(players) {
		var p wire.PlayerConnect
		if wire.Decode(players[id], &p) != nil {
			continue
		}
		if _, err := state.Step(time.Now(), core.Actor{Surface: core.BySystem}, core.Register{User: core.UserID(id), Facts: p.Facts()}); err != nil {
			s.log.Printf("player %d is not registered again: %v", id, err)
		}
	}
	return state, nil
}

// facts asks the callbacks about a user who connects.
func (s *service) facts(ctx context.Context, id core.UserID, who socket.Identity) core.Facts {
	f := core.Facts{Name: who.Name, Nac: who.Nac}
	switch {
	case id.Player():
		s.ask(ctx, id, &f)
	case !who.Key: // a key's name is no callsign
		f.Callsign = who.Name
	}
	return f
}

// ask fills in the answers of Config's callbacks about a player.
func (s *service) ask(ctx context.Context, id core.UserID, f *core.Facts) {
	c := s.loaded.Callbacks
	f.CallbackName = c.PlayerName(ctx, int(id))
	f.CallbackNac = c.NacID(ctx, int(id))
	f.Refused = !c.RadioAccess(ctx, int(id))
}

func (s *service) handler() (*rest.Handler, error) {
	l := s.loaded.Server
	files := []fs.FS{tones.FS()}
	if root, err := os.OpenRoot(l.ToneFolder); l.ToneFolder != "" && err == nil { // no way out of it, by links either
		files = append([]fs.FS{root.FS()}, files...)
	}
	administration, err := s.administration()
	if err != nil {
		return nil, err
	}
	return rest.New(rest.Options{
		Admin:  administration,
		Engine: s.engine, Sessions: s.sessions, Audit: s.keeper.Audit(s.audit), Health: s.keeper.Reason, Lockout: s.lockout, Guesses: s.guesses,
		Limiter: session.NewLimiter(float64(l.Limits.RestPerSecond), l.Limits.RestBurst, nil), MaxBody: int64(l.Limits.BodyBytes),
		Logins:        session.NewLimiter(float64(l.Limits.LoginsPerSecond), l.Limits.LoginBurst, nil),
		Reauths:       session.NewLimiter(float64(l.Limits.ReauthsPerSecond), l.Limits.ReauthBurst, nil),
		MasterReauths: session.NewLimiter(float64(l.Limits.MasterReauthsPerSecond), l.Limits.MasterReauthBurst, nil),
		Sockets:       s.hub,
		External:      external(l.UseDiscordAuth, l.Discord), PublicURL: l.Address, TrustedProxies: l.TrustedProxies,
		Desktop: filepath.Join(s.data, "desktop"), Tones: files, Joining: s.ask, Build: buildVersion(), Instance: uuid.NewString(),
		Voice: func() *wire.VoiceStats { return voiceStats(s.sfu) },
		Panel: panelHandler(), SocketIO: s.sio, Logf: s.log.Printf,
	})
}

// administration is the handler of /admin/api.
func (s *service) administration() (*admin.Handler, error) {
	l := s.loaded.Server
	return admin.New(admin.Options{Password: l.AdminPassword, Engine: s.engine, Editor: s.editor, Sessions: s.sessions,
		Sockets: s.hub, Audit: s.keeper.Audit(s.audit), PublicURL: l.Address, Secure: rest.Secure, Logf: s.log.Printf,
		Lockout: session.NewLockout(session.LockoutOptions{Failures: l.Limits.FailedLogins, Window: l.Limits.FailedLoginWindow, LockTime: l.Limits.LockOut})})
}

// serve answers until ctx ends.
func (s *service) serve(ctx context.Context, listener net.Listener) error {
	serve, scheme, err := s.secured(listener)
	if err != nil {
		return err
	}
	s.greet(scheme, listener.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			s.log.Print("stopping")
			return nil
		case err := <-failed:
			return err
		case <-sweep.C:
			if _, err := s.sessions.Sweep(ctx); err != nil {
				s.log.Printf("ended sessions could not be cleared: %v", err)
			}
		}
	}
}

// greet says where the radio is and how to find out with what to log in: the
// secrets themselves are shown once, when they are generated.
func (s *service) greet(scheme, addr string) {
	fmt.Printf("Squelch %s is on the air at %s://%s (data in %s)\n", buildVersion(), scheme, addr, s.data)
	nac, _ := s.store.Secrets().Get("dispatchNacId")
	if string(nac) == s.loaded.Server.DispatchNacID && !s.loaded.Server.Discord.Only {
		fmt.Printf("  the dispatch NAC id, to log in with, is shown by: squelch secrets --data %s\n", s.data)
	}
}

// stop ends everything, outside in: no new requests, clients, engine, disk.
func (s *service) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := s.sio.Close(ctx); err != nil {
		s.log.Printf("sockets: %v", err)
	}
	if err := s.http.Shutdown(ctx); err != nil {
		s.log.Printf("http: %v", err)
	}
	s.engine.Close()
	if s.journal != nil {
		if err := s.journal.Close(s.state); err != nil {
			s.log.Printf("the journal is not whole: %v", err)
		}
	}
	s.sfu.Close()
	s.keeper.Close()
}
