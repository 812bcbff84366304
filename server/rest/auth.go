package rest

import (
	"net/http"
	"net/url"
	"strings"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// The cookies of an external login (RATIONALE, "Why does an external login travel in a cookie?").
const (
	cookieToken   = "dispatch_auth_token"
	cookieSession = "dispatch_session_id"
)

// guard checks the caller as the route demands, and answers errors.
func (h *Handler) guard(route wire.Route, serve endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		by, err := h.admit(route, r)
		if err == nil {
			err = serve(w, r, by)
		}
		if err != nil {
			h.fail(w, r, err)
		}
	}
}

func (h *Handler) admit(route wire.Route, r *http.Request) (caller, error) {
	if by, is, err := h.admitKey(route, r); is {
		return by, err
	}
	switch route.Auth {
	case wire.Public:
		return caller{}, nil
	case wire.Session:
		return h.admitSession(r)
	case wire.TokenOnly:
		return h.admitToken(r)
	case wire.Master:
		return h.admitMaster(r)
	}
	return caller{}, door.ErrAuthentication
}

// Session returns the session of a request with valid credentials, by the rules of
// protected routes. It is for handlers beside this one that serve dispatchers too.
// The error is door.ErrAuthentication.
func (h *Handler) Session(r *http.Request) (session.Session, error) {
	token, id := h.credentials(r)
	if token == "" || id == "" {
		return session.Session{}, door.ErrAuthentication
	}
	s, err := h.o.Sessions.Check(id, token)
	if err != nil {
		return session.Session{}, door.ErrAuthentication
	}
	return s, nil
}

func (h *Handler) admitSession(r *http.Request) (caller, error) {
	s, err := h.Session(r)
	if err != nil {
		return caller{}, err
	}
	if wait := h.o.Limiter.Wait(s.Key); wait > 0 {
		return caller{}, reply.TooMany(wait)
	}
	return caller{session: s}, nil
}

// admitToken accepts the master token and the tokens of live sessions.
func (h *Handler) admitToken(r *http.Request) (caller, error) {
	token, _ := h.credentials(r)
	if h.o.Sessions.CheckToken(token) {
		return caller{token: token}, nil
	}
	s, err := h.o.Sessions.CheckSessionToken(token)
	if err != nil {
		return caller{}, h.noToken(r, token)
	}
	if wait := h.o.Limiter.Wait(s.Key); wait > 0 {
		return caller{}, reply.TooMany(wait)
	}
	return caller{session: s, token: token}, nil
}

// admitMaster is for the game server: cookies and sessions do not count.
func (h *Handler) admitMaster(r *http.Request) (caller, error) {
	token := bearer(r)
	if !h.o.Sessions.CheckToken(token) {
		return caller{}, h.noToken(r, token)
	}
	return caller{token: token}, nil
}

// noToken refuses a token that is not valid here. Valid ones were accepted before,
// without asking whether the address is locked, so that guesses by others do not lock
// their bearer out. A missing or outdated token is not a guess. Anything else may be
// a guess at the master token, which the operator chooses, and counts.
//
// Protected routes need a live session id beside the token. Who has one need not
// guess, and without one the token is not looked at, so nothing counts there.
func (h *Handler) noToken(r *http.Request, token string) error {
	if token == "" || session.IsTokenForm(token) {
		return door.ErrAuthentication
	}
	guess := h.o.Guesses.Wrong(r.RemoteAddr)
	switch {
	case !guess.Judged:
		return reply.TooMany(guess.Locked)
	case guess.Locked > 0:
		h.note(r, "token.lockedOut", "", nil)
	}
	return door.ErrAuthentication
}

// credentials are the bearer token and the session id of a request: from its headers
// or, for requests of our own pages, from the login's cookies.
func (h *Handler) credentials(r *http.Request) (token, id string) {
	token, id = bearer(r), r.Header.Get("X-Session-Id")
	if (token == "" || id == "") && h.sameOrigin(r) {
		if token == "" {
			token = cookie(r, cookieToken)
		}
		if id == "" {
			id = cookie(r, cookieSession)
		}
	}
	return token, id
}

// bearer reads the Authorization header (RFC 6750, section 2.1); the scheme is
// case-insensitive (RFC 9110, section 11.1).
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// sameOrigin says whether a request comes from our own pages, or from no page at all.
// Browsers say so with Sec-Fetch-Site; older ones, and all of them over plain HTTP,
// with Origin, which they send with every request that changes something. A request
// with neither does not come from a page of another origin that could read the
// answer.
func (h *Handler) sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false // "null" too
	}
	if strings.EqualFold(from.Host, r.Host) {
		return true
	}
	own, err := url.Parse(h.o.PublicURL)
	return err == nil && own.Host != "" && strings.EqualFold(from.Scheme, own.Scheme) && strings.EqualFold(from.Host, own.Host)
}
