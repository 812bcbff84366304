package door

import (
	"reflect"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Jobs that come as REST calls. Body is the request's, checked; for those
// without one it is nil.
const (
	Login         Job = "login"         // Body is a Credentials
	Reauth        Job = "reauth"        // Body is a Credentials without NAC id
	Logout        Job = "logout"        // ends the sessions and sockets of the caller's login
	ExternalLogin Job = "externalLogin" // begins or ends a login at the identity provider
	File          Job = "file"          // a tone, the installer, its manifest, the callbacks and the resource for the game server
	Announce      Job = "announce"      // Body is the JSON as it came, Command (core.Register) makes the player known; the reply has its token
	PlayerOffer   Job = "playerOffer"   // Body is a wire.GameOffer; see Known
	Forget        Job = "forget"        // Command (core.Drop) ends the player, whose token ends first
	Watch         Job = "watch"         // waits for changes of the mirror
	Acts          Job = "acts"          // Body is a *wire.GameDo; see ReadAct
	Enrol         Job = "enrol"         // Body is a *wire.GamePlayers, each of whom is announced
	Themes        Job = "themes"        // Body is that of the route, checked
	Recordings    Job = "recordings"    // Body is that of the route, checked
	Past          Job = "past"          // reads the timeline; the query is the adapter's
	Operation     Job = "operation"     // readiness and metrics of the service, and its cluster; Body is that of the route, checked
)

// jobOf is the Job of a route that the adapter serves itself; "": there is none.
func jobOf(route *wire.Route) Job {
	switch route.Path {
	case "/radio/dispatch/installer", "/radio/dispatch/update.json", "/radio/tones/{file}", "/api/game/callbacks", "/radio/resource.zip":
		return File
	case "/radio/dispatch/login", "/radio/dispatch/callback":
		return ExternalLogin
	case "/radio/dispatch/auth":
		return Login
	case "/radio/dispatch/reauth":
		return Reauth
	case "/radio/dispatch/logout":
		return Logout
	case "/api/player/connect":
		return Announce
	case "/api/player/drop":
		return Forget
	case "/api/game/changes":
		return Watch
	case "/api/game/do":
		return Acts
	case "/api/game/players":
		return Enrol
	case "/api/game/webrtc":
		return PlayerOffer
	}
	return deskJob(route.Path)
}

// lookUp finds a route in wire.Routes; nil: there is none.
func lookUp(method, path string) *wire.Route {
	for i := range wire.Routes {
		if r := &wire.Routes[i]; r.Path == path && r.Method == method {
			return r
		}
	}
	return nil
}

// find looks up the route of a REST call. A path that exists only for other methods
// is refused with 405.
func find(name string) (*wire.Route, error) {
	method, path, _ := strings.Cut(name, " ")
	if folder, file, _ := strings.Cut(path, tones); folder == "" && file != "" && !strings.Contains(file, "/") {
		path = tones + "{file}"
	}
	path = deskPath(path)
	if r := lookUp(method, path); r != nil {
		return r, nil
	}
	gets, posts := lookUp("GET", path), lookUp("POST", path)
	var allowed []string
	switch {
	case gets == nil && posts == nil:
		return nil, ErrNoPath
	case gets != nil && gets.Status == 200:
		if method == "HEAD" { // RFC 9110, section 9.3.2
			return gets, nil
		}
		allowed = []string{"GET", "HEAD"}
	case gets != nil:
		allowed = []string{"GET"}
	}
	if posts != nil {
		allowed = append(allowed, "POST")
	}
	return nil, WrongMethod(allowed)
}

// tones is the path of the sound files of tones.
const tones = "/radio/tones/"

// WrongMethod refuses a method on a path that takes only the allowed ones.
func WrongMethod(allowed []string) *Refusal {
	return &Refusal{405, "This path takes " + Allow(allowed)}
}

// Allow is the value of the header Allow (RFC 9110, section 10.2.1).
func Allow(allowed []string) string { return strings.Join(append(allowed, "OPTIONS"), ", ") }

// Admit refuses a caller that may not use a route: one without the credentials that
// it asks for, or an API key without its scope.
func Admit(route *wire.Route, by Caller) error {
	if route.Auth == wire.Public && !route.NoKeys {
		return nil
	}
	switch by.Kind {
	case Key:
		if route.NoKeys {
			return ErrKeyPath
		}
		return by.Scopes.Check(wire.ScopeSetOf(route.Scope))
	case Session:
		if route.Auth != wire.Master {
			return nil
		}
	case Master:
		if route.Auth != wire.Session {
			return nil
		}
	}
	if route.Auth == wire.Public {
		return nil
	}
	return ErrAuthentication
}

// reading gives what reads the answer to a route from the radio; nil: the route is not
// of that kind.
func (d *Door) reading(route *wire.Route, at int64) func(core.View) any {
	switch route.Path {
	case "/api/health":
		return d.health(at)
	case "/radio/dispatch/status":
		return d.dispatchStatus(at)
	case "/api/status":
		return func(v core.View) any { return wire.StatusOf(v) }
	case "/radio/dispatch/config":
		return d.config()
	case "/radio/dispatch/tones":
		return func(v core.View) any { return wire.TonesOf(v.Config()) }
	case "/api/patches":
		return func(v core.View) any { return wire.PatchesOf(v) }
	}
	return nil
}

func (d *Door) health(at int64) func(core.View) any {
	h := d.well(at)
	return func(v core.View) any {
		h.ServiceName = v.Config().ServerName
		return h
	}
}

func (d *Door) well(at int64) wire.Health {
	h := wire.Health{Status: "ok", Service: "radio", Version: wire.Version, Build: d.Host.Build, Instance: d.Host.Instance,
		Timestamp: wire.Timestamp(time.UnixMilli(at)), AuthMethod: "nac"}
	if d.Host.ExternalLogin {
		h.AuthMethod = "discord"
	}
	if d.Host.Problem != nil {
		h.Reason = d.Host.Problem()
	}
	if h.Reason != "" {
		h.Status = "degraded"
	}
	return h
}

// Degraded is the health of a service whose radio does not answer; why is the reason,
// if the Host has none.
func (d *Door) Degraded(at int64, why error) wire.Health {
	h := d.well(at)
	h.Status = "degraded"
	if h.Reason == "" {
		h.Reason = why.Error()
	}
	return h
}

func (d *Door) dispatchStatus(at int64) func(core.View) any {
	var voice *wire.VoiceStats
	if d.Host.Voice != nil {
		voice = d.Host.Voice()
	}
	return func(v core.View) any {
		s := wire.DispatchStatusOf(v, time.UnixMilli(at))
		s.Voice = voice
		return s
	}
}

func (d *Door) config() func(core.View) any {
	var themes wire.ThemeList
	if d.Host.Themes != nil {
		themes = d.Host.Themes()
	}
	recorded := d.Host.Recorded
	return func(v core.View) any {
		b := wire.ConfigOf(v, themes)
		for i, z := range v.Config().Zones {
			for j := range z.Channels {
				b.Zones[i].Channels[j].Recorded = recorded != nil && recorded(z.Channels[j].Frequency)
			}
		}
		return b
	}
}

// route decides about a REST call.
func (d *Door) route(look Look, q Request) (Step, error) {
	s := Step{By: q.By.actor(core.ByREST), request: q}
	route, err := find(q.Route)
	if err == nil {
		err = Admit(route, q.By)
	}
	if err != nil {
		return s.rejected(err), nil
	}
	s.route = route
	if see := d.reading(route, q.At); see != nil {
		s.known.Status = route.Status
		err := look(func(v core.View) { s.known.Body = see(v) })
		if strings.HasPrefix(q.Route, "HEAD ") {
			s.known.Body = nil
		}
		return s, err
	}
	s.Job = jobOf(route)
	if route.Body == nil {
		return s, nil
	}
	body := reflect.New(reflect.TypeOf(route.Body)).Interface()
	if err := wire.Decode(q.Payload, body); err != nil {
		return s.rejected(err), nil
	}
	if s.Job == Login || s.Job == Reauth {
		s.Body, err = credentialsOf(body)
	} else if route.Auth == wire.Master {
		s, err = s.byGameServer(body)
	} else {
		if failed := look(func(v core.View) { s, err = s.byLogin(v, body.(wire.Commanding)) }); failed != nil {
			return Step{}, failed
		}
	}
	if err != nil {
		return s.rejected(err), nil
	}
	return s, nil
}

// rejected is a REST call that is refused.
func (s Step) rejected(err error) Step {
	s.Command, s.Job, s.Body = nil, "", nil
	s.known = refusal(err)
	return s
}

func refusal(err error) Answer {
	return Answer{Err: err, Status: Status(err), Body: wire.Failure{Error: err.Error()}}
}

// byLogin makes the command of a body. The actor is the login's own dispatcher, if it
// has one on the radio, and ids are read as the login means them.
func (s Step) byLogin(v core.View, body wire.Commanding) (Step, error) {
	owner := s.request.By.Login()
	if own := v.DispatcherID(owner); own != 0 {
		s.By.User = own
	}
	err := wire.ResolveIDs(body, func(id core.UserID) core.UserID { return v.Alias(owner, id) })
	if err != nil {
		return s, err
	}
	by := s.By.User
	if _, ok := body.(*wire.UpdateCallsign); ok {
		by = v.MeantDispatcher(by)
	}
	s.Command, err = body.Command(by)
	return s, err
}

// byGameServer makes the command of a body that only the game server sends.
func (s Step) byGameServer(body any) (Step, error) {
	s.By.User = 0
	if ofDesk(s.Job) {
		s.Body = body
		return s, deskBody(body)
	}
	if s.request.By.Kind != Key {
		s.By.Name = "game server"
	}
	var id *wire.ID
	switch b := body.(type) {
	case *wire.PlayerConnect:
		id, s.Body, s.Command = &b.ServerID, s.request.Payload, core.Register{User: b.ServerID.User, Facts: b.Facts()}
	case *wire.PlayerDrop:
		id = &b.ServerID
	case *wire.GameDo, *wire.GamePlayers:
		s.Body = b
		return s, nil
	case *wire.GameOffer:
		id, s.Body = &b.ServerID, *b
	}
	if id != nil && !id.User.Player() {
		return s, invalid("serverId", "serverId must be positive")
	}
	if s.Command != nil || s.Job == PlayerOffer {
		return s, nil
	}
	var err error
	s.Command, err = body.(wire.Commanding).Command(0)
	return s, err
}

// routed is the answer to a REST call.
func (s Step) routed(out core.Output, err error) Answer {
	if err != nil {
		return refusal(err)
	}
	a := Answer{Status: s.route.Status, Body: wire.Success{Success: true}}
	if made, ok := core.First[core.PatchCreated](out); ok {
		a.Body = wire.PatchCreated{Success: true, Patch: wire.PatchOf(made.Patch)}
	}
	if r, ok := wire.EmergencyIn(s.Command, out); ok {
		a.Body = r
	}
	return a
}
