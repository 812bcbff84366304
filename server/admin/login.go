package admin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/audit"
	"squelch/server/reply"
)

// cookieName is the cookie of a login. Its path restricts it to this interface.
const (
	cookieName = "squelch_admin"
	cookiePath = "/admin/api"
)

// login is one admin login. Only a hash of its cookie is stored.
type login struct {
	key            string // its name in the rate limiter: the hash of its cookie
	csrf           string
	name           string // of the account
	begun, touched time.Time
}

// logins are the admin logins. They are in memory, so a restart, for example with a
// changed password, ends them. Methods may be called from any goroutine.
type logins struct {
	now  func() time.Time
	mu   sync.Mutex
	live map[string]*login // by key
}

func newLogins(now func() time.Time) *logins {
	return &logins{now: now, live: map[string]*login{}}
}

// secret is 256 random bits as text.
func secret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // ends the process rather than fail
	return base64.RawURLEncoding.EncodeToString(raw)
}

func keyOf(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:])
}

// same compares in constant time, whatever the lengths.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (l *login) over(now time.Time) bool {
	return now.Sub(l.begun) >= loginLifetime || now.Sub(l.touched) >= idleTime
}

func (l *login) expires() int64 { return l.begun.Add(loginLifetime).UnixMilli() }

// begin makes a login and its cookie.
func (t *logins) begin(name string) (cookie string, l login) {
	cookie = secret()
	now := t.now()
	l = login{key: keyOf(cookie), csrf: secret(), name: name, begun: now, touched: now}
	t.mu.Lock()
	defer t.mu.Unlock()
	var idlest *login
	for key, other := range t.live {
		if other.over(now) {
			delete(t.live, key)
		} else if idlest == nil || other.touched.Before(idlest.touched) {
			idlest = other
		}
	}
	if len(t.live) >= maxAdmins {
		delete(t.live, idlest.key)
	}
	kept := l
	t.live[l.key] = &kept
	return cookie, l
}

// find returns the live login of a cookie, and notes that it is in use.
func (t *logins) find(cookie string) (login, bool) {
	if cookie == "" {
		return login{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.live[keyOf(cookie)]
	if l == nil || l.over(t.now()) {
		return login{}, false
	}
	l.touched = t.now()
	return *l, true
}

func (t *logins) end(cookie string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, keyOf(cookie))
}

// endOf ends the logins of an account, except one.
func (t *logins) endOf(name, except string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, l := range t.live {
		if fold(l.name) == fold(name) && key != except {
			delete(t.live, key)
		}
	}
}

// count is how many logins of an account are open.
func (t *logins) count(name string) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.live {
		if fold(l.name) == fold(name) && !l.over(t.now()) {
			n++
		}
	}
	return n
}

func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return c.Value
}

func (h *Handler) setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: value, Path: address.Prefix(r) + cookiePath, MaxAge: seconds,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: h.o.Secure(r)})
}

// login begins a login for whoever knows the password of an account. A login that cannot be audited
// does not happen.
func (h *Handler) login(w http.ResponseWriter, r *http.Request) error {
	if wait := h.o.Lockout.Wait(r.RemoteAddr); wait > 0 {
		return reply.TooMany(wait)
	}
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return err
	}
	var in wire.AdminLogin
	if err := wire.Decode(b, &in); err != nil {
		return err
	}
	var who account
	var busy error
	guess := h.o.Lockout.Judge(r.RemoteAddr, func() (right bool) {
		who, right, busy = h.o.Accounts.check(r.Context(), string(in.Name), string(in.Password))
		return right || busy != nil // who was not looked at has not guessed
	})
	if busy != nil {
		return busy
	}
	if !guess.Judged {
		return reply.TooMany(guess.Locked)
	}
	if !guess.Right {
		action := "admin.login.refused"
		if guess.Locked > 0 {
			action = "admin.login.lockedOut"
		}
		h.noteDone(r, action, "", nil)
		return errPassword
	}
	r = r.WithContext(context.WithValue(r.Context(), loginKey{}, login{name: who.Name}))
	if err := h.note(r, "admin.login", nil); err != nil {
		return err
	}
	h.o.Accounts.loggedIn(who.Name)
	cookie, l := h.logins.begin(who.Name)
	h.setCookie(w, r, cookie, int(loginLifetime.Seconds()))
	return h.welcome(w, r, l)
}

// session tells a page that was loaded again whether it is still logged in.
func (h *Handler) session(w http.ResponseWriter, r *http.Request) error {
	if l, ok := h.logins.find(cookieOf(r)); ok {
		return h.welcome(w, r, l)
	}
	return h.present(w, r, wire.AdminSession{Success: true})
}

func (h *Handler) welcome(w http.ResponseWriter, r *http.Request, l login) error {
	return h.present(w, r, wire.AdminSession{Success: true, Authenticated: true, CSRFToken: l.csrf, Expires: l.expires(), Name: l.name, Role: h.o.Accounts.role(l.name)})
}

// present adds the radio's name, which health shows to everybody too.
func (h *Handler) present(w http.ResponseWriter, r *http.Request, out wire.AdminSession) error {
	if err := h.o.Engine.View(r.Context(), func(v core.View) { out.ServerName = v.Config().ServerName }); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

func (h *Handler) logout(w http.ResponseWriter, r *http.Request) error {
	h.logins.end(cookieOf(r))
	h.setCookie(w, r, "", -1)
	h.noteDone(r, "admin.logout", "", nil)
	reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	return nil
}

// note audits what the administration is about to do, and from where. If it returns
// an error, the action must not happen.
func (h *Handler) note(r *http.Request, action string, detail map[string]any) error {
	return h.noteAbout(r, action, "", detail)
}

func (h *Handler) noteAbout(r *http.Request, action, target string, detail map[string]any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	defer cancel()
	return h.o.Audit.Append(ctx, entry(r, action, target, detail))
}

// noteDone audits what has been done, even if the disk fails.
func (h *Handler) noteDone(r *http.Request, action, target string, detail map[string]any) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	defer cancel()
	h.o.Audit.Note(ctx, entry(r, action, target, detail))
}

func entry(r *http.Request, action, target string, detail map[string]any) audit.Entry {
	if detail == nil {
		detail = map[string]any{}
	}
	detail["address"] = address.Host(r.RemoteAddr)
	return audit.Entry{Actor: audit.Actor{Name: actor(r.Context()).Name}, Surface: audit.Admin, Action: action, Target: target, Detail: detail}
}
