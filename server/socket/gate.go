package socket

import (
	"math"
	"net/http"
	"net/url"
	"strings"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/session"
	"squelch/server/sio"
)

// gate checks credentials with the session package.
type gate struct {
	sessions *session.Manager
	lockout  *session.Lockout
}

// NewGate makes a Gate that accepts live sessions, the master token, player tokens
// and API keys.
func NewGate(sessions *session.Manager, lockout *session.Lockout) Gate {
	return &gate{sessions, lockout}
}

func (g *gate) Admit(h wire.Handshake, addr string) (Identity, error) {
	if who, is, err := g.admitKey(string(h.AuthToken)); is {
		return who, err
	}
	token, id := string(h.AuthToken), string(h.SessionID)
	if player, ok := g.sessions.CheckPlayer(token); ok {
		return Identity{Caller: door.Caller{Kind: door.Player, User: core.UserID(player)}}, nil
	}
	own, err := g.sessions.CheckSessionToken(token)
	byMaster := g.sessions.CheckToken(token)
	switch {
	case err != nil && !byMaster:
		return Identity{}, g.noToken(token, addr)
	case id == "" && byMaster:
		return Identity{Caller: door.Caller{Kind: door.Master}}, nil
	case id == "":
		return identity(own, own.Key), nil
	}
	s, err := g.sessions.Check(id, token)
	if err != nil { // the token is good, so a wrong session id is not a guess
		return Identity{}, Refuse("bad_session", "Unknown or expired session")
	}
	return identity(s, own.Key), nil
}

// noToken refuses a token that is not valid. Valid ones were accepted before, without
// asking whether the address is locked. A missing or outdated token, which a page or
// bot may send again and again, does not count as a guess.
func (g *gate) noToken(token, addr string) error {
	refusal := Refuse("bad_token", "Authentication required")
	if token == "" || session.IsTokenForm(token) {
		return refusal
	}
	if guess := g.lockout.Wrong(addr); !guess.Judged {
		const message = "Too many failed logins, try again later"
		return &sio.ConnectError{Message: message, Data: Refusal{Code: "locked_out", Error: message,
			RetryAfter: int(math.Ceil(guess.Locked.Seconds()))}}
	}
	return refusal
}

func (g *gate) Session(owner, token, sessionID string) (Identity, error) {
	own, _ := g.sessions.CheckSessionToken(token)
	s, err := g.sessions.Check(sessionID, token)
	if err != nil && owner != "" { // the token may have ended before its lineage
		s, err = g.sessions.CheckIn(owner, sessionID)
	}
	if err != nil {
		return Identity{}, errNoSession
	}
	return identity(s, own.Key), nil
}

var errNoSession = &core.Error{Kind: core.Invalid, Field: "sessionId", Message: "Unknown or expired session"}

func (g *gate) Live(owner string) bool {
	return g.sessions.Live(owner) || g.sessions.Keys().Live(owner)
}

func (g *gate) Hold(sessions []string) bool { return g.sessions.Hold(sessions...) }

func (g *gate) Release(sessions []string, cut bool) { g.sessions.Release(cut, sessions...) }

func (g *gate) Player(token string) core.UserID {
	id, _ := g.sessions.CheckPlayer(token)
	return core.UserID(id)
}

// identity is the Identity of a session. token is the key of the session that the
// socket's token belongs to, if that is another one: a reconnect brings that token
// again.
func identity(s session.Session, token string) Identity {
	by := door.Caller{Kind: door.Session, Owner: s.Lineage, Name: s.Callsign, Nac: s.NacID}
	who := Identity{Caller: by, Sessions: []string{s.Key}}
	if token != "" && token != s.Key {
		who.Sessions = append(who.Sessions, token)
	}
	return who
}

// fromCookies fills in credentials that the panel's own pages carry as cookies after
// an external login. Cookies of a page of another origin do not count, and an API key
// in a cookie never does, as over REST: programs send theirs in the handshake.
func fromCookies(h *wire.Handshake, header http.Header, host, public string) {
	if h.AuthToken != "" || !sameOrigin(header, host, public) {
		return
	}
	r := http.Request{Header: header}
	if c, err := r.Cookie("dispatch_auth_token"); err == nil && !session.KeyForm(c.Value) {
		h.AuthToken = wire.Text(c.Value)
	}
	if c, err := r.Cookie("dispatch_session_id"); err == nil && h.SessionID == "" {
		h.SessionID = wire.Text(c.Value)
	}
}

// sameOrigin says whether the page comes from the host that was asked or from the
// public address (a proxy may ask for another host).
func sameOrigin(header http.Header, host, public string) bool {
	origin := header.Get("Origin")
	if origin == "" {
		return header.Get("Sec-Fetch-Site") == "same-origin"
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false
	}
	own, err := url.Parse(public)
	return strings.EqualFold(from.Host, host) ||
		err == nil && strings.EqualFold(from.Scheme, own.Scheme) && strings.EqualFold(from.Host, own.Host)
}
