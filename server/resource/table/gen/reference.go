package main

import (
	"fmt"
	"strings"

	"squelch/server/resource/table"
)

// reference is handbook/exports.md.
func reference(exports []table.Export, records []table.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Exports\n\n<!-- %s -->\n\n", byWhom)
	b.WriteString(`Call them from any resource as ` + "`exports['radio']:name(…)`" + ` or ` + "`exports.radio:name(…)`" + `, with a colon. The name is
that of the resource's folder; a folder with another name answers to ` + "`radio`" + ` too.

* A frequency may be text or a number: ` + "`'460.250'`, `'460.25'` and `460.25`" + ` are one channel.
* Server ids may be numbers or text. Players are positive, dispatchers negative.
* No export raises an error. A wrong argument, an unknown channel or user, and a radio
  that is not connected yet give the value under "On failure".
* Server exports answer from a live copy of the radio, without waiting. Those that change
  something show their effect at once; should the service refuse it after all, the effect is
  taken back and the server's console says why.
* ` + "`ensure radio`" + ` before the resources that call it, or name it as their ` + "`dependency`" + `.
* For completion in editors with lua-language-server, add ` + "`types/radio.lua`" + ` of the resource to
  ` + "`Lua.workspace.library`" + `.

`)
	for _, part := range []struct {
		side  table.Side
		title string
	}{{table.Server, "Server"}, {table.Client, "Client"}} {
		fmt.Fprintf(&b, "## %s\n\n", part.title)
		for _, e := range exports {
			if e.Side == part.side {
				b.WriteString(entryOf(e))
			}
		}
	}
	b.WriteString("## Tables that exports return\n\n")
	for _, r := range records {
		b.WriteString(recordOf(r))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func entryOf(e table.Export) string {
	var b strings.Builder
	var params []string
	for _, p := range e.Params {
		name := p.Name
		if p.Optional {
			name += "?"
		}
		params = append(params, name)
	}
	fmt.Fprintf(&b, "### %s(%s)\n\n%s\n", e.Name, strings.Join(params, ", "), e.Doc)
	if len(e.Alias) > 0 {
		fmt.Fprintf(&b, "\nAlso called `%s`.\n", strings.Join(e.Alias, "`, `"))
	}
	b.WriteString("\n| | |\n|---|---|\n")
	for _, p := range e.Params {
		doc := kinds[p.Type]
		if p.Optional {
			doc += ", optional"
		}
		if p.Doc != "" {
			doc += ": " + p.Doc
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", p.Name, doc)
	}
	if e.Returns == "" {
		b.WriteString("| Returns | nothing |\n\n")
	} else {
		fmt.Fprintf(&b, "| Returns | %s |\n", cell(strings.TrimSuffix(e.Returns, "?")))
		fmt.Fprintf(&b, "| On failure | `%s` |\n\n", e.Failure)
	}
	if e.Example != "" {
		fmt.Fprintf(&b, "```lua\n%s\n```\n\n", e.Example)
	}
	return b.String()
}

// kinds are the parameters' types in words.
var kinds = map[table.Type]string{
	table.Frequency: "frequency",
	table.ServerID:  "server id",
	table.Boolean:   "boolean",
	table.Text:      "text",
	table.Alert:     "number or text",
	table.Volume:    "number",
}

func recordOf(r table.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", r.Name)
	if r.Doc != "" {
		fmt.Fprintf(&b, "%s\n\n", r.Doc)
	}
	b.WriteString("| Field | Type | |\n|---|---|---|\n")
	for _, f := range r.Fields {
		doc := f.Doc
		typ, maybe := strings.CutSuffix(f.Type, "?")
		if maybe {
			doc = strings.TrimPrefix(doc+"; may be absent", "; ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, cell(typ), doc)
	}
	b.WriteByte('\n')
	return b.String()
}

// cell is code in a cell of a table, where a bar would end it.
func cell(code string) string { return "`" + strings.ReplaceAll(code, "|", `\|`) + "`" }
