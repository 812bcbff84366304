package main

import (
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"squelch/core/wire"
)

// object is a piece of a JSON document.
type object = map[string]any

func schema(t reflect.Type) object {
	if s, is := special[t]; is {
		return s.schema
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := schema(t.Elem())
		if k, ok := inner["type"].(string); ok && t.Elem().Kind() != reflect.Struct {
			return object{"type": []string{k, "null"}}
		}
		return inner
	case reflect.Slice:
		return object{"type": "array", "items": schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schema(t.Elem())}
	case reflect.Struct:
		return ref(t.Name())
	case reflect.Interface:
		return object{}
	case reflect.String:
		return kind("string")
	case reflect.Bool:
		return kind("boolean")
	case reflect.Float64, reflect.Float32:
		return kind("number")
	}
	return kind("integer")
}

func schemas() object {
	out := object{"AlertConfig": alertConfigSchema}
	for _, t := range allTypes() {
		properties, required := object{}, []string{}
		for _, f := range fields(t) {
			properties[f.name] = schema(f.typ)
			if !f.optional {
				required = append(required, f.name)
			}
		}
		out[t.Name()] = object{"type": "object", "properties": properties, "required": required}
	}
	return out
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

func openAPI(routes []wire.Route) object {
	paths := object{}
	for _, r := range routes {
		op := object{"summary": r.Doc, "responses": responses(r), "security": security(r)}
		if r.Extension {
			op["tags"] = []string{"extension"}
		}
		if r.Body != nil {
			op["requestBody"] = object{"required": true, "content": jsonContent(schema(reflect.TypeOf(r.Body)))}
		}
		for _, m := range parameter.FindAllStringSubmatch(r.Path, -1) {
			op["parameters"] = []any{object{"name": m[1], "in": "path", "required": true, "schema": kind("string")}}
		}
		at, _ := paths[r.Path].(object)
		if at == nil {
			at = object{}
			paths[r.Path] = at
		}
		at[strings.ToLower(r.Method)] = op
	}
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Squelch", "version": wire.Version, "license": object{"name": "MIT"}},
		"paths":   paths,
		"components": object{"schemas": schemas(), "securitySchemes": object{
			"token":   object{"type": "http", "scheme": "bearer", "description": "A session's token, or the master token"},
			"session": object{"type": "apiKey", "in": "header", "name": "x-session-id"},
			"key": object{"type": "http", "scheme": "bearer",
				"description": "An API key, which needs no session; each route names the scope that it asks for"},
			"admin": object{"type": "apiKey", "in": "cookie", "name": "squelch_admin"},
			"csrf":  object{"type": "apiKey", "in": "header", "name": "X-CSRF-Token"},
		}},
	}
}

func responses(r wire.Route) object {
	ok := object{"description": http.StatusText(r.Status)}
	if r.Reply != nil {
		ok["content"] = jsonContent(schema(reflect.TypeOf(r.Reply)))
	}
	out := object{strconv.Itoa(r.Status): ok}
	for _, code := range r.Errors {
		failure := "Failure"
		if strings.HasPrefix(r.Path, "/admin/") {
			failure = "AdminFailure"
		}
		out[strconv.Itoa(code)] = object{"description": http.StatusText(code), "content": jsonContent(ref(failure))}
	}
	return out
}

func jsonContent(s object) object { return object{"application/json": object{"schema": s}} }

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
		// The roles that the scheme is asked for (OpenAPI 3.1, section 4.8.30).
		ways = append(ways, object{"key": []wire.Scope{r.Scope}})
	}
	return ways
}

func asyncAPI() object {
	messages, channelMessages := object{}, object{}
	operations := object{}
	add := func(action, prefix string, table reflect.Type) {
		var refs []object
		for _, e := range events(table) {
			key := prefix + strings.ReplaceAll(e.name, ":", "_")
			messages[key] = object{"name": e.name, "summary": e.doc, "payload": schema(e.payload)}
			if need, client := wire.EventScopes(e.name); client && prefix == "client_" {
				messages[key].(object)["x-key-scopes"] = need.List() // an API key needs one of them
			}
			channelMessages[key] = object{"$ref": "#/components/messages/" + key}
			refs = append(refs, object{"$ref": "#/channels/radio/messages/" + key})
		}
		operations[prefix+"events"] = object{"action": action, "channel": object{"$ref": "#/channels/radio"}, "messages": refs}
	}
	// No event of the radio: the protocol's own answer to a handshake.
	messages["connect_error"] = object{"name": "connect_error", "summary": "The handshake is refused; this is the error's data",
		"payload": schema(reflect.TypeFor[wire.ConnectRefusal]())}
	channelMessages["connect_error"] = object{"$ref": "#/components/messages/connect_error"}
	operations["connect_error"] = object{"action": "send", "channel": object{"$ref": "#/channels/radio"},
		"messages": []object{{"$ref": "#/channels/radio/messages/connect_error"}}}
	add("send", "server_", reflect.TypeFor[wire.ServerEvents]())
	add("receive", "client_", reflect.TypeFor[wire.ClientEvents]())
	return object{
		"asyncapi":   "3.0.0",
		"info":       object{"title": "Squelch over Socket.IO", "version": wire.Version, "license": object{"name": "MIT"}},
		"channels":   object{"radio": object{"address": "/", "description": "Socket.IO namespace", "messages": channelMessages}},
		"operations": operations,
		"components": object{"messages": messages, "schemas": schemas()},
	}
}
