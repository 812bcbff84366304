// Package demo is ten seconds of real speech as an Ogg Opus file, for demos,
// tests and the command line's --play. The reader is in the public domain
// (LibriVox), the same as in sfu/imbe/testdata.
package demo

import _ "embed"

//go:generate go run ./gen

// Speech is the file: 20 ms packets, mono, encoded at 8 kHz.
//
//go:embed speech.ogg
var Speech []byte
