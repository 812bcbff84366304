package socket

import (
	"errors"
	"net/http"
	"net/url"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/session"
)

// gate checks credentials with the session package.
type gate struct {
	sessions *session.Manager
	lockout  *session.Lockout
}

// NewGate lets in who has a live session, the master token, a player token or an
// API key.
func NewGate(sessions *session.Manager, lockout *session.Lockout) Gate {
	return &gate{sessions, lockout}
}

func (g *gate) Admit(h wire.Handshake, addr string) (Identity, error) {
	if who, is, err := g.admitKey(string(h.AuthToken)); is {
		return who, err
	}
	if wait := g.lockout.Wait(addr); wait > 0 {
		return Identity{}, Refuse("locked_out", "Too many failed logins, try again later")
	}
	token, id := string(h.AuthToken), string(h.SessionID)
	if player, ok := g.sessions.CheckPlayer(token); ok {
		return Identity{Owner: "player", Player: core.UserID(player)}, nil
	}
	if id == "" {
		if s, err := g.sessions.CheckSessionToken(token); err == nil {
			return identity(s), nil
		}
		if g.sessions.CheckToken(token) {
			return Identity{}, nil
		}
		g.lockout.Failed(addr)
		return Identity{}, Refuse("bad_token", "Authentication required")
	}
	s, err := g.sessions.Check(id, token)
	switch {
	case err == nil:
		return identity(s), nil
	case errors.Is(err, session.ErrUnknown) && g.known(token):
		return Identity{}, Refuse("bad_session", "Unknown or expired session")
	}
	g.lockout.Failed(addr)
	return Identity{}, Refuse("bad_token", "Authentication required")
}

// known: the token is good, so a wrong session id is not a failed login.
func (g *gate) known(token string) bool {
	if g.sessions.CheckToken(token) {
		return true
	}
	_, err := g.sessions.CheckSessionToken(token)
	return err == nil
}

func (g *gate) Session(token, sessionID string) (Identity, error) {
	s, err := g.sessions.Check(sessionID, token)
	if err != nil {
		return Identity{}, &core.Error{Kind: core.Invalid, Field: "sessionId", Message: "Unknown or expired session"}
	}
	return identity(s), nil
}

func (g *gate) Live(owner string) bool {
	return g.sessions.Live(owner) || g.sessions.Keys().Live(owner)
}

func identity(s session.Session) Identity {
	return Identity{Owner: s.Key, Name: s.Callsign, Nac: s.NacID}
}

// fromCookies fills in credentials that the panel's own pages carry as cookies
// (decisions: external login). A page of another origin must bring its own.
func fromCookies(h *wire.Handshake, header http.Header, host string) {
	if h.AuthToken != "" || !sameOrigin(header, host) {
		return
	}
	r := http.Request{Header: header}
	if c, err := r.Cookie("dispatch_auth_token"); err == nil {
		h.AuthToken = wire.Text(c.Value)
	}
	if c, err := r.Cookie("dispatch_session_id"); err == nil && h.SessionID == "" {
		h.SessionID = wire.Text(c.Value)
	}
}

func sameOrigin(header http.Header, host string) bool {
	origin := header.Get("Origin")
	if origin == "" {
		return header.Get("Sec-Fetch-Site") == "same-origin"
	}
	u, err := url.Parse(origin)
	return err == nil && host != "" && u.Host == host
}
