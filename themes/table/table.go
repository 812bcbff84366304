// Package table is everything that a theme may rely on: the state that it reads, the
// events that it hears, what it may do, and the variables, parts and states that its
// stylesheet addresses. It is the one source of the types that the panel implements
// (panel/src/theme/table.gen.ts), of the declarations for authors
// (themes/types/squelch-theme.d.ts) and of their page (themes/AUTHORS.md).
package table

//go:generate go run ./gen

// Field is a member of an object, or a parameter of a function.
type Field struct {
	Name      string
	Type      string // TypeScript
	Optional  bool   // it may be left out
	Extension bool   // the older product does not have it
	Doc       string // a sentence without its full stop
}

// Shape is an object with a name of its own.
type Shape struct {
	Name   string
	Doc    string
	Fields []Field
}

// Event is one that dispatch.on subscribes to.
type Event struct {
	Name      string
	Payload   []Field
	Doc       string // when it is told, without the full stop
	Extension bool   // the older product does not have it
}

// Function is one of dispatch or theme.
type Function struct {
	Group     string // a heading of the authors' page
	Name      string
	Params    []Field
	Returns   string // TypeScript; "": nothing
	Extension bool
	Doc       string // one or more sentences
	Example   string // JavaScript; "": none
}

// Limit is a number or a pattern that a theme has to keep.
type Limit struct {
	Name  string // in table.gen.ts
	Value string // a TypeScript literal
	Doc   string // what it limits, without the full stop
	Unit  string // "": none
}
