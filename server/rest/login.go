package rest

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/audit"
	"squelch/server/reply"
	"squelch/server/session"
)

// auth begins a session for whoever knows the dispatch NAC id. The reply never
// carries the master token.
func (h *Handler) auth(w http.ResponseWriter, r *http.Request, by caller) error {
	if h.external != nil && h.external.Only {
		return errNacClosed
	}
	if wait := h.o.Lockout.Wait(r.RemoteAddr); wait > 0 {
		return reply.TooMany(wait)
	}
	step, err := h.decide(r.Context(), w, r, "POST /radio/dispatch/auth", by)
	if err != nil {
		return err
	}
	callsign, nac := step.Body.(door.Credentials).Callsign, step.Body.(door.Credentials).Nac
	var wanted string
	if err := h.o.Engine.View(r.Context(), func(v core.View) { wanted = v.Config().DispatchNac }); err != nil {
		return err
	}
	// nac is not empty, so an empty login opens nothing.
	guess := h.o.Lockout.Judge(r.RemoteAddr, func() bool { return sameSecret(nac, wanted) })
	switch {
	case !guess.Judged:
		return reply.TooMany(guess.Locked)
	case !guess.Right && guess.Locked > 0:
		h.note(r, "login.lockedOut", callsign, nil)
		return door.ErrWrongNac
	case !guess.Right:
		h.note(r, "login.refused", callsign, nil)
		return door.ErrWrongNac
	}
	if wait := h.o.Logins.WaitAddress(r.RemoteAddr); wait > 0 {
		return reply.TooMany(wait)
	}
	who := session.Identity{Callsign: callsign, NacID: nac, Via: session.ViaNAC}
	credentials, s, err := h.o.Sessions.Create(r.Context(), who)
	if err != nil {
		return err
	}
	return h.welcome(w, r, "login", credentials, s)
}

// reauth begins a new session for the bearer of a known token: another one of the
// same login or, with the master token, a login of its own.
func (h *Handler) reauth(w http.ResponseWriter, r *http.Request, by caller) error {
	step, err := h.decide(r.Context(), w, r, "POST /radio/dispatch/reauth", by)
	if err != nil {
		return err
	}
	wait := time.Duration(0)
	if by.session.Key == "" {
		wait = h.o.MasterReauths.WaitAddress(r.RemoteAddr)
	} else {
		wait = h.o.Reauths.Wait(by.session.Lineage)
	}
	if wait > 0 {
		return reply.TooMany(wait)
	}
	credentials, s, err := h.o.Sessions.Reauth(r.Context(), by.token, step.Body.(door.Credentials).Callsign)
	if err != nil {
		return err
	}
	return h.welcome(w, r, "reauth", credentials, s)
}

// welcome audits a login and returns its credentials. A login that cannot be audited
// does not happen.
func (h *Handler) welcome(w http.ResponseWriter, r *http.Request, action string, c session.Credentials, s session.Session) error {
	if err := h.auditLogin(r, action, s); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.AuthReply{Success: true, SessionID: c.SessionID, AuthToken: c.Token})
	return nil
}

func (h *Handler) auditLogin(r *http.Request, action string, s session.Session) error {
	if h.o.Audit == nil {
		return nil
	}
	detail := map[string]any{"session": s.Key, "via": string(s.Via)}
	if s.Lineage != s.Key {
		detail["login"] = s.Lineage
	}
	err := h.o.Audit.Append(r.Context(), entry(r, action, s.Callsign, detail))
	if err != nil {
		// The credentials were told to nobody, so nobody uses them.
		_ = h.o.Sessions.Discard(context.WithoutCancel(r.Context()), s.Key)
	}
	return err
}

// note audits a refusal. A log that is full or broken does not change the answer.
func (h *Handler) note(r *http.Request, action, name string, detail map[string]any) {
	if h.o.Audit == nil {
		return
	}
	h.o.Audit.Note(r.Context(), entry(r, action, name, detail))
}

func entry(r *http.Request, action, name string, detail map[string]any) audit.Entry {
	if detail == nil {
		detail = map[string]any{}
	}
	detail["address"] = address.Host(r.RemoteAddr)
	return audit.Entry{Actor: audit.Actor{Name: name}, Surface: audit.REST, Action: action, Detail: detail}
}

// sameSecret compares in constant time, whatever the lengths.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
