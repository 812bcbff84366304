package main

import (
	"log"
	"reflect"
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

// schemasOf are the shapes that a document uses.
func schemasOf(types []reflect.Type) object {
	out := object{}
	for _, t := range types {
		properties, required := object{}, []string{}
		for _, f := range fields(t) {
			properties[f.name] = schema(f.typ)
			if f.orNull() {
				properties[f.name] = object{"anyOf": []any{schema(f.typ), kind("null")}}
			}
			if !f.optional {
				required = append(required, f.name)
			}
		}
		out[t.Name()] = object{"type": "object", "properties": properties, "required": required}
	}
	return out
}

// demoAddress is the address of the demo radio.
const demoAddress = "http://127.0.0.1:7777"

func info(title string, license object, description string) object {
	return object{"title": title, "version": wire.Version, "description": description,
		// Reserved names (RFC 2606): the address of the maintainers is in the repository's profile.
		"contact": object{"name": "The maintainers of Squelch", "url": "https://squelch.example/", "email": "maintainers@squelch.example"}, "license": license}
}

// withAlerts adds AlertConfig, the one shape that may have other keys too.
func withAlerts(schemas object) object {
	alert := plainSchema(reflect.TypeFor[wire.AlertConfig]())
	alert["required"], alert["additionalProperties"] = []string{"name"}, true
	alert["description"] = "An alert as its sender wrote it, which is passed on unchanged: it may have other fields, and a careless sender may have left name out or given a field another type."
	schemas["AlertConfig"] = alert
	return schemas
}

// plainSchema is the schema of a struct that has only plain types, and structs of that
// kind, in it. No member is ever null.
func plainSchema(t reflect.Type) object {
	properties := object{}
	for _, f := range fields(t) {
		typ := f.typ
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() == reflect.Struct {
			properties[f.name] = plainSchema(typ)
		} else {
			properties[f.name] = schema(typ)
		}
	}
	return object{"type": "object", "properties": properties}
}

func asyncAPI(examples examples) object {
	messages, channelMessages := object{}, object{}
	operations := object{}
	add := func(action, prefix, doc string, table []event) {
		var refs []object
		for _, e := range table {
			key := prefix + strings.ReplaceAll(e.name, ":", "_")
			message := object{"name": e.name, "title": e.name, "summary": e.doc, "contentType": "application/json", "payload": schema(e.payload)}
			payload, known := examples.events[e.name]
			if prefix == "client_" {
				message["x-key-scopes"] = e.scopes
				payload, known = examples.clients[e.name]
			}
			message["tags"] = []object{{"name": strings.TrimSuffix(prefix, "_")}}
			if !known {
				log.Fatalf("there is no example of %s in testdata", e.name)
			}
			message["examples"] = []object{{"name": "shift", "summary": "In the middle of a shift", "payload": payload}}
			messages[key] = message
			channelMessages[key] = object{"$ref": "#/components/messages/" + key}
			refs = append(refs, object{"$ref": "#/channels/radio/messages/" + key})
		}
		operations[prefix+"events"] = object{"action": action, "title": doc, "summary": doc, "description": doc, "tags": []object{{"name": strings.TrimSuffix(prefix, "_")}}, "channel": object{"$ref": "#/channels/radio"}, "messages": refs}
	}
	// connect_error is not an event of the radio but Socket.IO's own answer to a
	// handshake.
	messages["connect_error"] = object{"name": "connect_error", "title": "connect_error", "contentType": "application/json", "tags": []object{{"name": "server"}},
		"examples": []object{{"name": "locked", "summary": "An address that has guessed too often",
			"payload": wire.ConnectRefusal{Code: "locked_out", Error: "Too many failed logins, try again later", RetryAfter: 287}}}, "summary": "The handshake is refused; this is the error's data",
		"payload": schema(reflect.TypeFor[wire.ConnectRefusal]())}
	channelMessages["connect_error"] = object{"$ref": "#/components/messages/connect_error"}
	operations["connect_error"] = object{"action": "send", "description": "The protocol's own answer to a handshake that is refused", "channel": object{"$ref": "#/channels/radio"},
		"messages": []object{{"$ref": "#/channels/radio/messages/connect_error"}}}
	add("send", "server_", "What the service tells a client", serverEvents())
	add("receive", "client_", "What a client does; each event may ask for an acknowledgement", events(reflect.TypeFor[wire.ClientEvents]()))
	info := info("Squelch over Socket.IO", object{"name": "MIT"}, "Events of the radio over Socket.IO 4 (Engine.IO 4, polling and WebSocket). "+
		"A player whose game server has connected it with POST /api/game/webrtc has the same events on its connection's data channel `control`, as JSON arrays: "+
		"[name, payload, ackId] from the client, [name, payload] to it and [\"#ack\", ackId, reply] in answer. [\"#bye\"] from the client is a goodbye. "+
		"A message that is longer than the client takes comes as [\"#more\", text]… and [\"#end\", text], to be joined.")
	info["tags"] = []object{{"name": "client", "description": "What a client sends"}, {"name": "server", "description": "What the service sends"}}
	return object{
		"asyncapi": "3.1.0",
		"info":     info,
		"servers": object{"demo": object{"host": strings.TrimPrefix(demoAddress, "http://"), "pathname": "/socket.io/", "protocol": "ws",
			"description": "The demo radio, on this machine"}},
		"channels":   object{"radio": object{"address": "/", "description": "Socket.IO namespace", "messages": channelMessages}},
		"operations": operations,
		"components": object{"messages": messages, "schemas": withAlerts(schemasOf(typesOfEvents()))},
	}
}
