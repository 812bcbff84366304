package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"squelch/core/wire"
)

// packageTypes are the shapes of package clients/typescript, with its tables: events to
// payload and ack, routes to path, query, body and reply.
func packageTypes() string {
	var b strings.Builder
	b.WriteString(tsShapes(typesWithAcks()))
	b.WriteString("\n/** Events that the service sends: name to payload. */\nexport interface ServerEvents {\n")
	for _, e := range serverEvents() {
		fmt.Fprintf(&b, "  /** %s */\n  %q: %s;\n", e.doc, e.name, tsType(e.payload))
	}
	b.WriteString("}\n\n/** Events that a client sends: name to payload, and to what the ack carries when it is done. */\nexport interface ClientEvents {\n")
	for _, e := range events(reflect.TypeFor[wire.ClientEvents]()) {
		payload := tsType(e.payload)
		if nullable[e.name] {
			payload += " | null"
		}
		fmt.Fprintf(&b, "  /** %s. Scope: %s. */\n  %q: { payload: %s; ack: %s };\n",
			e.doc, strings.Join(e.scopes, " or "), e.name, payload, tsAck(e.name))
	}
	b.WriteString("}\n\n/** REST routes that answer JSON: method and path to the parts of the path, query, body and reply. */\nexport interface Routes {\n")
	for _, r := range wire.Routes {
		if r.Reply != nil {
			b.WriteString(packageRoute(r))
		}
	}
	b.WriteString("}\n\n/** REST routes that answer a file or a text. */\nexport interface FileRoutes {\n")
	for _, r := range wire.Routes {
		if r.Reply == nil && r.Status == 200 {
			b.WriteString(packageRoute(r))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// nullable are the events whose whole payload may be null: null leaves the channel.
var nullable = map[string]bool{"setSpeakerChannel": true}

// typesWithAcks are allTypes and those that only acks mention.
func typesWithAcks() []reflect.Type {
	out, seen := allTypes(), map[reflect.Type]bool{}
	for _, t := range out {
		seen[t] = true
	}
	for _, name := range slices.Sorted(maps.Keys(acks)) {
		named(acks[name], seen, &out)
	}
	return out
}

func tsAck(event string) string {
	if ack := acks[event]; ack != nil {
		return tsType(ack)
	}
	return tsType(reflect.TypeFor[wire.AckOK]())
}

// packageRoute is one member of a table of routes. What a route does not take is never.
func packageRoute(r wire.Route) string {
	parts, query, body, reply := "never", "never", "never", "Response"
	if names := inBraces(r.Path); len(names) > 0 {
		parts = "{ " + strings.Join(names, ": string; ") + ": string }"
	}
	if len(r.Query) > 0 {
		var members []string
		for _, p := range r.Query {
			members = append(members, p.Name+"?: "+queryType(p.Kind))
		}
		query = "{ " + strings.Join(members, "; ") + " }"
	}
	switch {
	case r.Upload != "":
		body = "Blob"
	case r.Body != nil:
		body = tsType(reflect.TypeOf(r.Body))
	}
	if r.Reply != nil {
		reply = tsType(reflect.TypeOf(r.Reply))
	}
	doc := r.Doc + "."
	if r.Scope != "" {
		doc += fmt.Sprintf(" Scope: %s.", r.Scope)
	}
	return fmt.Sprintf("  /** %s */\n  %q: { parts: %s; query: %s; body: %s; reply: %s };\n", doc, r.Method+" "+r.Path, parts, query, body, reply)
}

// inBraces are the names in a path: "file" in /radio/tones/{file}.
func inBraces(path string) (names []string) {
	for _, piece := range strings.Split(path, "{")[1:] {
		name, _, _ := strings.Cut(piece, "}")
		names = append(names, name)
	}
	return names
}

// queryType is the TypeScript type of a type of JSON Schema.
func queryType(kind string) string {
	switch kind {
	case "integer", "number":
		return "number"
	case "boolean":
		return "boolean"
	}
	return "string"
}
