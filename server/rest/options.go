package rest

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/game"
	"squelch/server/reply"
	"squelch/server/session"
)

// Auditor is what logins need of the audit log; *keeper.Audit is one.
type Auditor interface {
	// Append adds entries for what happens only if it can be audited.
	Append(ctx context.Context, entries ...audit.Entry) error
	// Note adds entries for what has already happened.
	Note(ctx context.Context, entries ...audit.Entry)
}

// Sockets ends the connections of a login, named by its lineage; *socket.Hub is
// one.
type Sockets interface {
	EndSession(ctx context.Context, owner string) ([]core.UserID, error)
}

// Offers takes the WebRTC offers of players; *socket.Hub does.
type Offers interface {
	// Offer connects a known player's whole client, and returns the answer.
	Offer(ctx context.Context, id core.UserID, sdp string) (answer string, err error)
}

// Options of New. Engine, Sessions and Mirror are required; everything else is optional.
type Options struct {
	Engine   *engine.Engine
	Sessions *session.Manager

	Audit Auditor // nil: logins are not audited

	// Lockout counts wrong NAC ids; Guesses counts what may be guesses at the master
	// token (reauth and the game server's routes). They are separate, so that a bot
	// with a wrong token does not lock its user out of the login. The Socket.IO
	// handshake should share Guesses. Nil: the defaults of package session.
	Lockout, Guesses *session.Lockout
	// Limiter bounds calls per session. Nil: the defaults of package session.
	Limiter *session.Limiter
	// Logins bounds new logins per address, Reauths new sessions per login, and
	// MasterReauths those with the master token per address. Nil: the defaults of
	// package session.
	Logins, Reauths, MasterReauths *session.Limiter
	// Sockets ends the connections of a login that has ended. Nil: there are none.
	Sockets Sockets
	// Offers connects players whose clients come over WebRTC. Nil: there are none.
	Offers Offers
	// MaxBody is the largest request body in bytes. 0: 64 KiB.
	MaxBody int64

	// External is the login at an identity provider. Nil: off.
	External *External
	// PublicURL is the address under which browsers reach the service
	// (Config.serverAddress), such as "https://radio.example.org". "": taken
	// from each request.
	PublicURL string
	// TrustedProxies are the proxies whose X-Forwarded-For and X-Forwarded-Proto count.
	TrustedProxies []netip.Prefix

	// Desktop is the folder of the desktop app's installer and manifest; it
	// need not exist. "": none.
	Desktop string
	// Resource makes the zip that game servers install, with the service's address in it;
	// nil or no bytes: this build has none.
	Resource func(address string) ([]byte, error)
	// Tones are where sound files are looked for, in this order: the operator's
	// folder, then the built-in ones.
	Tones []fs.FS
	// Themes are the installed themes. Nil: none.
	Themes Themes
	// Timeline is what was said and done. Nil: nothing is remembered.
	Timeline Timeline
	// Recordings are what was recorded. Nil: nothing ever was.
	Recordings reply.Desk
	// Recorded says whether a channel is recorded. Nil: none is.
	Recorded func(core.Frequency) bool
	// Voice counts what the media plane carries, for the dispatch status. Nil:
	// the status leaves it out.
	Voice func() *wire.VoiceStats
	// Health says why the service is degraded; "": it is not. Nil: never degraded.
	Health func() (reason string)
	// Ready says why the service takes no traffic; "": it does. Nil: it always does.
	Ready func() (reason string)
	// Metrics is the page of figures for monitoring. Nil: there is none.
	Metrics http.Handler
	// Where gives the file and line of an entry of the access rules; 0: it is not known.
	// Nil: none is.
	Where func(core.ACE) (file string, line int)
	// Joining asks the operator's callbacks about a player before the player is
	// registered, and fills in CallbackName, CallbackNac and Refused. Nil: the
	// player counts as registered by the game server.
	Joining func(ctx context.Context, id core.UserID, facts *core.Facts)
	// Callbacks gives what the game server needs to answer the operator's callbacks; nil:
	// it need not.
	Callbacks func() *wire.GameCallbacks
	// Nodes are the other nodes of a cluster, which the game server is told of. Nil: the
	// service is alone.
	Nodes func() wire.Nodes
	// Cluster is what the radio's nodes say of themselves. Nil: the service is alone.
	Cluster Cluster
	// Mirror tells the game server what changes; it must follow the Engine.
	Mirror *game.Mirror
	// Build is the program's own version and Instance names this run of it, for
	// health.
	Build, Instance string

	// Panel serves everything outside the interface: the panel's page and files.
	Panel http.Handler
	// Admin serves /admin/api. It finds the caller's address in RemoteAddr, as SocketIO
	// does. Nil: such paths are answered with 404.
	Admin http.Handler
	// SocketIO serves /socket.io/. It finds the caller's address, proxies
	// already looked through, in the request's RemoteAddr.
	SocketIO http.Handler

	Logf func(format string, args ...any) // nil: dropped
	Now  func() time.Time                 // nil: time.Now
}

func (o Options) withDefaults() (Options, error) {
	if o.Engine == nil || o.Sessions == nil || o.Mirror == nil {
		return o, errors.New("rest: Engine, Sessions and Mirror are required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Lockout == nil {
		o.Lockout = session.NewLockout(session.LockoutOptions{Now: o.Now})
	}
	if o.Guesses == nil {
		o.Guesses = session.NewLockout(session.LockoutOptions{Now: o.Now})
	}
	if o.Limiter == nil {
		o.Limiter = session.NewLimiter(0, 0, o.Now)
	}
	if o.Logins == nil {
		o.Logins = session.NewLimiter(session.DefaultLoginRate, session.DefaultLoginBurst, o.Now)
	}
	if o.Reauths == nil {
		o.Reauths = session.NewLimiter(session.DefaultReauthRate, session.DefaultReauthBurst, o.Now)
	}
	if o.MasterReauths == nil {
		o.MasterReauths = session.NewLimiter(session.DefaultMasterReauthRate, session.DefaultMasterReauthBurst, o.Now)
	}
	if o.Sockets == nil {
		o.Sockets = noSockets{}
	}
	if o.Offers == nil {
		o.Offers = noOffers{}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = maxBody
	}
	if o.Themes == nil {
		o.Themes = noThemes{}
	}
	if o.Timeline == nil {
		o.Timeline = noTimeline{}
	}
	if o.Recordings == nil {
		o.Recordings = noRecordings{}
	}
	if o.Voice == nil {
		o.Voice = func() *wire.VoiceStats { return nil }
	}
	if o.Health == nil {
		o.Health = func() string { return "" }
	}
	if o.Joining == nil {
		o.Joining = func(context.Context, core.UserID, *core.Facts) {}
	}
	if o.Panel == nil {
		o.Panel = http.NotFoundHandler()
	}
	if o.PublicURL != "" {
		u, err := url.Parse(o.PublicURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return o, errors.New("serverAddress must be an address such as https://radio.example.org")
		}
	}
	return o, nil
}
