// Package admin serves /admin/api: with the admin password one can edit parts of the
// configuration while the radio is on the air, end sessions, manage API keys, and
// read the audit log. The page that uses it is part of the panel.
package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/logs"
	"squelch/server/reply"
	"squelch/server/session"
)

// Audit is what is needed of the audit log; *keeper.Audit is one.
type Audit interface {
	// Append adds entries for what happens only if it can be audited.
	Append(ctx context.Context, entries ...audit.Entry) error
	// Note adds entries for what has already happened.
	Note(ctx context.Context, entries ...audit.Entry)
	Read(ctx context.Context, from uint64, limit int) ([]audit.Entry, error)
	Tail(ctx context.Context, limit int) ([]audit.Entry, error)
	Verify(ctx context.Context) (audit.Report, error)
}

// Sockets ends the connections of a revoked session or key; *socket.Hub is one.
type Sockets interface {
	EndSession(ctx context.Context, owner string) ([]core.UserID, error)
}

// Scripts run in the service; *script.Host is made one by package radio.
type Scripts interface {
	List() []wire.AdminScript
	// Restart reads a script's files again and starts it anew. The error is ErrNoScript,
	// or says what is wrong with the files.
	Restart(ctx context.Context, name string) error
}

// Options of New. Everything without a default is required.
type Options struct {
	Accounts *Accounts
	Engine   *engine.Engine
	Editor   *Editor
	Sessions *session.Manager
	Sockets  Sockets
	Audit    Audit
	Scripts  Scripts    // nil: there are none
	Themes   reply.Desk // nil: there are none
	Webhooks Webhooks   // nil: there are none
	// Where gives the file and line of an entry of the access rules; 0: it is not known. Nil:
	// none is.
	Where func(core.ACE) (file string, line int)
	// Reload reads the configuration file again; an error that is a *config.Mistakes lists
	// what is wrong with it. Nil: there is no file.
	Reload func(ctx context.Context, by core.Actor) (wire.AdminReloaded, error)
	// Radios lists those of the host. Nil: this radio is not the one that shows them.
	Radios func() []wire.AdminRadio
	Log    *logs.Log // nil: there is none to be seen
	// Recordings are what was recorded. Nil: there are none.
	Recordings reply.Desk
	// Resource makes the zip that game servers install, with the service's address in it;
	// nil or no bytes: this build has none.
	Resource func(address string) ([]byte, error)
	// Lockout counts wrong passwords, separately from dispatchers' guesses. Nil: the
	// defaults of package session.
	Lockout *session.Lockout
	// PublicURL is the address under which browsers reach the service, if a proxy gives
	// it another host name. "": taken from each request.
	PublicURL string
	// Secure says whether a request came over TLS. Nil: whether it reached this process
	// over TLS.
	Secure func(*http.Request) bool
	Logf   func(format string, args ...any) // nil: dropped
	Now    func() time.Time                 // nil: time.Now
}

// Handler serves /admin/api.
type Handler struct {
	o       Options
	router  func() *chi.Mux // made for the first request: a host may have many radios, and it is large
	origin  *http.CrossOriginProtection
	logins  *logins
	limiter *session.Limiter
	readers chan struct{} // a place for each reader of the whole audit log
}

// endpoint serves one route. It returns an error only if it has not answered.
type endpoint func(w http.ResponseWriter, r *http.Request) error

