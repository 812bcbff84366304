package main

import (
	"fmt"
	"strings"

	"squelch/server/resource/table"
)

// luaTypes are the parameters' types in LuaLS notation.
var luaTypes = map[table.Type]string{
	table.Frequency: "string|number",
	table.ServerID:  "integer",
	table.Boolean:   "boolean",
	table.Text:      "string",
	table.Alert:     "integer|string",
	table.Volume:    "number",
}

// annotations is types/radio.lua, for the Lua language server: point
// Lua.workspace.library at its folder. Both sides are one class, because a workspace
// does not tell server files from client files.
func annotations(exports []table.Export, records []table.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---@meta\n-- %s\n-- The radio's exports, for editors with lua-language-server. In a script:\n--     ---@type RadioExports\n--     local radio = exports.radio\n", byWhom)
	for _, r := range records {
		b.WriteByte('\n')
		if r.Doc != "" {
			fmt.Fprintf(&b, "---%s\n", r.Doc)
		}
		fmt.Fprintf(&b, "---@class %s\n", r.Name)
		for _, f := range r.Fields {
			fmt.Fprintln(&b, strings.TrimRight("---@field "+fieldName(f.Name)+" "+f.Type+" "+f.Doc, " "))
		}
	}
	b.WriteString("\n---@class RadioExports\nlocal radio = {}\n")
	for _, e := range exports {
		for i, name := range e.Names() {
			b.WriteByte('\n')
			where := "Server"
			if e.Side == table.Client {
				where = "Client"
			}
			fmt.Fprintf(&b, "---(%s) %s\n", where, e.Doc)
			if i > 0 {
				fmt.Fprintf(&b, "---@deprecated Another name of %s.\n", e.Name)
			}
			var names []string
			for _, p := range e.Params {
				name := p.Name
				if p.Optional {
					name += "?"
				}
				fmt.Fprintln(&b, strings.TrimRight("---@param "+name+" "+luaTypes[p.Type]+" "+p.Doc, " "))
				names = append(names, p.Name)
			}
			if e.Returns != "" {
				fmt.Fprintf(&b, "---@return %s\n", e.Returns)
			}
			fmt.Fprintf(&b, "function radio:%s(%s) end\n", name, strings.Join(names, ", "))
		}
	}
	return b.String()
}

// fieldName is a field as LuaLS reads it; "repeat" is a word of the language.
func fieldName(name string) string {
	if name == "repeat" {
		return "['repeat']"
	}
	return name
}
