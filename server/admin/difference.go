package admin

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// Difference is one changed value of the configuration, or one row that came, went or
// moved, for the audit log. The page finds them in the same way before it saves
// (panel/src/admin/difference.ts).
type Difference struct {
	Kind string   `json:"kind"` // changed, added, removed, moved
	Path string   `json:"path"` // of a removed row in the old document, else in the new one; lists count from 1
	Row  []string `json:"row"`  // the names of the rows around it, the outermost first
	From any      `json:"from,omitempty"`
	To   any      `json:"to,omitempty"` // of a move: the names of the rows in their order
}

// Bounds of what one audit entry lists of a change: together they keep it below
// audit.MaxEntry.
const (
	maxChanges    = 100
	maxChangeText = 500 // bytes of one value as JSON
	maxRowName    = 100 // bytes of the name of a row
)

// rowNames is what tells the rows of a list apart: the first of these that fits.
var rowNames = map[string][]string{
	"zones": {"name"}, "zones.channels": {"frequency", "name"}, "alerts": {"name"}, "tones": {"name"},
	"announcementGroups": {"id", "name"}, "codeplugs": {"id"}, "jobCodeplugs": {"job"}, "layouts": {"name"},
}

// rowTitles is what a person calls a row, where that is not its name.
var rowTitles = map[string]string{"codeplugs": "id", "jobCodeplugs": "job"}

// changed is what an edit changes, for the audit log: at most maxChanges, and how many
// more there are.
func changed(from, to *core.Config) ([]Difference, int, error) {
	old, err := document(from)
	if err != nil {
		return nil, 0, err
	}
	fresh, err := document(to)
	if err != nil {
		return nil, 0, err
	}
	all := differences(old, fresh)
	kept := all[:min(len(all), maxChanges)]
	for i := range kept {
		kept[i].From, kept[i].To = short(kept[i].From), short(kept[i].To)
		for j, name := range kept[i].Row {
			kept[i].Row[j] = cut(name, maxRowName)
		}
	}
	return kept, len(all) - len(kept), nil
}

// document is the editable configuration as JSON.
func document(c *core.Config) (map[string]any, error) {
	b, err := json.Marshal(wire.AdminPartsOf(c))
	if err != nil {
		return nil, err
	}
	var d map[string]any
	err = json.Unmarshal(b, &d)
	return d, err
}