// New makes the handler. It fails if an option is missing or a route of
// wire.AdminRoutes is not served.
func New(o Options) (*Handler, error) {
	if o.Accounts == nil || o.Engine == nil || o.Editor == nil || o.Sessions == nil || o.Sockets == nil || o.Audit == nil {
		return nil, errors.New("admin: Accounts, Engine, Editor, Sessions, Sockets and Audit are required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Lockout == nil {
		o.Lockout = session.NewLockout(session.LockoutOptions{Now: o.Now})
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Secure == nil {
		o.Secure = func(r *http.Request) bool { return r.TLS != nil }
	}
	h := &Handler{o: o, origin: http.NewCrossOriginProtection(), logins: newLogins(o.Now),
		limiter: session.NewLimiter(perSecond, burst, o.Now), readers: make(chan struct{}, maxReaders)}
	if o.PublicURL != "" {
		u, err := url.Parse(o.PublicURL)
		if err == nil {
			err = h.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host)
		}
		if err != nil {
			return nil, fmt.Errorf("admin: the public address: %w", err)
		}
	}
	h.router = sync.OnceValue(h.route)
	return h, h.routed()
}

// endpoints are the routes, but for those of desks.
func (h *Handler) endpoints() map[string]endpoint {
	return map[string]endpoint{
		"POST /admin/api/login":            h.login,
		"GET /admin/api/accounts":          h.accounts,
		"POST /admin/api/accounts":         h.makeAccount,
		"POST /admin/api/accounts/change":  h.changeAccount,
		"POST /admin/api/accounts/remove":  h.removeAccount,
		"POST /admin/api/password":         h.password,
		"GET /admin/api/session":           h.session,
		"POST /admin/api/logout":           h.logout,
		"GET /admin/api/config":            h.config,
		"PUT /admin/api/config":            h.edit,
		"POST /admin/api/config/reset":     h.reset,
		"POST /admin/api/reload":           h.reload,
		"GET /admin/api/sessions":          h.sessions,
		"POST /admin/api/sessions/revoke":  h.revoke,
		"GET /admin/api/users":             h.users,
		"GET /admin/api/keys":              h.keys,
		"POST /admin/api/keys":             h.makeKey,
		"POST /admin/api/keys/revoke":      h.revokeKey,
		"GET /admin/api/scripts":           h.scripts,
		"POST /admin/api/scripts/restart":  h.restartScript,
		"GET /admin/api/log":               h.log,
		"GET /admin/api/explain":           h.explain,
		"GET /admin/api/webhooks":          h.webhooks,
		"POST /admin/api/webhooks/resend":  h.resendLetter,
		"POST /admin/api/webhooks/discard": h.discardLetters,
		"POST /admin/api/webhooks/test":    h.testWebhook,
		"GET /admin/api/radios":            h.radios,
		"GET /admin/api/audit":             h.auditPage,
		"GET /admin/api/audit/verify":      h.auditVerify,
		"GET /admin/api/audit.jsonl":       h.auditLines,
		"GET /admin/api/audit.csv":         h.auditCSV,
		"GET /admin/api/resource.zip":      h.resource,
	}
}

// routed says which route is served by nobody, or is in no list.
func (h *Handler) routed() error {
	own := h.endpoints()
	for _, route := range wire.AdminRoutes {
		if own[route.Method+" "+route.Path] == nil && h.deskOf(route) == nil {
			return fmt.Errorf("admin: nobody serves %s %s", route.Method, route.Path)
		}
		delete(own, route.Method+" "+route.Path)
	}
	for route := range own {
		return fmt.Errorf("admin: %s is not in the route list", route)
	}
	return nil
}

func (h *Handler) route() *chi.Mux {
	router, own := chi.NewRouter(), h.endpoints()
	for _, route := range wire.AdminRoutes {
		serve := own[route.Method+" "+route.Path]
		if serve == nil {
			serve = h.deskOf(route)
		}
		router.Method(route.Method, route.Path, h.guard(route, serve))
	}
	router.NotFound(func(w http.ResponseWriter, r *http.Request) { h.fail(w, r, errNoPath) })
	router.MethodNotAllowed(h.wrongMethod)
	return router
}

// ServeHTTP answers requests whose path is /admin/api or below.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.router().ServeHTTP(w, r) }

func (h *Handler) wrongMethod(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
		if h.router().Match(chi.NewRouteContext(), method, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 { // chi comes here for every method that it does not know
		h.fail(w, r, errNoPath)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", ")) // RFC 9110, section 15.5.6
	h.fail(w, r, &reply.Refusal{Status: http.StatusMethodNotAllowed, Message: "This path takes " + strings.Join(allowed, ", ")})
}

// guard admits a request and answers errors.
func (h *Handler) guard(route wire.Route, serve endpoint) http.HandlerFunc {
	least := wire.LeastRole(route)
	return func(w http.ResponseWriter, r *http.Request) {
		l, err := h.admit(route.Auth, least, r)
		if err == nil {
			err = serve(w, r.WithContext(context.WithValue(r.Context(), loginKey{}, l)))
		}
		if err != nil {
			h.fail(w, r, err)
		}
	}
}

// loginKey marks the context of a request with its login.
type loginKey struct{}

// loginOf is the login of a request; the zero login before there is one.
func loginOf(r *http.Request) login {
	l, _ := r.Context().Value(loginKey{}).(login)
	return l
}

// admit checks, in this order: which page sent a change, the login, its rate, the token
// that only our own page knows, and the role of its account. The cookie alone is not enough: for SameSite,
// neighbours on other ports and subdomains are the same site.
func (h *Handler) admit(auth wire.Auth, least wire.Role, r *http.Request) (login, error) {
	if err := h.origin.Check(r); err != nil {
		return login{}, errOrigin
	}
	if auth != wire.Admin {
		return login{}, nil
	}
	l, ok := h.logins.find(cookieOf(r))
	switch {
	case ok:
	case keyAsked(r):
		return login{}, errKey
	default:
		return login{}, errLogin
	}
	if wait := h.limiter.Wait(l.key); wait > 0 {
		return login{}, reply.TooMany(wait)
	}
	if changes(r) && !same(r.Header.Get("X-CSRF-Token"), l.csrf) {
		return login{}, errCSRF
	}
	if role := h.o.Accounts.role(l.name); !role.May(least) {
		return login{}, &reply.Refusal{Status: http.StatusForbidden, Message: fmt.Sprintf("This needs the role %s; the account %s has the role %s", least, l.name, role)}
	}
	return l, nil
}

func changes(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// actor is who asks, as the radio and its log know it: by the name of the account. The first
// owner is called admin, as it was when there were no accounts.
func actor(ctx context.Context) core.Actor {
	l, _ := ctx.Value(loginKey{}).(login)
	return core.Actor{Surface: core.ByAdmin, Name: auditName(l.name)}
}

func auditName(account string) string {
	if account == "" || account == wire.OwnerName {
		return "admin"
	}
	return account
}
