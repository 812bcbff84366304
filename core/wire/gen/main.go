// Command gen writes what is generated from the shapes of package wire: typed events
// and bodies for the panel and for clients/typescript, OpenAPI 3.1 for REST, AsyncAPI 3
// for Socket.IO, scope_gen.go, and the calls and events of clients/go. It runs in
// core/wire (go generate).
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"slices"

	"squelch/core/wire"
)

func main() {
	log.SetFlags(0)
	write("../../panel/src/wire.gen.ts", []byte(panelTypes()))
	write("../../clients/typescript/src/wire.gen.ts", []byte(packageTypes()))
	write("scope_gen.go", scopes())
	write("../../clients/go/routes_gen.go", clientRoutes())
	write("../../clients/go/events_gen.go", clientEvents())
	examples := readExamples()
	writeJSON("openapi.gen.json", openAPI(slices.Concat(wire.Routes, wire.AdminRoutes), examples))
	writeJSON("asyncapi.gen.json", asyncAPI(examples))
}

func writeJSON(path string, doc any) {
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	write(path, append(b, '\n'))
}

func write(path string, b []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		log.Fatal(err)
	}
}
