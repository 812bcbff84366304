//go:build !wasm

package wire

import _ "embed"

// OpenAPI describes the REST interface, as OpenAPI 3.1.
//
//go:embed openapi.gen.json
var OpenAPI []byte

// AsyncAPI describes the events over Socket.IO, as AsyncAPI 3.
//
//go:embed asyncapi.gen.json
var AsyncAPI []byte
