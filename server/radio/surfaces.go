package radio

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/config"
	"squelch/server/recdesk"
	"squelch/server/resource"
	"squelch/server/rest"
	"squelch/server/session"
	"squelch/server/tones"
)

// handler serves REST, Socket.IO, the administration and the panel.
func (r *Radio) handler(panel http.Handler, build string) (*rest.Handler, error) {
	l := r.config.Server
	records := r.recordingDesk()
	administration, err := r.administration(records)
	if err != nil {
		return nil, err
	}
	nodes := r.member.nodes()
	if of, is := panel.(interface {
		Elsewhere(nodes func() []string) http.Handler
	}); is && nodes != nil {
		panel = of.Elsewhere(func() []string { return nodes().URLs() })
	}
	return rest.New(rest.Options{
		Admin:  administration,
		Engine: r.engine, Sessions: r.sessions, Audit: r.auditor(), Health: r.keeper.Reason, Ready: r.Ready, Metrics: r.metrics, Lockout: r.lockout, Guesses: r.guesses,
		Limiter: session.NewLimiter(float64(l.Limits.RestPerSecond), l.Limits.RestBurst, nil), MaxBody: int64(l.Limits.BodyBytes),
		Logins:        session.NewLimiter(float64(l.Limits.LoginsPerSecond), l.Limits.LoginBurst, nil),
		Reauths:       session.NewLimiter(float64(l.Limits.ReauthsPerSecond), l.Limits.ReauthBurst, nil),
		MasterReauths: session.NewLimiter(float64(l.Limits.MasterReauthsPerSecond), l.Limits.MasterReauthBurst, nil),
		Sockets:       r.hub, Offers: r.hub, Mirror: r.mirror,
		External: external(l.UseDiscordAuth, l.Discord), PublicURL: l.Address, TrustedProxies: l.TrustedProxies,
		Resource: zipFor, Themes: r.themes, Timeline: r.timeline, Recordings: records, Recorded: r.recorded,
		Desktop: filepath.Join(r.folder, "desktop"), Tones: r.sounds, Joining: r.ask, Callbacks: func() *wire.GameCallbacks { return gameCallbacks(r.callbacks.Load()) }, Build: build, Instance: uuid.NewString(),
		Cluster: r.nodes(), Where: r.where, Voice: func() *wire.VoiceStats { return voiceStats(r.sfu) },
		Nodes: nodes, Panel: panel, SocketIO: r.sio, Logf: r.warnf,
	})
}

// openSounds opens the operator's tone folder. Its files come before built-in ones.
func (r *Radio) openSounds() {
	r.sounds = []fs.FS{tones.FS()}
	folder := r.config.Server.ToneFolder
	if folder == "" {
		return
	}
	var err error
	switch r.tones, err = os.OpenRoot(folder); { // no path or link leads out of a Root
	case err == nil:
		r.sounds = append([]fs.FS{r.tones.FS()}, r.sounds...)
	case !errors.Is(err, fs.ErrNotExist):
		r.log.Warn("the tone folder cannot be read", "error", err)
	}
}

// administration makes the handler of /admin/api.
func (r *Radio) administration(records *recdesk.Desk) (*admin.Handler, error) {
	l := r.config.Server
	var err error
	r.accounts, err = admin.OpenAccounts(r.keeper.Guard(r.store.Accounts), l.AdminPassword, time.Now)
	if err != nil {
		return nil, err
	}
	var neighbours func() []wire.AdminRadio
	if r.neighbours != nil {
		neighbours = r.neighbours.All
	}
	return admin.New(admin.Options{Radios: neighbours, Accounts: r.accounts, Engine: r.engine, Editor: r.editor, Sessions: r.sessions,
		Sockets: r.hub, Audit: r.auditor(), Resource: zipFor, Scripts: scriptDesk{r.scripts}, Themes: r.themes, Recordings: records, Webhooks: r.webhooks, Log: r.lines, Reload: r.Reload, Where: r.where, PublicURL: l.Address, Secure: rest.Secure, Logf: r.warnf,
		Lockout: session.NewLockout(session.LockoutOptions{Failures: l.Limits.FailedLogins, Window: l.Limits.FailedLoginWindow, LockTime: l.Limits.LockOut})})
}

// joining asks the operator's callbacks about a player who connects.
func (r *Radio) joining(ctx context.Context, id core.UserID, facts *core.Facts) {
	if id.Player() {
		r.ask(ctx, id, facts)
	}
}

// ask fills in what Config's callbacks answer about a player.
func (r *Radio) ask(ctx context.Context, id core.UserID, f *core.Facts) {
	c := r.callbacks.Load()
	for _, name := range c.NeedGame() {
		switch name {
		case "radioAccessCheck":
			f.Awaited.Access = true
		case "getUserNacId":
			f.Awaited.Nac = true
		case "getPlayerName":
			f.Awaited.Name = true
		}
	}
	f.CallbackName = c.PlayerName(ctx, int(id))
	f.CallbackNac = c.NacID(ctx, int(id))
	f.Refused = !c.RadioAccess(ctx, int(id))
}

// gameCallbacks is what the game server needs to answer the operator's callbacks; nil:
// nothing.
func gameCallbacks(c *config.Callbacks) *wire.GameCallbacks {
	game := c.ForGame()
	if game == nil {
		return nil
	}
	return &wire.GameCallbacks{File: game.File, Source: game.Source, Names: c.NeedGame()}
}

// zipFor is the resource with an address in it; nil: its page was not built. Where a
// request's host is not a usable address, none is put in, and the operator sets one on the
// game server.
func zipFor(address string) ([]byte, error) {
	zip, err := resource.Zip(address)
	switch {
	case errors.Is(err, resource.ErrUnbuilt):
		return nil, nil
	case errors.Is(err, resource.ErrAddress):
		return resource.Zip("")
	}
	return zip, err
}
