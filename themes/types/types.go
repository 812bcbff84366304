// Package types has the declarations with which editors complete and check the scripts
// of themes.
package types

import _ "embed"

// Name is the file's usual name.
const Name = "squelch-theme.d.ts"

// Declarations is the file, generated from package table.
//
//go:embed squelch-theme.d.ts
var Declarations []byte
