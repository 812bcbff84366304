package main

import (
	"log"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"squelch/core/wire"
)

// tags are the groups of the documentation. A route belongs to the group with the
// longest path that the route's path begins with.
var tags = []struct {
	name, doc string
	paths     []string
}{
	{"service", "Whether the service is well, for people, load balancers and monitoring", []string{"/api/health", "/readyz", "/metrics"}},
	{"cluster", "Several nodes that share a radio: how they are, and who decides", []string{"/api/cluster"}},
	{"login", "Sessions of dispatchers", []string{"/radio/dispatch/auth", "/radio/dispatch/reauth", "/radio/dispatch/log", "/radio/dispatch/callback"}},
	{"radio", "What is on the air, and what there is", []string{"/api/status", "/radio/dispatch/status", "/radio/dispatch/config"}},
	{"alerts", "Alerts of channels, panic and emergencies", []string{"/radio/dispatch/alert", "/radio/dispatch/panic", "/radio/dispatch/emergency"}},
	{"patches", "Channels joined, so that what is said on one is heard on all", []string{"/api/patch"}},
	{"text", "Broadcasts, and texts to units", []string{"/api/trigger-broadcast", "/radio/dispatch/broadcast", "/dispatch/user/alert"}},
	{"tones", "Tones and their sound files", []string{"/api/play-tone", "/radio/dispatch/tone", "/radio/tones"}},
	{"units", "Moving, disconnecting and naming units", []string{"/radio/dispatch/switchChannel", "/radio/dispatch/explain", "/dispatch/user"}},
	{"game", "What the game server reports, asks for and follows", []string{"/api/player", "/api/game", "/radio/resource.zip"}},
	{"themes", "Looks of the console: what is installed, reviews, the marketplace", []string{"/api/themes"}},
	{"timeline", "What was said and done", []string{"/api/timeline"}},
	{"recordings", "Recorded voice: lists, files, listening files, incidents", []string{"/api/recordings"}},
	{"desktop", "Files of the desktop app", []string{"/radio/dispatch/installer", "/radio/dispatch/update.json"}},
	{"administration", "Live edits, sessions, API keys, audit log", []string{"/admin/api"}},
}

func tagOf(path string) string {
	best, length := "", 0
	for _, t := range tags {
		for _, p := range t.paths {
			if strings.HasPrefix(path, p) && len(p) > length {
				best, length = t.name, len(p)
			}
		}
	}
	if best == "" {
		log.Fatalf("%s belongs to no tag: name one in core/wire/gen/openapi.go", path)
	}
	return best
}