func short(v any) any {
	b, err := json.Marshal(v)
	if err != nil || len(b) <= maxChangeText {
		return v
	}
	text, isText := v.(string)
	if !isText {
		text = string(b)
	}
	return cut(text, maxChangeText)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// differences lists what has changed, in the order of the new document.
func differences(from, to map[string]any) []Difference {
	c := comparison{}
	c.objects("", nil, readable(from), readable(to))
	return c.found
}

type comparison struct{ found []Difference }

var numbers = regexp.MustCompile(`\[\d+\]`)

func bare(path string) string { return numbers.ReplaceAllString(path, "") }

// readable shows frequencies as the operator writes them, and names the zones of
// codeplugs, whose numbers change when zones move.
func readable(d map[string]any) map[string]any {
	out := maps.Clone(d)
	zones := rowsOf(d["zones"])
	if d["zones"] != nil {
		shown := []any{}
		for _, z := range zones {
			shown = append(shown, readableZone(z))
		}
		out["zones"] = shown
	}
	if d["codeplugs"] == nil {
		return out
	}
	plugs := []any{}
	for _, plug := range rowsOf(d["codeplugs"]) {
		named := maps.Clone(plug)
		list, _ := plug["zones"].([]any)
		names := []any{}
		for _, n := range list {
			if at, ok := n.(float64); ok && at >= 1 && int(at) <= len(zones) {
				n = zones[int(at)-1]["name"]
			}
			names = append(names, n)
		}
		named["zones"] = names
		plugs = append(plugs, named)
	}
	out["codeplugs"] = plugs
	return out
}

func readableZone(z map[string]any) map[string]any {
	out, channels := maps.Clone(z), []any{}
	for _, c := range rowsOf(z["channels"]) {
		c = maps.Clone(c)
		if shown, ok := c["display"].(string); ok && shown != "" {
			c["frequency"] = shown
		}
		delete(c, "display")
		channels = append(channels, c)
	}
	out["channels"] = channels
	return out
}

func rowsOf(v any) []map[string]any {
	list, _ := v.([]any)
	out := make([]map[string]any, len(list))
	for i, row := range list {
		out[i], _ = row.(map[string]any)
	}
	return out
}

func (c *comparison) objects(path string, row []string, from, to map[string]any) {
	keys := map[string]bool{}
	for key := range from {
		keys[key] = true
	}
	for key := range to {
		keys[key] = true
	}
	for _, key := range wire.SortedKeys(keys) {
		at := key
		if path != "" {
			at = path + "." + key
		}
		c.values(at, row, from[key], to[key])
	}
}

func (c *comparison) values(path string, row []string, from, to any) {
	if reflect.DeepEqual(from, to) || empty(from) && empty(to) {
		return
	}
	if keys, isList := rowNames[bare(path)]; isList {
		c.rows(path, keys, row, rowsOf(from), rowsOf(to))
		return
	}
	old, oldPlain := from.(map[string]any)
	fresh, freshPlain := to.(map[string]any)
	if oldPlain && (freshPlain || to == nil) || freshPlain && from == nil {
		c.objects(path, row, old, fresh)
		return
	}
	c.found = append(c.found, Difference{Kind: "changed", Path: path, Row: names(row), From: from, To: to})
}

// empty: an empty list and no list are the same to the radio.
func empty(v any) bool {
	list, isList := v.([]any)
	return v == nil || v == "" || isList && len(list) == 0
}

func (c *comparison) rows(path string, keys, row []string, from, to []map[string]any) {
	pairs := matched(keys, from, to)
	title := func(r map[string]any) string {
		key := rowTitles[bare(path)]
		if key == "" {
			key = "name"
		}
		text, _ := r[key].(string)
		return text
	}
	taken := map[int]bool{}
	var order []int
	var moved []string
	for i, r := range to {
		at := fmt.Sprintf("%s[%d]", path, i+1)
		inside := append(slices.Clone(row), title(r))
		old := pairs[i]
		if old < 0 {
			c.found = append(c.found, Difference{Kind: "added", Path: at, Row: inside})
			continue
		}
		taken[old] = true
		order, moved = append(order, old), append(moved, title(r))
		c.objects(at, inside, from[old], r)
	}
	for i, r := range from {
		if !taken[i] {
			c.found = append(c.found, Difference{Kind: "removed", Path: fmt.Sprintf("%s[%d]", path, i+1), Row: append(slices.Clone(row), title(r))})
		}
	}
	if slices.IsSorted(order) {
		return
	}
	slices.Sort(order)
	var before []string
	for _, i := range order {
		before = append(before, title(from[i]))
	}
	c.found = append(c.found, Difference{Kind: "moved", Path: path, Row: names(row), From: before, To: moved})
}

// matched finds for each new row the old one that it was, else -1: an equal one, else
// one of the same name, else, if nothing was added or removed, the one at its place.
func matched(keys []string, from, to []map[string]any) []int {
	out, taken := make([]int, len(to)), make([]bool, len(from))
	for i := range out {
		out[i] = -1
	}
	pass := func(fits func(old, fresh map[string]any) bool) {
		for i, r := range to {
			for at := 0; at < len(from) && out[i] < 0; at++ {
				if !taken[at] && fits(from[at], r) {
					out[i], taken[at] = at, true
				}
			}
		}
	}
	pass(func(old, fresh map[string]any) bool { return reflect.DeepEqual(old, fresh) })
	for _, key := range keys {
		pass(func(old, fresh map[string]any) bool {
			name, _ := old[key].(string)
			return name != "" && name == fresh[key]
		})
	}
	for i := range out {
		if len(from) == len(to) && out[i] < 0 && !taken[i] {
			out[i], taken[i] = i, true
		}
	}
	return out
}

func names(row []string) []string { return append([]string{}, row...) }
