package rest

import (
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/docs"
	"squelch/server/game"
	"squelch/server/reply"
	"squelch/server/session"
)

// Handler serves the whole port: the interface, Socket.IO and the panel.
type Handler struct {
	o        Options
	door     door.Door
	api      func() *chi.Mux // made for the first request: a host may have many radios, and it is large
	external *external       // nil: off
	desktop  *desktop
	docs     *docs.Handler
	large    map[string]int64 // wire.Route.Large, by route; of others 0

	looks     reply.Places // at the timeline
	desk      game.Desk
	answers   *game.Answers[wire.GameResult]
	enrolling sync.Mutex // one list of players at a time
}

// caller is who a request comes from, as far as its route asks.
type caller struct {
	session session.Session // of session routes
	key     session.Key     // instead of a session or the master token
	token   string          // of token routes
}

// endpoint serves one route. It returns an error only if it has not answered.
type endpoint func(w http.ResponseWriter, r *http.Request, by caller) error

// New makes the handler. It fails when an option is wrong.
func New(options Options) (*Handler, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &Handler{o: o, desktop: &desktop{folder: o.Desktop}, large: map[string]int64{}, looks: make(reply.Places, maxLooks),
		desk: game.Desk{Engine: o.Engine, Callbacks: o.Joining, Now: o.Now}, answers: game.NewAnswers[wire.GameResult](o.Now)}
	if o.External != nil {
		if h.external, err = newExternal(*o.External, o.Now); err != nil {
			return nil, err
		}
	}
	h.door.Host = door.Host{Build: o.Build, Instance: o.Instance, ExternalLogin: h.external != nil,
		Themes: o.Themes.List, Voice: o.Voice, Problem: o.Health, Recorded: o.Recorded}
	h.docs = docs.New(wire.OpenAPI, wire.AsyncAPI, h.base)
	own := h.endpoints()
	for _, route := range wire.Routes {
		if route.Large > 0 {
			h.large[route.Method+" "+route.Path] = int64(route.Large)
		}
		delete(own, route.Method+" "+route.Path)
	}
	for route := range own {
		return nil, fmt.Errorf("rest: %s is not in the route list", route)
	}
	h.api = sync.OnceValue(h.router)
	return h, nil
}

// router routes what belongs to the interface.
func (h *Handler) router() *chi.Mux {
	api, own := chi.NewRouter(), h.endpoints()
	for _, route := range wire.Routes {
		serve := own[route.Method+" "+route.Path]
		if serve == nil {
			serve = h.deskOf(route)
		}
		if serve == nil {
			serve = h.ask(route)
		}
		handle := h.guard(route, serve)
		api.Method(route.Method, routed(route.Path), handle)
		if route.Method == http.MethodGet && route.Status == http.StatusOK {
			api.Method(http.MethodHead, routed(route.Path), handle) // RFC 9110, section 9.3.2
		}
	}
	api.NotFound(func(w http.ResponseWriter, r *http.Request) { h.fail(w, r, door.ErrNoPath) })
	api.MethodNotAllowed(h.wrongMethod)
	return api
}

// endpoints are the routes that need more than the radio: files, credentials, or an
// identity provider.
func (h *Handler) endpoints() map[string]endpoint {
	return map[string]endpoint{
		"GET /api/health":                 h.health,
		"GET /readyz":                     h.ready,
		"GET /metrics":                    h.metrics,
		"GET /api/cluster":                h.cluster,
		"POST /api/cluster/move":          h.clusterMove,
		"GET /radio/dispatch/explain":     h.explain,
		"GET /radio/dispatch/installer":   h.installer,
		"GET /radio/dispatch/update.json": h.update,
		"GET /radio/tones/{file}":         h.tone,
		"GET /radio/dispatch/login":       h.login,
		"GET /radio/dispatch/callback":    h.callback,
		"GET /api/game/callbacks":         h.callbacks,
		"GET /radio/resource.zip":         h.resource,
		"POST /radio/dispatch/auth":       h.auth,
		"POST /radio/dispatch/reauth":     h.reauth,
		"POST /radio/dispatch/logout":     h.logout,
		"POST /api/player/connect":        h.playerConnect,
		"GET /api/game/changes":           h.gameChanges,
		"GET /api/timeline":               h.timeline,
		"POST /api/game/do":               h.gameDo,
		"POST /api/game/players":          h.gamePlayers,
		"POST /api/player/drop":           h.playerDrop,
		"POST /api/game/webrtc":           h.webrtc,
	}
}

