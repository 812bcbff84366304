// Package table is the list of every export that the game resource offers to other
// resources: the one source of shared/table.lua, which the Lua code checks arguments
// by, of the annotations for editors (types/radio.lua), and of handbook/exports.md.
package table

//go:generate go run ./gen

// Side is where an export runs.
type Side string

// The sides.
const (
	Server Side = "server"
	Client Side = "client"
)

// Type is what a parameter takes. The Lua side has one conversion per type
// (Radio.convert in shared/common.lua); what it cannot convert is a wrong argument, and
// the export answers its failure value.
type Type string

// The types of parameters.
const (
	Frequency Type = "frequency" // text or number; arrives as the canonical text
	ServerID  Type = "serverId"  // whole number or its text, not 0; arrives as a number
	Boolean   Type = "boolean"
	Text      Type = "text"   // text or number; arrives as text
	Alert     Type = "alert"  // 1-based index (number) or name (text)
	Volume    Type = "volume" // finite number; arrives within 0.0 and 1.0
)

// Param is a parameter of an export.
type Param struct {
	Name     string
	Type     Type
	Optional bool // nil is a value of its own, not a mistake
	Doc      string
}

// Export is one function in exports['radio'].
type Export struct {
	Side    Side
	Name    string
	Alias   []string // older names of the same function
	Params  []Param
	Returns string // in LuaLS notation; "": nothing
	Failure string // a Lua literal; what a wrong argument, an unknown channel or user, and an error give
	// Changes marks exports that change the radio of others. The operator may limit
	// them to some resources.
	Changes bool
	Doc     string // one or more sentences in plain English, for editors and the handbook
	Example string // Lua, for the handbook
}

// Names is the export's name and those that it had before.
func (e Export) Names() []string { return append([]string{e.Name}, e.Alias...) }

// Exports is the whole table, in the order of the reference.
func Exports() []Export { return append(serverExports(), clientExports()...) }

func frequency() Param { return Param{Name: "frequency", Type: Frequency} }
func serverID() Param  { return Param{Name: "serverId", Type: ServerID} }
func enabled() Param   { return Param{Name: "enabled", Type: Boolean} }
func tone() Param {
	return Param{Name: "tone", Type: Text, Doc: "name from the tone list, for example \"ALERT_A\""}
}
