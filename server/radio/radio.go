// Package radio is one community's radio: its configuration, engine, keeper,
// sessions, sockets and voice. It owns no port and no folder: its caller hands it a
// store and open sockets, and serves its handler. Nothing here is global, so several
// radios may run in one process.
package radio

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/audit"
	"squelch/server/cluster"
	"squelch/server/config"
	"squelch/server/engine"
	"squelch/server/game"
	"squelch/server/keeper"
	"squelch/server/logs"
	"squelch/server/metrics"
	"squelch/server/recorder"
	"squelch/server/recordings"
	"squelch/server/replaycmd/journal"
	"squelch/server/script"
	"squelch/server/session"
	"squelch/server/sio"
	"squelch/server/socket"
	"squelch/server/themedesk"
	"squelch/server/timeline"
	"squelch/server/transcribe"
	"squelch/server/webhook"
	"squelch/sfu"
)

// sweepEvery is how often expired sessions are removed.
const sweepEvery = 5 * time.Minute

// Options of Start.
type Options struct {
	Config *config.Loaded // complete, see Secrets; the radio closes its callbacks
	// Reread reads the configuration again, as strictly as squelch check does, and gives
	// its warnings. An error that is a *config.Mistakes lists what is wrong. Nil: there is no
	// file.
	Reread func(ctx context.Context) (*config.Loaded, []string, error)
	Store  *Storage   // what outlives the radio
	Folder string     // where the radio's own files are: the data folder
	Name   string     // among the radios of this host; "": config.MainRadio
	Ports  *sfu.Ports // of voice, which other radios may use too; they stay open when the radio ends
	// Cluster is this process in a cluster whose nodes share the radio; nil: it is alone.
	// Then Store is OnKeep of what Cluster.Keep has of this radio.
	Cluster *cluster.Node
	// Neighbours are the other radios of this host, for the default one, which shows them; nil:
	// it has none to show.
	Neighbours Neighbours
	Panel      http.Handler // the dispatch panel
	Journal    string       // file of the journal; "": none is written
	Build      string       // version of the program
	Log        *slog.Logger // for operators; required
	Lines      *logs.Log    // the same with its newest lines, for the administration; nil: it shows none
}

// Neighbours are the radios of a host.
type Neighbours interface {
	// Change follows the list in the main file that was just read. changed says whether it is
	// another one; warnings are what is wrong with single radios.
	Change(ctx context.Context, main *config.Loaded) (changed bool, warnings []string)
	// All lists the radios.
	All() []wire.AdminRadio
}

// Radio is a radio on the air. Its parts are listed in the order in which they start.
type Radio struct {
	http.Handler // REST, Socket.IO, administration, panel

	name        string
	neighbours  Neighbours // nil: none to show
	config      *config.Loaded
	started     *config.Loaded // as the file was at the start
	reread      func(ctx context.Context) (*config.Loaded, []string, error)
	reloading   sync.Mutex // one reading of the file at a time
	callbacks   atomic.Pointer[config.Callbacks]
	newest      atomic.Pointer[config.Loaded] // the files as they were read last
	folder      string
	log         *slog.Logger
	lines       *logs.Log
	warnf       func(format string, args ...any) // for parts that report trouble in sentences
	infof       func(format string, args ...any)
	store       *Storage
	audit       *audit.Log
	keeper      *keeper.Keeper
	timeline    *timeline.Timeline
	sessions    *session.Manager
	lockout     *session.Lockout
	guesses     *session.Lockout
	editor      *admin.Editor
	inForce     atomic.Pointer[core.Config]
	shelf       *recordings.Shelf       // nil: there are no recordings
	noShelf     string                  // why, if there should be; "": there need not
	recorder    *recorder.Recorder      // nil: it is off
	transcriber *transcribe.Transcriber // nil: what is recorded is not turned into text
	sfu         *sfu.SFU
	sio         *sio.Server
	hub         *socket.Hub
	mirror      *game.Mirror
	tones       *os.Root        // the operator's tone files; nil: there are none
	sounds      []fs.FS         // where sound files are looked for
	journal     *journal.Writer // nil: none is written
	scripts     *script.Host
	metrics     *metrics.Metrics
	themes      *themedesk.Desk
	webhooks    *webhook.Desk
	engine      *engine.Engine
	member      *member // nil: the radio is on this node only
	accounts    *admin.Accounts
	onAir       chan struct{} // closed when the start is complete
	leaving     chan struct{} // closed when clients are told to go
	quit        chan struct{} // ends work
	once        sync.Once     // closes leaving
	work        sync.WaitGroup
	shelving    sync.WaitGroup // work on the disk of recordings, which may hang
}

// Name is the radio's name among those of its host.
func (r *Radio) Name() string { return r.name }

