package wire

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

// Auth says which credentials a route asks for.
type Auth string

const (
	Public    Auth = "public"
	Session   Auth = "session" // bearer (a token of the same login, or the master token) and a live x-session-id, or an API key
	TokenOnly Auth = "token"   // bearer only: the master token or a known session token
	Master    Auth = "master"  // the game server: bearer master token, or an API key
)

// Route is one REST route. The router, the tests and the generator of the OpenAPI
// document range over Routes.
type Route struct {
	Method, Path string
	Auth         Auth
	Scope        Scope // what an API key needs here; "": nothing, unless NoKeys
	NoKeys       bool  // not for API keys: it makes or ends a session, or is for the master token alone
	Query        []Parameter
	Body         any    // zero value of the body's type; nil: none
	Upload       string // media type of a body that is not JSON; Body is nil
	Reply        any    // zero value of the reply's type; nil: a file or a redirect
	Status       int    // of success
	Errors       []int
	Large        int  // the largest body in bytes; 0: as for other routes
	Extension    bool // not in the interface that legacy clients know
	Doc          string
}

// Parameter is one that a route takes in its query. It may be left out.
type Parameter struct {
	Name, Kind string // Kind is a type of JSON Schema
	Doc        string
}

// Spelled out, because importing net/http would more than double the size of
// core.wasm.
const (
	get  = "GET"
	post = "POST"
)

// actionErrors are the error statuses of every action.
var actionErrors = []int{400, 401, 403, 413, 429}

func action(path string, body any, doc string, more ...int) Route {
	return Route{Method: post, Path: path, Auth: Session, Scope: ScopeDispatch, Body: body, Reply: Success{}, Status: 200,
		Errors: append(append([]int{}, actionErrors...), more...), Doc: doc}
}

func query(path string, reply any, doc string) Route {
	return Route{Method: get, Path: path, Auth: Session, Scope: ScopeRead, Reply: reply, Status: 200, Errors: []int{401, 403, 429}, Doc: doc}
}

// Routes is every REST route of the service.
var Routes = append(append(append(append(radioRoutes, themeRoutes...), recordingRoutes...), timelineRoutes...), serviceRoutes...)

