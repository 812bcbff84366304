package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/reply"
	"squelch/server/session"
)

const (
	callbackPath = "/radio/dispatch/callback"
	// cookieLogin carries a login, encrypted, and binds it to the browser that began
	// it, so that nobody can be logged in as somebody else by following a link (RFC
	// 9700, section 4.7).
	cookieLogin = "dispatch_login"
	// cookieDone has the same mark as the fragment of the panel's address, so that the
	// panel ignores a fragment that somebody else has made.
	cookieDone = "dispatch_login_done"
)

// login sends the browser to the identity provider.
func (h *Handler) login(w http.ResponseWriter, r *http.Request, _ caller) error {
	if h.external == nil {
		return door.Missing("GET /radio/dispatch/login")
	}
	if err := h.admitBrowser(r); err != nil {
		return err
	}
	begun := h.external.logins.Begin()
	h.setCookie(w, r, cookieLogin, begun.Cookie, session.LoginTime, true)
	away(w, r, h.external.at(h.base(r)).AuthCodeURL(begun.State, oauth2.S256ChallengeOption(begun.Verifier)))
	return nil
}

// admitBrowser bounds how fast one address begins logins, and returns from logins
// that it has not begun.
func (h *Handler) admitBrowser(r *http.Request) error {
	if wait := h.o.Limiter.Wait("login " + address.Counted(r.RemoteAddr)); wait > 0 {
		return reply.TooMany(wait)
	}
	return nil
}

// callback is where the provider sends the browser back to. It sends the browser on
// to the panel, with the session or an error in the address.
func (h *Handler) callback(w http.ResponseWriter, r *http.Request, _ caller) error {
	if h.external == nil {
		return door.Missing("GET " + callbackPath)
	}
	if h.external.logins.Belongs(r.URL.Query().Get("state"), cookie(r, cookieLogin)) {
		h.setCookie(w, r, cookieLogin, "", -1, true) // whatever the outcome, it works once
	} else if err := h.admitBrowser(r); err != nil {
		return err
	}
	credentials, s, err := h.finish(r)
	asked := wantsJSON(r)
	if err != nil {
		h.logProvider(err)
		if asked {
			return err
		}
		h.toPanel(w, r, "error="+url.QueryEscape(describe(err).Message))
		return nil
	}
	h.setCookie(w, r, cookieToken, credentials.Token, s.Expires.Sub(h.o.Now()), h.external.HTTPOnlyCookies)
	h.setCookie(w, r, cookieSession, credentials.SessionID, s.Expires.Sub(h.o.Now()), h.external.HTTPOnlyCookies)
	if asked {
		reply.JSON(w, http.StatusOK, wire.AuthReply{Success: true, SessionID: credentials.SessionID, AuthToken: credentials.Token})
		return nil
	}
	h.toPanel(w, r, "sessionId="+credentials.SessionID+"&authToken="+credentials.Token+"&callsign="+url.QueryEscape(s.Callsign))
	return nil
}

// toPanel ends a login at the panel. The result is in the fragment, which browsers
// send to no server, so that it is in no log.
func (h *Handler) toPanel(w http.ResponseWriter, r *http.Request, result string) {
	mark := rand.Text()
	h.setCookie(w, r, cookieDone, mark, session.LoginTime, false)
	panel, _, _ := strings.Cut(h.external.Panel, "#")
	if strings.HasPrefix(panel, "/") {
		panel = address.Prefix(r) + panel
	}
	away(w, r, panel+"#"+result+"&login="+mark)
}

// logProvider logs for the operator why the provider failed.
func (h *Handler) logProvider(err error) {
	if errors.Is(err, errProvider) || errors.Is(err, errRefused) {
		h.o.Logf("rest: external login: %v", strings.ReplaceAll(err.Error(), "\n", ": "))
	}
}

// finish checks what came back, asks the provider who the user is and begins a
// session. The master token plays no part in it.
func (h *Handler) finish(r *http.Request) (session.Credentials, session.Session, error) {
	none := func(err error) (session.Credentials, session.Session, error) {
		return session.Credentials{}, session.Session{}, err
	}
	query := r.URL.Query()
	verifier, err := h.external.logins.Finish(query.Get("state"), cookie(r, cookieLogin))
	switch {
	case errors.Is(err, session.ErrForeignLogin):
		return none(invalid("state", "state does not belong to a login of this browser; log in again"))
	case err != nil:
		return none(invalid("state", "state was used already or is too old; log in again"))
	}
	if query.Get("error") != "" {
		h.note(r, "login.refused", "", map[string]any{"via": string(session.ViaExternal), "error": cut(query.Get("error"))})
		return none(errRefused)
	}
	code := query.Get("code")
	if code == "" {
		return none(invalid("code", "code is missing"))
	}
	if wait := h.o.Logins.WaitAddress(r.RemoteAddr); wait > 0 { // before the code is used up
		return none(reply.TooMany(wait))
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*providerTimeout)
	defer cancel()
	who, err := h.external.account(ctx, h.external.at(h.base(r)), code, verifier)
	if err != nil {
		if !errors.Is(err, errProvider) {
			h.note(r, "login.refused", cut(who.Name), map[string]any{"via": string(session.ViaExternal), "account": cut(who.ID)})
		}
		return none(err)
	}
	name := cut(who.Name)
	credentials, s, err := h.o.Sessions.Create(r.Context(), session.Identity{Callsign: name, Name: name, Via: session.ViaExternal})
	if err != nil {
		return none(err)
	}
	return credentials, s, h.auditLogin(r, "login", s)
}

// cut makes a provider's text fit for a name: printable and of bounded length.
func cut(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.TrimSpace(text))
	for len(runes) > door.MaxCallsign || len(string(runes)) > session.MaxField {
		runes = runes[:len(runes)-1]
	}
	return string(runes)
}

// setCookie sets a cookie for the whole site, or for the part of it that is this radio's; a negative life removes it.
func (h *Handler) setCookie(w http.ResponseWriter, r *http.Request, name, value string, life time.Duration, httpOnly bool) {
	seconds := int(life.Seconds())
	if life < 0 {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: address.Prefix(r) + "/", MaxAge: seconds, HttpOnly: httpOnly,
		Secure: secure(r) || strings.HasPrefix(h.o.PublicURL, "https://"), SameSite: http.SameSiteLaxMode})
}

// away redirects without leaving secrets in caches or referrers.
func away(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusFound)
}

// wantsJSON tells programs from browsers.
func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}
