package main

import (
	"fmt"
	"strings"

	"squelch/themes/table"
)

// interfaces are the types of everything in the table, each line with the prefix.
func interfaces(prefix string) string {
	var b strings.Builder
	for _, u := range table.Unions {
		fmt.Fprintf(&b, "/** %s */\n%stype %s = %s;\n\n", sentence(u.Doc), prefix, u.Name, u.Type)
	}
	for _, s := range append([]table.Shape{table.State}, table.Shapes...) {
		fmt.Fprintf(&b, "/** %s */\n%sinterface %s {\n", s.Doc, prefix, s.Name)
		for _, f := range s.Fields {
			mark := ""
			if f.Optional {
				mark = "?"
			}
			fmt.Fprintf(&b, "  /** %s */\n  %s%s: %s;\n", sentence(f.Doc), f.Name, mark, f.Type)
		}
		if s.Name == "AlertType" {
			b.WriteString("  [further: string]: unknown;\n")
		}
		b.WriteString("}\n\n")
	}
	fmt.Fprintf(&b, "/** What each event carries. */\n%sinterface DispatchEvents {\n", prefix)
	for _, e := range table.Events {
		fmt.Fprintf(&b, "  /** %s */\n  %q: %s;\n", sentence(e.Doc), e.Name, payload(e))
	}
	fmt.Fprintf(&b, "}\n\n/** The radio. */\n%sinterface Dispatch {\n", prefix)
	b.WriteString("  /** Calls back at once with the present state, and on every change. The same function is told once, however often it subscribes. */\n" +
		"  on<E extends keyof DispatchEvents>(event: E, callback: (payload: DispatchEvents[E]) => void): void;\n" +
		"  /** Ends a subscription. */\n" +
		"  off<E extends keyof DispatchEvents>(event: E, callback: (payload: DispatchEvents[E]) => void): void;\n")
	methods(&b, table.Dispatch)
	fmt.Fprintf(&b, "}\n\n/** The page. What a theme changes with it is undone when the theme ends. */\n%sinterface Theme {\n", prefix)
	methods(&b, table.Theme)
	b.WriteString("}\n")
	return b.String()
}

func payload(e table.Event) string {
	var members []string
	for _, f := range e.Payload {
		members = append(members, f.Name+": "+f.Type)
	}
	return "{ " + strings.Join(members, "; ") + " }"
}

func methods(b *strings.Builder, functions []table.Function) {
	for _, f := range functions {
		fmt.Fprintf(b, "  /** %s */\n  %s;\n", f.Doc, signature(f))
	}
}

// signature is a function as TypeScript writes it in an interface.
func signature(f table.Function) string {
	var params []string
	for _, p := range f.Params {
		mark := ""
		if p.Optional {
			mark = "?"
		}
		params = append(params, p.Name+mark+": "+p.Type)
	}
	returns := f.Returns
	if returns == "" {
		returns = "void"
	}
	return fmt.Sprintf("%s(%s): %s", f.Name, strings.Join(params, ", "), returns)
}

// panelTable is panel/src/theme/table.gen.ts.
func panelTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\n%s\n", byWhom, interfaces("export "))
	b.WriteString("/** Limits of what a theme does. */\nexport const limits = {\n")
	for _, l := range table.Limits {
		fmt.Fprintf(&b, "  /** %s */\n  %s: %s,\n", sentence(l.Doc), l.Name, l.Value)
	}
	b.WriteString("} as const;\n\n")
	var fields, events, dispatch, theme []string
	for _, f := range table.State.Fields {
		fields = append(fields, f.Name)
	}
	for _, e := range table.Events {
		events = append(events, e.Name)
	}
	for _, f := range table.Dispatch {
		dispatch = append(dispatch, f.Name)
	}
	for _, f := range table.Theme {
		theme = append(theme, f.Name)
	}
	list(&b, "stateFields", "keyof DispatchState", fields)
	list(&b, "eventNames", "keyof DispatchEvents", events)
	list(&b, "dispatchFunctions", "Exclude<keyof Dispatch, \"on\" | \"off\">", dispatch)
	list(&b, "themeFunctions", "keyof Theme", theme)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func list(b *strings.Builder, name, of string, values []string) {
	fmt.Fprintf(b, "export const %s = [\n", name)
	for _, v := range values {
		fmt.Fprintf(b, "  %q,\n", v)
	}
	fmt.Fprintf(b, "] as const satisfies readonly (%s)[];\n\n", of)
}

// declarations is themes/types/squelch-theme.d.ts.
func declarations() string {
	return "// " + byWhom + `
// For editors: write /// <reference path="squelch-theme.d.ts" /> on the first line of
// theme.js and // @ts-check on the second.

` + interfaces("") + `
declare const dispatch: Dispatch;
declare const theme: Theme;

/** The function is called when the theme ends: clear timers and listeners in it. */
declare function onUnmount(cleanup: () => void): void;
` + testDeclarations
}

// testDeclarations are the globals of theme.test.js.
const testDeclarations = `
/** In theme.test.js: the radio around the theme. */
interface TestRadio {
  /** Something happens, as in a step of a scenario: { do: "talk", unit: 12, for: 3 }. Resolves when it has happened. */
  do(deed: { do: string; unit?: number; [argument: string]: unknown }): Promise<void>;
  /** Seconds pass. */
  wait(seconds: number): Promise<void>;
  /** The same as dispatch.getState(). */
  state(): DispatchState;
}

/** In theme.test.js: the page around the theme. Selectors look inside the theme's container. */
interface TestPage {
  find(selector: string): Element | null;
  findAll(selector: string): Element[];
  text(selector: string): string;
  click(selector: string): void;
  press(selector: string): void;
  release(selector: string): void;
  /** The CSS variables that the theme has set. */
  readonly variables: Readonly<Record<string, string>>;
  /** The classes that the theme has added, without the prefix. */
  readonly classes: readonly string[];
  /** The default UI is hidden. */
  readonly hidden: boolean;
  /** What the theme has asked of dispatch, in order: "joinChannel(\"154.755\")". */
  readonly actions: readonly string[];
}

/** In theme.test.js: a condition that has to hold. */
interface TestCheck {
  (condition: unknown, what: string): void;
  equal(got: unknown, want: unknown, what: string): void;
}

/** In theme.test.js: one test. The theme is started anew for each. */
declare function test(name: string, run: (t: { radio: TestRadio; page: TestPage; check: TestCheck }) => void | Promise<void>): void;
`

// sentence is a doc with a capital letter and a full stop.
func sentence(doc string) string {
	if doc == "" {
		return doc
	}
	return strings.ToUpper(doc[:1]) + doc[1:] + "."
}
