package main

import (
	"fmt"
	"strings"

	"squelch/server/resource/table"
)

// luaTable is shared/table.lua: what the Lua code checks arguments by.
func luaTable(exports []table.Export) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s\n-- Every export, its parameters, and what it answers when it cannot.\n\n", byWhom)
	b.WriteString("Radio = Radio or {}\n\nRadio.exports = {\n")
	for _, side := range []table.Side{table.Server, table.Client} {
		fmt.Fprintf(&b, "    %s = {\n", side)
		for _, e := range exports {
			if e.Side == side {
				fmt.Fprintf(&b, "        %s,\n", entry(e))
			}
		}
		b.WriteString("    },\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func entry(e table.Export) string {
	parts := []string{"name = '" + e.Name + "'"}
	if len(e.Alias) > 0 {
		parts = append(parts, "alias = { '"+strings.Join(e.Alias, "', '")+"' }")
	}
	var params []string
	for _, p := range e.Params {
		s := "{ '" + p.Name + "', '" + string(p.Type) + "'"
		if p.Optional {
			s += ", optional = true"
		}
		params = append(params, s+" }")
	}
	list := "{}"
	if len(params) > 0 {
		list = "{ " + strings.Join(params, ", ") + " }"
	}
	parts = append(parts, "params = "+list, "failure = "+e.Failure)
	if e.Changes {
		parts = append(parts, "changes = true")
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