// operationID is made of the method and the path, "getDispatchStatus", so that it
// changes only when they do.
func operationID(r wire.Route) string {
	id := strings.ToLower(r.Method)
	for _, word := range strings.FieldsFunc(r.Path, func(c rune) bool { return strings.ContainsRune("/-.{}", c) }) {
		if word != "api" && word != "radio" {
			id += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return id
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

func openAPI(routes []wire.Route, examples examples) object {
	paths, ids := object{}, map[string]bool{}
	for _, r := range routes {
		id := operationID(r)
		if ids[id] {
			log.Fatalf("two routes are called %s", id)
		}
		ids[id] = true
		at, _ := paths[r.Path].(object)
		if at == nil {
			at = object{}
			paths[r.Path] = at
		}
		at[strings.ToLower(r.Method)] = operation(r, id, examples)
	}
	var groups []object
	for _, t := range tags {
		groups = append(groups, object{"name": t.name, "description": t.doc})
	}
	return object{
		"openapi": "3.1.0",
		"info": info("Squelch", object{"name": "MIT", "identifier": "MIT"}, "REST interface of the radio. What is marked x-extension goes beyond the interface that older clients know. "+
			"Every refusal is JSON with success false and an error in words."),
		"servers": []object{{"url": "{address}", "description": "Your radio",
			"variables": object{"address": object{"default": demoAddress, "description": "serverAddress of its configuration; the demo radio is on this machine"}}}},
		"tags":  groups,
		"paths": paths,
		"components": object{"schemas": withActions(withAlerts(schemasOf(typesOf(routes)))), "securitySchemes": object{
			"token":   object{"type": "http", "scheme": "bearer", "description": "A session's token, or the master token"},
			"session": object{"type": "apiKey", "in": "header", "name": "x-session-id", "description": "The session's id"},
			"key": object{"type": "http", "scheme": "bearer",
				"description": "An API key, which needs no session; x-key-scope of each route names the scope that it asks for"},
			"admin": object{"type": "apiKey", "in": "cookie", "name": "squelch_admin", "description": "A login of the administration"},
			"csrf":  object{"type": "apiKey", "in": "header", "name": "X-CSRF-Token", "description": "csrfToken of that login"},
		}},
	}
}

func operation(r wire.Route, id string, examples examples) object {
	op := object{"operationId": id, "summary": r.Doc, "description": asks(r), "tags": []string{tagOf(r.Path)},
		"responses": responses(r, examples), "security": security(r)}
	if r.Extension {
		op["x-extension"] = true
	}
	if r.Scope != "" {
		op["x-key-scope"] = r.Scope
	}
	if r.Body != nil {
		op["requestBody"] = object{"required": true,
			"content": jsonContent(schema(reflect.TypeOf(r.Body)), examples.bodies[r.Method+" "+r.Path])}
	}
	if r.Upload != "" {
		op["requestBody"] = object{"required": true, "content": object{r.Upload: object{"schema": object{"contentMediaType": r.Upload,
			"description": "At most " + strconv.Itoa(r.Large) + " bytes"}}}}
	}
	for _, m := range parameter.FindAllStringSubmatch(r.Path, -1) {
		op["parameters"] = []any{object{"name": m[1], "in": "path", "required": true, "schema": kind("string")}}
	}
	if len(r.Query) > 0 {
		var all []any
		for _, p := range r.Query {
			all = append(all, object{"name": p.Name, "in": "query", "description": p.Doc, "schema": kind(p.Kind)})
		}
		op["parameters"] = all
	}
	return op
}

// asks says in words what a route asks of its caller.
func asks(r wire.Route) string {
	key := ""
	if r.Scope != "" {
		key = ", or an API key with the scope " + string(r.Scope)
	}
	switch r.Auth {
	case wire.Public:
		return "Open to everybody."
	case wire.Session:
		return "Asks for a token of the login, or the master token, with the id of a live session" + key + "."
	case wire.TokenOnly:
		return "Asks for the master token or the token of a session."
	case wire.Master:
		return "Asks for the master token" + key + "."
	case wire.Admin:
		if r.Method == http.MethodGet {
			return "Asks for the cookie of a login to the administration, of an account with the role " + string(wire.LeastRole(r)) + " at least."
		}
		return "Asks for the cookie of a login to the administration, of an account with the role " + string(wire.LeastRole(r)) + " at least, and for its csrfToken in the header X-CSRF-Token."
	}
	log.Fatalf("nobody has said in words what %s asks", r.Auth)
	return ""
}

// refusals are examples of what a refusal says.
var refusals = map[int]string{
	http.StatusBadRequest:            "frequency is missing",
	http.StatusUnauthorized:          "Authentication required",
	http.StatusForbidden:             "This API key lacks the scope \"dispatch\"",
	http.StatusNotFound:              "There is no user 7 on the radio",
	http.StatusConflict:              "The configuration has changed since you read it",
	http.StatusRequestEntityTooLarge: "The body has more than 65536 bytes",
	http.StatusTooManyRequests:       "Too many requests; try again later",
	http.StatusInternalServerError:   "Internal error",
	http.StatusBadGateway:            "The login provider did not answer",
	http.StatusServiceUnavailable:    "Storage unavailable: the disk is full",
}

// refusal is an example of a refusal; nil: there is none.
func refusal(r wire.Route, code int) any {
	text := refusals[code]
	if code == http.StatusForbidden && r.Auth == wire.Admin {
		text = "This needs the role " + string(wire.LeastRole(r)) + "; the account Ana has the role viewer"
		if wire.LeastRole(r) == wire.RoleViewer {
			text = "The header X-CSRF-Token must carry the csrfToken of this login"
		}
	}
	if code == 404 && r.Body != nil && slices.ContainsFunc(fields(reflect.TypeOf(r.Body)), func(f field) bool { return strings.HasPrefix(f.name, "frequenc") }) {
		text = "Channel not found"
	}
	if text == "" {
		return nil
	}
	return object{"success": false, "error": text}
}

func responses(r wire.Route, examples examples) object {
	ok := object{"description": http.StatusText(r.Status)}
	if r.Reply != nil {
		ok["content"] = jsonContent(schema(reflect.TypeOf(r.Reply)), examples.replies[r.Method+" "+r.Path])
	} else if r.Status < 300 {
		ok["content"] = object{mediaOf(r): object{"schema": object{}}}
	}
	out := object{strconv.Itoa(r.Status): ok}
	failure := "Failure"
	if strings.HasPrefix(r.Path, "/admin/") {
		failure = "AdminFailure"
	}
	for _, code := range r.Errors {
		out[strconv.Itoa(code)] = object{"description": http.StatusText(code), "content": jsonContent(ref(failure), refusal(r, code))}
	}
	if !slices.ContainsFunc(r.Errors, func(code int) bool { return code < 500 }) {
		out["400"] = object{"description": "The request is not valid HTTP; the answer is plain text"}
	}
	if r.Status >= 300 {
		out["default"] = object{"description": "An error, for callers that ask for application/json", "content": jsonContent(ref(failure), nil)}
	}
	return out
}

// media are the types of replies that are files. A route has the one with the longest
// end that its path has.
var media = map[string]string{
	".jsonl": "application/jsonl", ".csv": "text/csv", ".zip": "application/zip", "/export": "application/zip", "/mix": "audio/ogg",
	"/recordings/{file}": "audio/ogg", "/tones/{file}": "audio/*", "/picture": "image/*", "/metrics": "text/plain", "/installer": "application/octet-stream",
}

func mediaOf(r wire.Route) string {
	best := ""
	for end := range media {
		if strings.HasSuffix(r.Path, end) && len(end) > len(best) {
			best = end
		}
	}
	if best == "" {
		log.Fatalf("%s replies with a file: name its media type in core/wire/gen/openapi.go", r.Path)
	}
	return media[best]
}

func jsonContent(s object, example any) object {
	media := object{"schema": s}
	if example != nil {
		media["example"] = example
	}
	return object{"application/json": media}
}

func security(r wire.Route) []object {
	switch r.Auth {
	case wire.Public:
		return []object{}
	case wire.Admin:
		if r.Method == http.MethodGet {
			return []object{{"admin": []string{}}}
		}
		return []object{{"admin": []string{}, "csrf": []string{}}}
	}
	ways := []object{{"token": []string{}}}
	if r.Auth == wire.Session {
		ways = []object{{"token": []string{}, "session": []string{}}}
	}
	if r.Scope != "" {
		ways = append(ways, object{"key": []string{}})
	}
	return ways
}