// Clients is how many connections the radio has.
func (r *Radio) Clients() (n int) {
	for _, links := range r.hub.Links() {
		n += links
	}
	return n
}

// Start builds the radio from the inside out: state, media, sockets, engine, REST. It
// is ready as soon as its handler is served. If Start fails, it leaves nothing
// running.
func Start(ctx context.Context, o Options) (*Radio, error) {
	r := &Radio{name: cmp.Or(o.Name, config.MainRadio), neighbours: o.Neighbours, config: o.Config, started: new(*o.Config), reread: o.Reread, folder: o.Folder, log: o.Log, lines: o.Lines, warnf: logs.Printf(o.Log, logs.Warn), infof: logs.Printf(o.Log, logs.Info), store: o.Store, onAir: make(chan struct{}), leaving: make(chan struct{}), quit: make(chan struct{})}
	if err := r.start(ctx, o); err != nil {
		_ = r.HangUp(ctx) // nobody is connected
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Radio) start(ctx context.Context, o Options) error {
	limits := r.config.Server.Limits
	r.callbacks.Store(r.config.Callbacks)
	r.newest.Store(r.config)
	r.config.Callbacks.Logf(r.infof)
	var err error
	r.openMetrics(o.Build)
	if o.Cluster != nil {
		r.member = newMember(r, o.Cluster)
	}
	r.audit = audit.New(r.store.Audit, time.Now)
	r.keeper = keeper.New(keeper.Options{Store: r.store, Log: r.audit, Logf: r.warnf})
	r.sessions, err = session.New(r.keeper.Guard(r.store.Sessions), session.Options{MasterToken: r.config.Server.AuthToken, DispatchNac: r.config.Server.DispatchNacID,
		Lifetime: limits.SessionLifetime, MaxSessions: limits.Sessions, MaxPerLogin: limits.SessionsPerLogin, Refresh: r.member.refresh(), InUse: r.member.inUse()})
	if err != nil {
		return err
	}
	lock := session.LockoutOptions{Failures: limits.FailedLogins, Window: limits.FailedLoginWindow, LockTime: limits.LockOut}
	r.lockout, r.guesses = session.NewLockout(lock), session.NewLockout(lock)
	if r.editor, r.config.Core, err = admin.OpenEditor(r.keeper.Guard(r.store.Config), r.config.Core); err != nil {
		return err
	}
	if note := r.editor.StartNote(); note != "" {
		r.log.Info(note)
	}
	if err := r.openRecordings(); err != nil {
		return err
	}
	if r.timeline, err = timeline.Open(ctx, r.store.Timeline, timeline.Options{Recording: r.recordingOf, Probe: r.store.Probe, Logf: r.warnf, Forward: r.member.forward()}); err != nil {
		return err
	}
	failed := r.timeline.Failing()
	state, err := r.restore(ctx)
	if err != nil {
		return err
	}
	r.record(state, slices.Contains(failed, "recorder"))
	r.sfu = sfu.New(sfu.Options{Recorder: r.tapes(), Heard: func(u core.UserID, f core.Frequency) {
		r.engine.Post(core.Actor{User: u, Surface: core.BySystem}, core.Heard{User: u, Frequency: f})
	}})
	if err := r.sfu.Use(o.Ports, limits.WebRTCPeers); err != nil {
		return err
	}
	r.sio = sio.NewServer(sio.Options{PingInterval: limits.PingInterval, PingTimeout: limits.PingTimeout,
		MaxPayload: limits.MessageBytes, MaxSessions: limits.Sockets, MaxSessionsPerAddress: limits.SocketsPerAddress,
		RecoveryWindow: time.Duration(r.config.Core.ResumeWindow) * time.Millisecond, Logf: logs.Printf(r.log, logs.Info)})
	r.openSounds()
	r.scripts = r.scriptHost()
	r.hub = socket.NewHub(socket.Options{Engine: func() *engine.Engine { return r.engine }, Server: r.sio,
		Gate: socket.NewGate(r.sessions, r.guesses), Joining: r.joining, Media: r.sfu, Tones: r.sounds, Now: time.Now, PublicURL: r.config.Server.Address,
		Scripts: r.clientEvent, Nodes: r.member.nodes(), Elsewhere: r.member.elsewhereOf(), Refresh: r.refresh, EventsPerSecond: limits.EventsPerSecond, VoiceBytes: limits.VoiceBytes, KeyUp: r.metrics.KeyUp, Log: r.log, Logf: r.warnf})
	if err := r.openWebhooks(); err != nil {
		return err
	}
	if err := r.openTranscriber(); err != nil {
		return err
	}
	r.mirror = game.NewMirror(game.MirrorOptions{Engine: func() *engine.Engine { return r.engine }, Callbacks: r.needGame})
	followers := []engine.Follower{r.watchConfig(), r.activity(), r.metrics.Follower(), r.mirror.Follower(), r.scripts.Follower()}
	if r.recorder != nil {
		followers = append(followers, r.recorder.Follower())
	}
	if o.Journal != "" {
		if err := r.beginJournal(o.Journal, o.Build, state); err != nil {
			return err
		}
		followers = append(followers, r.journal.Follower())
	}
	followers = append(followers, r.hub.Follower()) // last, because replies wait for it
	source, origin, err := r.source(&followers)
	if err != nil {
		return err
	}
	r.engine = engine.Start(state, source, engine.Options{Origin: origin,
		Routes: r.sfu.SetRoutes, Followers: followers, Probe: r.keeper.Probe, Logf: logs.Printf(r.log, logs.Error)})
	if r.member == nil {
		err = r.register(ctx)
	} else {
		err = r.member.ready(ctx)
	}
	if err != nil {
		return err
	}
	r.keeper.Tell(r.tellStorage)
	r.keeper.Probe(ctx) // the disk may be full from the start
	if slices.Contains(failed, "storage") && r.keeper.Err() == nil {
		r.timeline.Note("storage", "")
	}
	r.work.Go(r.sweep)
	r.work.Go(r.watchPeers)
	if err := r.openThemes(); err != nil {
		return err
	}
	if r.Handler, err = r.handler(o.Panel, o.Build); err != nil {
		return err
	}
	if r.member == nil {
		r.scripts.Start()
	} else {
		r.member.start()
	}
	close(r.onAir)
	if r.noShelf != "" && r.config.Server.Recording.On && !slices.Contains(failed, "recorder") {
		r.tellRecorder(r.noShelf)
	}
	return nil
}

// tellStorage tells the radio why nothing can be stored; "": it works again.
func (r *Radio) tellStorage(reason string) {
	if !r.member.mayTell() {
		return
	}
	r.timeline.Note("storage", reason)
	err := r.engine.Apply(context.Background(), core.Actor{Surface: core.BySystem}, core.SetStorage{Reason: reason})
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		r.log.Error("the radio could not be told of its storage", "error", err)
	}
}

