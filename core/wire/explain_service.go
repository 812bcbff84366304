//go:build !wasm

package wire

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"squelch/core"
)

// Shapes of an explanation.
type (
	// Explained says why a user may do something on a channel, or may not.
	Explained struct {
		UserID    core.UserID     `json:"userId"`
		Name      string          `json:"name"`
		NacID     string          `json:"nacId"`   // "": none, or the secret of the dispatch panel
		NacFrom   string          `json:"nacFrom"` // where it comes from, in words
		Frequency string          `json:"frequency,omitempty"`
		Channel   string          `json:"channel,omitempty"`
		Action    string          `json:"action"`
		Allowed   bool            `json:"allowed"`
		Rules     []ExplainedRule `json:"rules"`  // that were asked, in that order
		Change    []string        `json:"change"` // what to change for another answer
	}
	// ExplainedRule is one of the rules that decide.
	ExplainedRule struct {
		Rule string `json:"rule"` // dispatcher, radioAccessCheck, codeplug, ace, game server, connect, zone, nac
		Says string `json:"says"` // allows, forbids, silent
		Text string `json:"text"`
		File string `json:"file,omitempty"` // of an entry of the access rules
		Line int    `json:"line,omitempty"`
	}
)

// explainQuery are the parameters of both routes that explain.
var explainQuery = []Parameter{
	{"userId", "integer", "who: the server id of somebody who is on the radio"},
	{"frequency", "string", "the channel; not needed for dispatch"},
	{"action", "string", "what: connect (transmit, the default), scan (listen), gps (see its units on the map), dispatch (what dispatchers may do)"},
}

const explainDoc = "Why a user may do something on a channel, or may not: the rules that decided, with file and line of access rules, and what to change"

// explainRoutes are for those who run the service. They name players' identifiers.
var explainRoutes = []Route{
	{Method: get, Path: "/radio/dispatch/explain", Auth: Master, Scope: ScopeDispatch, Query: explainQuery, Reply: Explained{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 429}, Extension: true, Doc: explainDoc},
}

// adminExplainRoutes are the same for the administration.
var adminExplainRoutes = []Route{
	{Method: get, Path: "/admin/api/explain", Auth: Admin, Query: explainQuery, Reply: Explained{}, Status: 200,
		Errors: []int{400, 401, 404, 429}, Extension: true, Doc: explainDoc},
}

// Question is what is asked of core.View.Explain.
type Question struct {
	User      core.UserID
	Frequency core.Frequency
	Action    core.Action
}

// ReadQuestion reads the query of a route that explains. The error names the parameter.
func ReadQuestion(q url.Values) (ask Question, err error) {
	ask.Action = core.Action(q.Get("action"))
	if ask.Action == "" {
		ask.Action = core.ActConnect
	}
	id, err := strconv.ParseInt(q.Get("userId"), 10, 32)
	if err != nil || id == 0 {
		return ask, &core.Error{Kind: core.Invalid, Field: "userId", Message: fmt.Sprintf("userId must be a server id, such as 7, not %.40q", q.Get("userId"))}
	}
	ask.User = core.UserID(id)
	if text := strings.TrimSpace(q.Get("frequency")); text != "" {
		if ask.Frequency, err = core.ParseFrequency(text); err != nil {
			return ask, &core.Error{Kind: core.Invalid, Field: "frequency", Message: fmt.Sprintf("frequency must be a frequency, such as 154.755, not %.40q", text)}
		}
	} else if ask.Action != core.ActDispatch {
		return ask, &core.Error{Kind: core.Invalid, Field: "frequency", Message: "frequency is missing"}
	}
	return ask, nil
}

// ExplainedOf is an explanation; where gives the file and line of an entry, 0: not known.
func ExplainedOf(e core.Explanation, where func(core.ACE) (file string, line int)) Explained {
	out := Explained{UserID: e.User, Name: e.Name, NacID: e.Nac, NacFrom: e.NacFrom, Channel: e.Channel, Action: string(e.Action), Allowed: e.Allowed,
		Rules: []ExplainedRule{}, Change: append([]string{}, e.Change...)}
	if e.Frequency != 0 {
		out.Frequency = e.Frequency.String()
	}
	for _, r := range e.Rules {
		row := ExplainedRule{Rule: r.Name, Says: r.Says, Text: r.Text}
		if r.Entry != nil && where != nil {
			row.File, row.Line = where(*r.Entry)
		}
		out.Rules = append(out.Rules, row)
	}
	return out
}