var radioRoutes = []Route{
	{Method: get, Path: "/api/health", Auth: Public, Reply: Health{}, Status: 200, Doc: "Whether the service is well, and how to log in"},
	{Method: get, Path: "/radio/dispatch/installer", Auth: Public, Status: 200, Errors: []int{404}, Doc: "Windows installer of the desktop app"},
	{Method: get, Path: "/radio/dispatch/update.json", Auth: Public, Reply: UpdateManifest{}, Status: 200, Errors: []int{404}, Doc: "Auto-updater manifest of the desktop app"},
	{Method: get, Path: "/radio/tones/{file}", Auth: Public, Status: 200, Errors: []int{404}, Extension: true, Doc: "A tone's sound file"},
	{Method: get, Path: "/radio/dispatch/login", Auth: Public, Status: 302, Errors: []int{404, 429}, Extension: true, Doc: "Starts the external login"},
	{Method: get, Path: "/radio/dispatch/callback", Auth: Public, Status: 302, Errors: []int{400, 401, 403, 404, 429, 502, 503}, Extension: true, Doc: "Ends the external login"},
	{Method: post, Path: "/radio/dispatch/auth", Auth: Public, NoKeys: true, Body: AuthRequest{}, Reply: AuthReply{}, Status: 200, Errors: []int{400, 401, 403, 413, 429, 503}, Doc: "Log in as dispatcher"},
	{Method: post, Path: "/radio/dispatch/reauth", Auth: TokenOnly, NoKeys: true, Body: ReauthRequest{}, Reply: AuthReply{}, Status: 200, Errors: []int{400, 401, 403, 413, 429, 503}, Doc: "A new session for a known token"},
	{Method: post, Path: "/radio/dispatch/logout", Auth: Session, NoKeys: true, Reply: Success{}, Status: 200, Errors: []int{401, 403, 429}, Extension: true,
		Doc: "End all sessions of this login and close their sockets"},

	query("/radio/dispatch/status", DispatchStatus{}, "The whole radio, for integrations"),
	query("/api/status", Status{}, "Subset of the dispatch status"),
	query("/radio/dispatch/config", ConfigBody{}, "Zones, alerts, volumes, effects, themes, tones"),
	query("/radio/dispatch/tones", ToneList{}, "The tone list"),
	query("/api/patches", PatchList{}, "Patches that exist"),

	action("/api/trigger-broadcast", TriggerBroadcast{}, "Send a text to a channel or everyone", 404),
	action("/radio/dispatch/broadcast", BroadcastRequest{}, "Send a text, with a tone", 404),
	action("/api/play-tone", ToneRequest{}, "Play a tone on a channel", 404),
	action("/radio/dispatch/tone", ToneRequest{}, "Play a tone on a channel", 404),
	action("/radio/dispatch/alert/trigger", AlertTrigger{}, "Activate an alert on a channel", 404),
	action("/radio/dispatch/alert/clear", AlertClear{}, "Clear a channel's alert", 404),
	action("/radio/dispatch/alert/oneshot", AlertOneShot{}, "Play an alert once", 404),
	action("/radio/dispatch/switchChannel", SwitchChannel{}, "Move a unit to a channel", 404, 409),
	action("/dispatch/user/alert", UserAlert{}, "Send a text to a unit", 404),
	action("/dispatch/user/disconnect", UserDisconnect{}, "Disconnect a unit", 404),
	action("/dispatch/user/set-player-callsign", SetPlayerCallsign{}, "Set or clear a unit's callsign", 404, 503),
	action("/dispatch/user/update-callsign", UpdateCallsign{}, "Set a dispatcher's callsign", 404, 503),
	{Method: post, Path: "/api/patch/create", Auth: Session, Scope: ScopeDispatch, Body: PatchCreate{}, Reply: PatchCreated{}, Status: 201,
		Errors: []int{400, 401, 403, 404, 409, 413, 429, 503}, Doc: "Patch channels together"},
	action("/api/patch/remove", PatchRemove{}, "Remove a patch", 404, 503),

	{Method: post, Path: "/radio/dispatch/panic", Auth: Session, Scope: ScopeDispatch, Body: PanicRequest{}, Reply: Success{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 413, 429}, Extension: true, Doc: "Raise or clear a unit's panic"},
	{Method: post, Path: "/radio/dispatch/emergency/acknowledge", Auth: Session, Scope: ScopeDispatch, Body: AckEmergency{}, Reply: EmergencyReply{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 413, 429}, Extension: true, Doc: "Stop an emergency's alarm at every console"},
	{Method: post, Path: "/radio/dispatch/emergency/close", Auth: Session, Scope: ScopeDispatch, Body: CloseEmergency{}, Reply: EmergencyReply{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 413, 429}, Extension: true, Doc: "End an emergency"},
	{Method: post, Path: "/api/player/connect", Auth: Master, Scope: ScopeGame, Body: PlayerConnect{}, Reply: PlayerReply{}, Status: 200,
		Errors: []int{400, 401, 403, 409, 413, 429, 503}, Extension: true, Doc: "The game server announces a player"},
	{Method: post, Path: "/api/player/drop", Auth: Master, Scope: ScopeGame, Body: PlayerDrop{}, Reply: Success{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 413, 429}, Extension: true, Doc: "A player left the game"},
	{Method: post, Path: "/api/player/positions", Auth: Master, Scope: ScopeGame, Body: PlayerPositions{}, Reply: Success{}, Status: 200,
		Errors: []int{400, 401, 403, 413, 429}, Extension: true, Doc: "Where players are"},
	{Method: post, Path: "/api/game/webrtc", Auth: Master, Scope: ScopeGame, Body: GameOffer{}, Reply: GameAnswer{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 409, 413, 429, 503}, Extension: true, Doc: "Connect a player's whole client over one WebRTC connection"},
	{Method: get, Path: "/api/game/callbacks", Auth: Master, Scope: ScopeGame, Reply: GameCallbacks{}, Status: 200,
		Errors: []int{401, 403, 404, 429}, Extension: true, Doc: "Those callbacks of config.lua that only the game server can answer"},
	{Method: get, Path: "/radio/resource.zip", Auth: Master, Scope: ScopeGame, Status: 200,
		Errors: []int{401, 403, 404, 429}, Extension: true, Doc: "The resource for the game server, with this service's address in it"},

	{Method: get, Path: "/api/game/changes", Auth: Master, Scope: ScopeGame, Query: changesQuery, Reply: GameChanges{}, Status: 200,
		Errors: []int{400, 401, 403, 429}, Extension: true, Doc: "Changes of the radio since the last call; waits for one if there are none"},
	{Method: post, Path: "/api/game/do", Auth: Master, Scope: ScopeGame, Body: GameDo{}, Reply: GameResults{}, Status: 200,
		Errors: []int{400, 401, 403, 413, 429}, Extension: true, Doc: "Actions of the game server, each with its own result"},
	{Method: post, Path: "/api/game/players", Auth: Master, Scope: ScopeGame, Body: GamePlayers{}, Reply: GamePlayersReply{}, Status: 200,
		Errors: []int{400, 401, 403, 413, 429, 503}, Large: PlayersBytes, Extension: true, Doc: "The game server announces many players at once, or all of them"},
	{Method: post, Path: "/api/game/positions", Auth: Master, Scope: ScopeGame, Body: GamePositions{}, Reply: Success{}, Status: 200,
		Errors: []int{400, 401, 403, 413, 429}, Large: PositionsBytes, Extension: true, Doc: "Where players are, in a compact form"},
}