// beginJournal writes the radio's state to the journal before the first order.
func (r *Radio) beginJournal(path, build string, state *core.State) (err error) {
	start := wire.Start{Config: *state.View().Config(), Data: state.Snapshot()}
	r.journal, err = journal.Create(path, build, start, logs.Printf(r.log, logs.Notice))
	return err
}

// sweep removes expired sessions until the radio ends.
func (r *Radio) sweep() {
	every := time.NewTicker(sweepEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			if _, err := r.sessions.Sweep(context.Background()); err != nil {
				r.log.Warn("ended sessions could not be cleared", "error", err)
			}
		case <-r.quit:
			return
		}
	}
}

// HangUp ends the radio's clients and calls that wait for changes; requests are still
// answered.
func (r *Radio) HangUp(ctx context.Context) error {
	r.once.Do(func() { close(r.leaving) })
	r.member.leave(ctx)
	if r.mirror != nil {
		r.mirror.HangUp()
	}
	if r.sio == nil {
		return nil
	}
	var late error
	if r.hub != nil {
		late = r.hub.HangUp(ctx)
	}
	return errors.Join(late, r.sio.Close(ctx))
}

// Close ends the engine, voice and disk. It is called when no request is running any
// more.
func (r *Radio) Close() {
	close(r.quit)
	r.member.close()
	r.work.Wait()
	if r.scripts != nil { // they may still use the radio
		r.scripts.Close()
	}
	if r.engine != nil {
		r.engine.Close()
	}
	if r.journal != nil {
		if err := r.journal.Close(r.engine.State()); err != nil {
			r.log.Error("the journal is incomplete", "error", err)
		}
	}
	if r.sfu != nil {
		r.sfu.Close()
	}
	late := time.After(shelfWait)
	shelved := r.closeRecordings()
	select {
	case <-shelved:
	case <-time.After(lastWords):
	}
	if r.keeper != nil {
		r.keeper.Close()
	}
	if r.timeline != nil { // the keeper may still have something to say
		r.timeline.Close()
	}
	if r.webhooks != nil { // now their places are those of the disk
		r.webhooks.Close()
	}
	if r.tones != nil {
		r.tones.Close()
	}
	if c := r.callbacks.Load(); c != nil {
		c.Close()
	}
	select {
	case <-shelved:
	case <-late:
		r.log.Warn("recordings: their disk does not answer, and is waited for no longer; what is not on it is put on the shelf at the next start, as far as it was written")
	}
}
