package main

import (
	"fmt"
	"strings"

	"squelch/themes/table"
)

// authors is themes/AUTHORS.md. The defaults are the variables' values at night.
func authors(defaults map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Writing themes\n\n<!-- %s -->\n\n%s", byWhom, introduction)
	b.WriteString("\n## State: dispatch.getState()\n\n" + table.State.Doc + "\n\n")
	fields(&b, table.State.Fields)
	b.WriteString("\n### Objects in it\n")
	for _, s := range table.Shapes {
		fmt.Fprintf(&b, "\n**%s.** %s\n\n", s.Name, s.Doc)
		fields(&b, s.Fields)
	}
	b.WriteString("\n" + marked + "\n\n## Events: dispatch.on(event, callback)\n\n" + events)
	b.WriteString("| Event | Payload | When |\n|---|---|---|\n")
	for _, e := range table.Events {
		mark := ""
		if e.Extension {
			mark = " ⁺"
		}
		fmt.Fprintf(&b, "| `%s`%s | `%s` | %s |\n", e.Name, mark, cell(payload(e)), e.Doc)
	}
	b.WriteString("\n## Actions: dispatch\n\n" + actions)
	functions(&b, "dispatch", table.Dispatch)
	b.WriteString("\n## The page: theme and onUnmount\n\n")
	functions(&b, "theme", table.Theme)
	b.WriteString("\n### onUnmount(cleanup)\n\n" + cleanup)
	b.WriteString("\n## Limits\n\n| What | Limit |\n|---|---|\n")
	for _, l := range table.Limits {
		fmt.Fprintf(&b, "| %s | `%s`%s |\n", l.Doc, cell(l.Value), after(" ", l.Unit))
	}
	b.WriteString(packageLimits)
	b.WriteString("\n## CSS variables\n\n" + variables)
	for _, g := range table.Variables {
		fmt.Fprintf(&b, "\n### %s\n\n| Variable | What | At night |\n|---|---|---|\n", g.Title)
		for _, v := range g.Variables {
			fmt.Fprintf(&b, "| `--sq-%s` | %s | `%s` |\n", v.Name, v.Doc, cell(defaults[v.Name]))
		}
	}
	b.WriteString("\n## Parts: [data-part=…]\n\n" + parts + "| data-part | What |\n|---|---|\n")
	for _, p := range table.Parts {
		fmt.Fprintf(&b, "| `%s` | %s |\n", p.Name, p.Doc)
	}
	b.WriteString("\n## States\n\n| On | Attribute | Values | What |\n|---|---|---|---|\n")
	for _, a := range table.Attributes {
		values := "present"
		if len(a.Values) > 0 {
			values = "`" + strings.Join(a.Values, "` `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", a.On, a.Name, values, a.Doc)
	}
	return b.String()
}

func fields(b *strings.Builder, list []table.Field) {
	b.WriteString("| Field | Type | What |\n|---|---|---|\n")
	for _, f := range list {
		name := "`" + f.Name + "`"
		if f.Extension {
			name += " ⁺"
		}
		doc := f.Doc
		if f.Optional {
			doc += "; may be absent"
		}
		fmt.Fprintf(b, "| %s | `%s` | %s |\n", name, cell(f.Type), doc)
	}
}

func functions(b *strings.Builder, of string, list []table.Function) {
	group := ""
	for _, f := range list {
		if f.Group != group && of == "dispatch" {
			fmt.Fprintf(b, "### %s\n\n", f.Group)
		}
		group = f.Group
		mark := ""
		if f.Extension {
			mark = " ⁺"
		}
		fmt.Fprintf(b, "**`%s.%s`**%s  \n%s\n", of, signature(f), mark, f.Doc)
		for _, p := range f.Params {
			if p.Doc != "" {
				fmt.Fprintf(b, "* `%s`: %s.\n", p.Name, p.Doc)
			}
		}
		if f.Example != "" {
			fmt.Fprintf(b, "\n```js\n%s\n```\n", f.Example)
		}
		b.WriteString("\n")
	}
}

// cell escapes what would end a table's cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func after(space, s string) string {
	if s == "" {
		return ""
	}
	return space + s
}
