package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// told is the outcome of one step.
type told struct {
	is     string // in the form of corpusStep.Is
	answer string
	heard  map[string][]string // by caller
}

// lines are "answer …" and then, caller by caller, "NAME hears EVENT …" and "NAME
// is closed".
func (o told) lines() []string {
	lines := []string{"answer " + o.answer}
	for _, name := range slices.Sorted(maps.Keys(o.heard)) {
		for _, line := range o.heard[name] {
			lines = append(lines, name+" "+line)
		}
	}
	return lines
}

// varying are the fields whose values differ from run to run. Their JSON types are
// compared all the same.
var varying = map[string]string{
	"timestamp":  "the moment of the request",
	"createdAt":  "the moment of the request",
	"startedAt":  "the moment of the request",
	"raisedAt":   "the moment of the request",
	"ackAt":      "the moment of the request",
	"endedAt":    "the moment of the request",
	"closedAt":   "the moment of the request",
	"durationMs": "how long the requests took",
	"sessionId":  "random",
	"authToken":  "random",
	"build":      "two programs",
	"instance":   "another one after every start",
	"themes":     "files of the service; those of a simulation are beside its page",
}

// moment is the end of a transmission's id.
var moment = regexp.MustCompile(`^(tx-\d+)-\d+$`)

// onlyOfAService are events, and fields of answers, that the core cannot produce.
var onlyOfAService = map[string]string{
	"playerToken":   "made by server/session",
	"clientEvent":   "comes from scripts",
	"voice":         "frames and their counts come from the media plane",
	"webrtc:slots":  "comes from the media plane",
	"webrtc:closed": "comes from the media plane",
}

// varyingEvents are events whose payload differs from run to run.
var varyingEvents = map[string]string{"heartbeat_response": "the moment of the request"}

// heard is a line of the transcript; "": the event is left out.
func heard(event string, payload json.RawMessage) string {
	if onlyOfAService[event] != "" {
		return ""
	}
	text := plainJSON(payload)
	if varyingEvents[event] != "" {
		text = "varying"
	}
	return "hears " + event + " " + text
}

// plainJSON returns JSON with sorted keys, and without what differs from run to run.
func plainJSON(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(b)
	}
	out := &bytes.Buffer{}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if o, is := v.(map[string]any); is {
		maps.DeleteFunc(o, func(name string, _ any) bool { return onlyOfAService[name] != "" })
	}
	if err := e.Encode(without(v)); err != nil {
		return string(b)
	}
	return strings.TrimSpace(out.String())
}

func without(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	case map[string]any:
		for name, field := range v {
			if id, is := field.(string); is && name == "id" {
				v[name] = moment.ReplaceAllString(id, "$1-moment")
			} else if varying[name] != "" {
				v[name] = fmt.Sprintf("varying %T", field)
			} else {
				v[name] = without(field)
			}
		}
	}
	return v
}

// difference returns the lines of one step that only one of two tellers has: "-" for
// the first, "+" for the second; "" if they are the same.
func difference(first, second []string) string {
	if slices.Equal(first, second) {
		return ""
	}
	// common[i][j]: the length of the longest common subsequence of what is left.
	common := make([][]int, len(first)+1)
	for i := range common {
		common[i] = make([]int, len(second)+1)
	}
	for i := len(first) - 1; i >= 0; i-- {
		for j := len(second) - 1; j >= 0; j-- {
			if first[i] == second[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(first) || j < len(second); {
		switch {
		case i < len(first) && j < len(second) && first[i] == second[j]:
			i, j = i+1, j+1
		case j == len(second) || i < len(first) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(&out, "  - %s\n", first[i])
			i++
		default:
			fmt.Fprintf(&out, "  + %s\n", second[j])
			j++
		}
	}
	return out.String()
}