// noPage is the policy of what is no page. Should a browser show it, it runs nothing and is
// of no origin: a theme's script could otherwise open it and work from there, where the
// console's policy does not hold (Cross-Origin-Opener-Policy prevents that only over TLS).
const noPage = "default-src 'none'; frame-ancestors 'none'; sandbox"

// ServeHTTP sends a request to the interface, Socket.IO, the themes or the panel. Paths of
// the interface never reach the panel, however they are spelled.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = h.locate(r)
	w.Header().Set("Content-Security-Policy", noPage) // the panel and the themes set their own
	switch clean := path.Clean("/" + r.URL.Path); {
	case within(clean, "/api"), within(clean, "/radio"), within(clean, "/dispatch"), clean == "/readyz", clean == "/metrics":
		h.serveAPI(w, r)
	case within(clean, "/admin/api"):
		h.serveAdmin(w, r)
	case h.o.SocketIO != nil && within(clean, "/socket.io"):
		defer h.recovered(nil, r)
		holdLonger(w)
		h.o.SocketIO.ServeHTTP(w, r)
	case described[clean]:
		defer h.recovered(nil, r)
		h.describe(w, r, clean)
	case within(clean, "/themes"):
		defer h.recovered(nil, r)
		h.o.Themes.ServeHTTP(w, r)
	default:
		defer h.recovered(nil, r)
		h.o.Panel.ServeHTTP(w, r)
	}
}

// holdLonger gives a long poll more time. net/http would end it at the write deadline,
// and at the read deadline too, because that cancels the request's context.
func holdLonger(w http.ResponseWriter) { hold(w, pollTimeout) }

func hold(w http.ResponseWriter, long time.Duration) {
	c, until := http.NewResponseController(w), time.Now().Add(long)
	// Where a deadline cannot be moved, the server's own applies.
	_, _ = c.SetReadDeadline(until), c.SetWriteDeadline(until)
}

func within(clean, prefix string) bool {
	return clean == prefix || strings.HasPrefix(clean, prefix+"/")
}

func (h *Handler) serveAPI(w http.ResponseWriter, r *http.Request) {
	answer := &answer{ResponseWriter: w}
	defer h.recovered(answer, r)
	allowOrigins(answer)
	if r.Method == http.MethodOptions {
		preflight(answer)
		return
	}
	h.api().ServeHTTP(answer, r)
}

// serveAdmin hands on to the administration. Other origins may not use it, so it has
// none of the interface's CORS headers.
func (h *Handler) serveAdmin(w http.ResponseWriter, r *http.Request) {
	answer := &answer{ResponseWriter: w}
	defer h.recovered(answer, r)
	if h.o.Admin == nil {
		h.fail(answer, r, door.ErrNoPath)
		return
	}
	h.o.Admin.ServeHTTP(answer, r)
}

// allowOrigins lets scripts of any origin read answers. Credentials are not allowed,
// so a browser never sends cookies along.
func allowOrigins(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After")
}

func preflight(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type, Authorization, X-Session-Id, Range, If-Range")
	w.Header().Set("Access-Control-Max-Age", preflightSeconds)
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) wrongMethod(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if h.api().Match(chi.NewRouteContext(), method, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 { // chi comes here for every method that it does not know
		h.fail(w, r, door.ErrNoPath)
		return
	}
	w.Header().Set("Allow", door.Allow(allowed)) // RFC 9110, section 15.5.6
	h.fail(w, r, door.WrongMethod(allowed))
}

// answer remembers whether an answer has begun.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recovered turns a panic into one log line and a 500 or, when the answer has begun
// or is not ours, into a broken connection.
func (h *Handler) recovered(a *answer, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	h.o.Logf("rest: %s %q panicked: %v\n%s", r.Method, r.URL.Path, cause, debug.Stack())
	if a == nil || a.begun {
		panic(http.ErrAbortHandler) // net/http closes the connection and stays silent
	}
	reply.JSON(a, http.StatusInternalServerError, wire.Failure{Error: "Server error"})
}
