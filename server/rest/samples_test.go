package rest_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/internal/testtheme"
	"squelch/server/rest"
	"squelch/server/session"
	"squelch/server/themedesk"
	"squelch/themes"
)

// sample is one route in examples: a call that succeeds, and every refusal that is
// particular to it (the general ones are made from the route list).
type sample struct {
	path     string // "": the route's own
	body     string // of the call that succeeds
	refusals []refusal
}

type refusal struct {
	status  int
	body    string
	text    string
	prepare func(*station)
	path    string // "": the sample's
}

const (
	noSuchChannel = `"155.999"`
	alertEntry    = `{"name":"SIGNAL 100","color":"#f00","isPersistent":true,"tones":{"activate":"ALERT_A"},"note":"extra keys are kept"}`
)

// unknownFrequencies are spellings and numbers for which there is no channel. The
// first one is the empty text, which means everyone in a broadcast.
func unknownFrequencies(before, after string) []refusal {
	var all []refusal
	for _, f := range []string{`""`, noSuchChannel, `155.999`, `"abc"`, `0`, `-154.755`, `"154.755 "`, `"1e3"`, `1000000`, `"154,755"`, `1e300`} {
		all = append(all, refusal{status: 404, body: before + f + after, text: "Channel not found"})
	}
	return all
}

func unknownUser(before, after string) []refusal {
	return []refusal{
		{status: 404, body: before + `99` + after, text: "User not found"},
		{status: 404, body: before + `"99"` + after, text: "User not found"},
		{status: 404, body: before + `-99` + after, text: "User not found"},
		{status: 400, body: before + `0` + after, text: "must not be 0"},
	}
}

func callsignsOff(body string) refusal {
	return refusal{status: 403, body: body, text: "useCallsignSystem", prepare: func(s *station) {
		c := radioConfig()
		c.UseCallsignSystem = false
		s.do(core.Actor{Surface: core.ByAdmin}, core.ReplaceConfig{Config: c})
	}}
}

func patched(s *station) {
	s.do(core.Actor{Surface: core.ByREST}, core.CreatePatch{Frequencies: []core.Frequency{frequency(mainChannel), frequency(tacChannel)}})
}

// samples has one entry per route of the list.
var samples = map[string]sample{
	"GET /api/health":  {},
	"GET /readyz":      {refusals: []refusal{{status: 503, text: "storage unavailable: no space left", prepare: func(s *station) { s.unready = "storage unavailable: no space left" }}}},
	"GET /metrics":     {},
	"GET /api/cluster": {},
	"POST /api/cluster/move": {body: `{"radio":"default","node":"n2"}`, refusals: []refusal{
		{status: 404, body: `{"radio":"defualt","node":"n2"}`, text: `Radio "defualt" not found; did you mean default?`},
		{status: 404, body: `{"radio":"default","node":"n22"}`, text: `Node "n22" not found; did you mean n2?`},
		{status: 409, body: `{"radio":"default","node":"n3"}`, text: "Node n3 is gone"},
		{status: 409, body: `{"radio":"default","node":"n2"}`, prepare: func(s *station) { s.alone() }, text: "This service is alone"},
		{status: 503, body: `{"radio":"default","node":"n1"}`, text: "has not answered"},
	}},
	"GET /radio/dispatch/explain": {path: "/radio/dispatch/explain?userId=7&frequency=154.755", refusals: []refusal{
		{status: 400, path: "/radio/dispatch/explain?frequency=154.755", text: "userId must be a server id"},
		{status: 400, path: "/radio/dispatch/explain?userId=7", text: "frequency is missing"},
		{status: 400, path: "/radio/dispatch/explain?userId=7&frequency=north", text: "frequency must be a frequency"},
		{status: 400, path: "/radio/dispatch/explain?userId=7&frequency=154.755&action=talk", text: "action must be one of"},
		{status: 400, path: "/radio/dispatch/explain?userId=7&freqency=154.755", text: "did you mean frequency?"},
		{status: 404, path: "/radio/dispatch/explain?userId=99&frequency=154.755", text: "is not on the radio"},
		{status: 404, path: "/radio/dispatch/explain?userId=7&frequency=999.5", text: "Channel not found"},
	}},
	"GET /radio/dispatch/status": {},
	"GET /api/status":            {},
	"GET /radio/dispatch/config": {},
	"GET /radio/dispatch/tones":  {},
	"GET /api/patches":           {},
	"GET /api/timeline": {refusals: []refusal{
		{status: 400, path: "/api/timeline?before=x", text: "before must be the next of an earlier answer"},
		{status: 400, path: "/api/timeline?before=-1", text: "before must be"},
		{status: 400, path: "/api/timeline?freqency=154.755", text: "freqency is unknown; did you mean frequency?"},
		{status: 400, path: "/api/timeline?chanel=154.755", text: "chanel is unknown; known are before, limit, from, to, kind, frequency, unit, text"},
		{status: 400, path: "/api/timeline?limit=501", text: "limit must be an integer from 1 to 500"},
		{status: 400, path: "/api/timeline?limit=0", text: "limit must be"},
		{status: 400, path: "/api/timeline?from=yesterday", text: "from must be a moment in ms since the epoch"},
		{status: 400, path: "/api/timeline?from=2&to=1", text: "to must not be before from"},
		{status: 400, path: "/api/timeline?kind=alert,keyed", text: "not \"keyed\""},
		{status: 400, path: "/api/timeline?frequency=north", text: "frequency must be a frequency"},
		{status: 400, path: "/api/timeline?unit=" + strings.Repeat("x", 201), text: "unit must have at most 200 bytes"},
		{status: 400, path: "/api/timeline?text=" + strings.Repeat("x", 201), text: "text must have at most 200 bytes"},
		{status: 400, path: "/api/timeline?%zz", text: "The query is malformed"},
	}},
	"GET /radio/dispatch/login":    {refusals: []refusal{{status: 404, path: "off", text: "not configured"}}},
	"GET /radio/dispatch/callback": {path: "/radio/dispatch/callback?state=x", refusals: []refusal{{status: 404, path: "off", text: "not configured"}}},
	"GET /radio/resource.zip": {refusals: []refusal{{status: 404, text: "just panel", prepare: func(s *station) {
		s.use(s.t, func(o *rest.Options) { o.Resource = nil })
	}}}},
	"GET /api/game/callbacks": {refusals: []refusal{{status: 404, text: "No callback of config.lua", prepare: func(s *station) {
		s.use(s.t, func(o *rest.Options) { o.Callbacks = nil })
	}}}},
	"GET /radio/dispatch/installer":   {refusals: []refusal{{status: 404, path: "off", text: "no installer"}}},
	"GET /radio/dispatch/update.json": {refusals: []refusal{{status: 404, path: "off", text: "no update manifest"}}},
	"GET /radio/tones/{file}":         {path: "/radio/tones/beep.wav", refusals: []refusal{{status: 404, path: "/radio/tones/none.wav", text: "Tone not found"}}},

	"POST /radio/dispatch/auth": {body: `{"nacId":4711,"callsign":"CAD"}`, refusals: []refusal{
		{status: 401, body: `{"nacId":"4712","callsign":"CAD"}`, text: "Invalid NAC ID"},
		{status: 400, body: `{"nacId":" ","callsign":"CAD"}`, text: "nacId must not be empty"},
		{status: 400, body: `{"nacId":"4711","callsign":" "}`, text: "callsign must not be empty"},
		{status: 400, body: `{"nacId":"4711","callsign":"C\u0000D"}`, text: "callsign must not contain control characters"},
	}},
	"POST /radio/dispatch/reauth": {body: `{"callsign":"CAD"}`, refusals: []refusal{
		{status: 400, body: `{"callsign":""}`, text: "callsign must not be empty"},
	}},

	"POST /radio/dispatch/logout": {},

	"POST /api/trigger-broadcast": {body: `{"message":"Shift change","frequency":154.7550,"type":"Information Alert"}`,
		refusals: append(unknownFrequencies(`{"message":"x","frequency":`, `}`)[1:],
			refusal{status: 400, body: `{"message":"  "}`, text: "message is missing"})},
	"POST /radio/dispatch/broadcast": {body: `{"message":"Shift change","tone":"beep"}`,
		refusals: append(unknownFrequencies(`{"message":"x","frequency":`, `}`)[1:],
			refusal{status: 400, body: `{"message":"x","tone":"GONG"}`, text: `unknown tone "GONG" (known: `})},
	"POST /api/play-tone": {body: `{"frequency":"154.755","tone":"BEEP"}`,
		refusals: append(unknownFrequencies(`{"tone":"BEEP","frequency":`, `}`),
			refusal{status: 400, body: `{"frequency":"154.755","tone":"GONG"}`, text: "tone"})},
	"POST /radio/dispatch/tone": {body: `{"frequency":"154.7550","tone":"beep"}`,
		refusals: append(unknownFrequencies(`{"tone":"BEEP","frequency":`, `}`),
			refusal{status: 400, body: `{"frequency":"154.755","tone":""}`, text: "tone"})},
	"POST /radio/dispatch/alert/trigger": {body: `{"frequency":154.755,"alertType":"SIGNAL 100","alertConfig":` + alertEntry + `}`,
		refusals: append(unknownFrequencies(`{"alertConfig":`+alertEntry+`,"frequency":`, `}`),
			refusal{status: 404, body: `{"frequency":154.755,"alertType":"NO SUCH"}`, text: "Alert not found"},
			refusal{status: 400, body: `{"frequency":154.755}`, text: "alertConfig is missing"},
			refusal{status: 400, body: `{"frequency":154.755,"alertConfig":{"color":"#f00"}}`, text: "alertConfig.name"},
			refusal{status: 400, body: `{"frequency":154.755,"alertConfig":{"name":"x","tones":5}}`, text: "alertConfig.tones"},
			refusal{status: 400, body: `{"frequency":154.755,"alertConfig":{"name":"x","tones":{"activate":5}}}`, text: "alertConfig.tones.activate must be a string"},
			refusal{status: 400, body: `{"frequency":154.755,"alertConfig":{"name":"x","repeatInterval":-1}}`, text: "alertConfig.repeatInterval"})},
	"POST /radio/dispatch/alert/clear": {body: `{"frequency":154.755}`, refusals: unknownFrequencies(`{"frequency":`, `}`)},
	"POST /radio/dispatch/alert/oneshot": {body: `{"frequency":154.755,"alertConfig":{"name":"Chirp","toneOnly":true,"tone":"BEEP"}}`,
		refusals: append(unknownFrequencies(`{"alertConfig":`+alertEntry+`,"frequency":`, `}`),
			refusal{status: 400, body: `{"frequency":154.755,"alertConfig":{}}`, text: "alertConfig.name"})},
	"POST /radio/dispatch/switchChannel": {body: `{"serverId":7,"frequency":460.25,"oldFrequency":{"any":"thing"}}`,
		refusals: append(append(unknownFrequencies(`{"serverId":7,"frequency":`, `}`), unknownUser(`{"frequency":460.25,"serverId":`, `}`)...),
			refusal{status: 409, body: `{"serverId":7,"frequency":851}`, prepare: fullPool})},
	"POST /dispatch/user/alert": {body: `{"userId":"7","message":"Call dispatch","frequency":null}`,
		refusals: append(append(unknownFrequencies(`{"userId":7,"message":"x","frequency":`, `}`), unknownUser(`{"message":"x","userId":`, `}`)...),
			refusal{status: 400, body: `{"userId":7,"message":""}`, text: "message is missing"})},
	"POST /dispatch/user/disconnect": {body: `{"userId":7}`, refusals: unknownUser(`{"userId":`, `}`)},
	"POST /dispatch/user/set-player-callsign": {body: `{"userId":7,"callsign":"2-ADAM-7"}`,
		refusals: append(unknownUser(`{"callsign":"A","userId":`, `}`), callsignsOff(`{"userId":7,"callsign":"A"}`),
			refusal{status: 400, body: `{"userId":7,"callsign":"123456789012345678901234567890123"}`, text: "callsign must have 1 to 32"})},
	"POST /dispatch/user/update-callsign": {body: `{"callsign":"DISPATCH 2"}`, refusals: []refusal{
		{status: 400, body: `{"callsign":"A","userId":7}`, text: "userId must be negative"},
		{status: 400, body: `{"callsign":"A","userId":0}`, text: "userId must not be 0"},
		{status: 404, body: `{"callsign":"A","userId":-99}`, text: "User not found"},
		callsignsOff(`{"callsign":"A"}`),
	}},
	"POST /api/patch/create": {body: `{"label":"Joint","frequencies":[154.755,"460.250"]}`,
		refusals: append(unknownFrequencies(`{"frequencies":["154.755",`, `]}`),
			refusal{status: 409, body: `{"frequencies":["155.1","460.25"]}`, text: "460.25 is already in patch p-1", prepare: patched},
			refusal{status: 400, body: `{"frequencies":["154.755"]}`, text: "at least 2 distinct"},
			refusal{status: 400, body: `{"frequencies":["154.755",154.755]}`, text: "at least 2 distinct"},
			refusal{status: 400, body: `{"frequencies":["154.755","851"]}`, text: "trunked"},
			refusal{status: 400, body: `{"frequencies":[]}`, text: "at least 2 distinct"})},
	"POST /api/patch/remove": {body: `{"id":"p-1"}`, refusals: []refusal{{status: 404, body: `{"id":"p-9"}`, text: "Patch not found"}}},

	"POST /radio/dispatch/panic": {body: `{"serverId":7,"frequency":"154.755","enabled":true}`,
		refusals: append(append(unknownFrequencies(`{"serverId":7,"enabled":true,"frequency":`, `}`), unknownUser(`{"enabled":true,"serverId":`, `}`)...),
			refusal{status: 400, body: `{"serverId":7}`, text: "enabled is missing"})},
	"POST /radio/dispatch/emergency/acknowledge": {body: `{"id":"e-1"}`,
		refusals: []refusal{{status: 404, body: `{"id":"e-9"}`, text: "Emergency not found"}, {status: 400, body: `{}`, text: "id is missing"}}},
	"POST /radio/dispatch/emergency/close": {body: `{"id":"e-1","reason":"resolved","note":"Back in service"}`,
		refusals: []refusal{{status: 404, body: `{"id":"e-9","reason":"test"}`, text: "Emergency not found"},
			{status: 400, body: `{"id":"e-1"}`, text: "reason is missing"},
			{status: 400, body: `{"id":"e-1","reason":"acknowledged"}`, text: "reason must be one of resolved, accidental, test, other"},
			{status: 400, body: `{"id":"e-1","reason":"test","note":"a\u0007"}`, text: "note must not contain control characters"}}},
	"POST /api/player/connect": {body: `{"serverId":12,"name":"Ana","nacId":100,"identifiers":["license:a"],"aces":{"connect":[154.755,"460.25"],"scan":true,"zones":[1],"dispatch":true,"nac":"5"}}`,
		refusals: []refusal{
			{status: 400, body: `{"serverId":-1,"name":"Ana"}`, text: "serverId must be positive"},
			{status: 400, body: `{"serverId":0,"name":"Ana"}`, text: "serverId must be positive"},
			{status: 409, body: `{"serverId":12,"name":"Ana"}`, text: "full", prepare: fullRadio},
		}},
	"POST /api/player/drop": {body: `{"serverId":7}`, refusals: []refusal{
		{status: 404, body: `{"serverId":99}`, text: "User not found"},
		{status: 400, body: `{"serverId":-7}`, text: "serverId must be positive"},
	}},
	"POST /api/game/webrtc": {body: `{"serverId":7,"sdp":"v=0"}`, refusals: []refusal{
		{status: 404, body: `{"serverId":99,"sdp":"v=0"}`, text: "User not found"},
		{status: 400, body: `{"serverId":-7,"sdp":"v=0"}`, text: "serverId must be positive"},
		{status: 400, body: `{"serverId":7,"sdp":""}`, text: "sdp is missing"},
		{status: 409, body: `{"serverId":7,"sdp":"full"}`, text: "the limit of WebRTC connections"},
		{status: 503, body: `{"serverId":7,"sdp":"v=0"}`, text: "switched off", prepare: func(s *station) {
			s.use(s.t, func(o *rest.Options) { o.Offers = nil })
		}},
	}},
	"POST /api/player/positions": {body: `{"positions":[{"serverId":7,"x":1,"y":-2.5,"z":0},{"serverId":99}]}`, refusals: []refusal{
		{status: 400, body: `{"positions":[{"serverId":-1}]}`, text: "serverId must be positive"},
		{status: 400, body: `{"positions":[{"x":1}]}`, text: "positions.serverId is missing"},
	}},

	"GET /api/game/changes": {path: "/api/game/changes?wait=0", refusals: []refusal{
		{status: 400, path: "/api/game/changes?since=x", text: "since must be"},
		{status: 400, path: "/api/game/changes?since=-1", text: "since must be"},
		{status: 400, path: "/api/game/changes?wait=26", text: "wait must be an integer from 0 to 25"},
		{status: 400, path: "/api/game/changes?wait=0.5", text: "wait must be an integer from 0 to 25"},
		{status: 400, path: "/api/game/changes?gather=201", text: "gather must be an integer from 0 to 200"},
		{status: 400, path: "/api/game/changes?since=%zz", text: "The query is malformed"},
		{status: 429, text: "Too many requests", prepare: fullMirror},
	}},
	"POST /api/game/do": {body: `{"requests":[{"id":"r-1","do":"setUserChannel","serverId":7,"frequency":460.25}]}`, refusals: []refusal{
		{status: 400, body: `{"requests":{"id":"a"}}`, text: "requests must be an array"},
		{status: 400, body: `{"requests":[{"id":"a","do":"x"},7]}`, text: "requests[2] must be an object"},
		{status: 400, body: `{"requests":[{"do":"disconnectUser","serverId":7}]}`, text: "requests[1].id is missing"},
		{status: 400, body: `{"requests":[{"id":"","do":"disconnectUser","serverId":7}]}`, text: "requests[1].id must be text of 1 to 64 bytes"},
		{status: 400, body: `{"requests":[{"id":"` + strings.Repeat("x", 65) + `","do":"disconnectUser","serverId":7}]}`, text: "requests[1].id must be text of 1 to 64 bytes"},
		{status: 400, body: `{"requests":[{"id":"a"}]}`, text: "requests[1].do is missing"},
		{status: 400, body: `{"requests":[` + strings.Repeat(`{"id":"a","do":"x"},`, 100) + `{"id":"a","do":"x"}]}`, text: "requests must have at most 100 entries"},
	}},
	"POST /api/game/players": {body: `{"players":[{"serverId":12,"name":"Ana","nacId":100,"access":true,"callbackNac":"PD","callbackName":"Officer Ana"}]}`, refusals: []refusal{
		{status: 400, body: `{"players":[{"name":"Ana"}]}`, text: "players[1].serverId is missing"},
		{status: 400, body: `{"players":[{"serverId":12,"name":"Ana"},{"serverId":-1,"name":"Bo"}]}`, text: "players[2].serverId must be positive"},
		{status: 400, body: `{"players":[{"serverId":12,"name":"Ana"},{"serverId":"12","name":"Bo"}]}`, text: "players[2].serverId 12 is listed twice"},
		{status: 503, body: `{"players":[{"serverId":12,"name":"Ana"}]}`, text: "Storage unavailable", prepare: brokenDisk},
	}},
	"POST /api/game/positions": {body: `{"positions":[[7,1,-2.5,0],["99",0,0,0]]}`, refusals: []refusal{
		{status: 400, body: `[[7,1,2]]`, text: "positions must be an array of [serverId, x, y, z]"},
		{status: 400, body: `[[-7,1,2,3]]`, text: "serverId must be positive"},
		{status: 400, body: `[[7,1,null,3]]`, text: "positions must be an array of [serverId, x, y, z]"},
		{status: 400, body: `[[7.5,1,2,3]]`, text: "positions must be an array of [serverId, x, y, z]"},
	}},
}

// themeSamples has the samples of the routes of themes. Zips are made when the tests
// run, and the marketplace is one of the station's own.
func themeSamples() map[string]sample {
	night := string(testtheme.New("night", "1.0", themeScript))
	js := testtheme.Sum(themeScript)
	upload := []refusal{
		{status: 400, body: "", text: "zip"},
		{status: 400, body: "{}", text: "zip"},
		{status: 413, body: strings.Repeat(" ", wire.ThemeBytes+1), text: fmt.Sprintf("larger than %d bytes", wire.ThemeBytes)},
	}
	unreviewed := []refusal{
		{status: 409, body: night, path: "/api/themes/install", text: "has a script"},
		{status: 409, body: night, path: "/api/themes/install?js=" + testtheme.Sum("x"), text: "another script"},
		{status: 409, body: night, path: "/api/themes/install?build=" + js + "&js=" + js, text: "not the one that the review showed"},
	}
	down := func(s *station) { s.market.Close() }
	none := refusal{status: 404, body: `{"slug":"none"}`, text: `"none"`}
	empty := refusal{status: 404, body: `{"slug":""}`, text: `""`}
	return map[string]sample{
		"GET /api/themes":                {},
		"POST /api/themes/review":        {body: night, refusals: upload},
		"POST /api/themes/install":       {body: night, path: "/api/themes/install?js=" + js, refusals: append(append(upload, unreviewed...), refusal{status: 400, body: night[:len(night)-30], text: "zip"})},
		"POST /api/themes/remove":        {body: `{"slug":"night"}`, refusals: []refusal{none, empty, {status: 409, body: `{"slug":"` + builtIn + `"}`, text: "built-in"}}},
		"POST /api/themes/default":       {body: `{"slug":"night"}`, refusals: []refusal{none}},
		"GET /api/themes/market":         {},
		"POST /api/themes/market/review": {body: `{"slug":"night"}`, refusals: []refusal{none, empty, {status: 502, body: `{"slug":"night"}`, text: "The marketplace: ", prepare: down}}},
		"POST /api/themes/market/install": {body: `{"slug":"night","js":"` + js + `"}`, refusals: []refusal{none, empty,
			{status: 409, body: `{"slug":"night"}`, text: "has a script"},
			{status: 409, body: `{"slug":"night","js":"` + strings.Repeat("0", 64) + `"}`, text: "another script"},
			{status: 409, body: `{"slug":"night","js":"` + js + `","build":"0123456789abcdef"}`, text: "not the one that the review showed"},
			{status: 502, body: `{"slug":"night"}`, text: "The marketplace: ", prepare: down}}},
	}
}

// themeScript is that of the theme night.
const themeScript = "theme.addClass('night')"

// builtIn is the slug of a theme that comes with the service.
const builtIn = "wall"

func init() { maps.Copy(samples, themeSamples()) }

// withThemes gives a station a theme night, and a marketplace that offers it.
func withThemes(s *station) {
	library, err := themes.Open(s.t.TempDir(), s.clock.Now)
	if err != nil {
		s.t.Fatal(err)
	}
	s.market = testtheme.NewSite(s.t)
	s.market.Offer(s.t, testtheme.New("night", "1.0", themeScript))
	full := func() (err error) {
		s.view(func(v core.View) {
			if reason := v.Snapshot().Storage; reason != "" {
				err = core.ErrStorage(reason)
			}
		})
		return err
	}
	desk, err := themedesk.New(themedesk.Options{Library: library, Market: s.market.Index(), Roots: s.market.Roots, Audit: s.audit, Storage: full, Now: s.clock.Now})
	if err != nil {
		s.t.Fatal(err)
	}
	s.use(s.t, func(o *rest.Options) { o.Themes = desk })
	a := s.send("POST", "/api/themes/install?js="+testtheme.Sum(themeScript), credentials{token: masterToken}, testtheme.New("night", "1.0", themeScript))
	if a.status != 200 {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
}

// offers answers the offers of player 7.
type offers struct{}

func (offers) Offer(_ context.Context, id core.UserID, sdp string) (string, error) {
	switch {
	case id != 7:
		return "", &core.Error{Kind: core.NotFound, Message: "User not found"}
	case sdp == "full":
		return "", &core.Error{Kind: core.Full, Message: "the limit of WebRTC connections is reached"}
	case sdp == "":
		return "", &core.Error{Kind: core.Invalid, Field: "sdp", Message: "sdp is missing"}
	}
	return "answer to " + sdp, nil
}

// fullPool fills the talkgroup's pool, of one working frequency, with units that are
// far from one another.
func fullPool(s *station) {
	c := radioConfig()
	c.Zones[0].Channels[3].Coverage = 10
	s.do(core.Actor{Surface: core.ByAdmin}, core.ReplaceConfig{Config: c})
	for i, id := range []core.UserID{21, 22} {
		s.do(core.Actor{Surface: core.ByREST}, core.Register{User: id})
		s.do(core.Actor{Surface: core.BySocket, User: id}, core.Connect{Want: id, Owner: id.String()})
		s.do(core.Actor{Surface: core.ByREST}, core.SetPositions{Positions: []core.PlayerPosition{{User: id, At: core.Position{X: float64(1000 * (i + 1))}}}})
		s.do(core.Actor{Surface: core.ByREST}, core.MoveUser{User: id, Frequency: frequency("851")})
	}
	s.do(core.Actor{Surface: core.ByREST}, core.SetPositions{Positions: []core.PlayerPosition{{User: 7, At: core.Position{X: 9000}}}})
}

// fullMirror takes all places of calls that wait for changes.
func fullMirror(s *station) {
	for range 4 {
		leave, err := s.mirror.Enter()
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(leave)
	}
}

func brokenDisk(s *station) { s.bucket.Break(core.ErrStorage("the disk is full")) }

func fullRadio(s *station) {
	c := radioConfig()
	c.Limits.Users = 1
	s.do(core.Actor{Surface: core.ByAdmin}, core.ReplaceConfig{Config: c})
}

// busyStation has everything that the samples need: unit 7 on the main channel, a
// console, a patch p-1 where the route needs one, files.
func busyStation(t testing.TB, route wire.Route) (*station, credentials) {
	t.Helper()
	desktop := t.TempDir()
	write(t, filepath.Join(desktop, "Dispatch-setup.exe"), "MZ installer")
	write(t, filepath.Join(desktop, "update.json"), `{"version":"1.2.3","platforms":{"windows-x86_64":{"signature":"sig","url":""}}}`)
	s := onAir(t, func(o *rest.Options) {
		o.Desktop = desktop
		o.Callbacks = func() *wire.GameCallbacks {
			return &wire.GameCallbacks{File: "config.lua", Source: "Config = {}", Names: []string{"getUserNacId"}}
		}
		o.Offers = offers{}
		o.Tones = append(o.Tones, fstest.MapFS{"beep.wav": {Data: []byte("RIFF beep")}})
		o.Limiter = session.NewLimiter(1e6, 1e6, nil)
		o.Lockout = session.NewLockout(session.LockoutOptions{Failures: 1e6})
		o.Guesses = session.NewLockout(session.LockoutOptions{Failures: 1e6})
		o.External = &rest.External{ClientID: "x", AuthorizeURL: "http://127.0.0.1:1/auth", TokenURL: "http://127.0.0.1:1/token",
			UserInfoURL: "http://127.0.0.1:1/me", AllowedUsers: []string{"*"}}
	})
	s.join(7, mainChannel)
	who := s.logIn("Console")
	s.console(who, -1)
	if strings.HasPrefix(route.Path, "/radio/dispatch/emergency/") {
		s.do(core.Actor{User: 7, Surface: core.BySocket}, core.SetPanic{User: 7, Enabled: true})
	}
	if route.Path == "/api/patch/remove" {
		patched(s)
	}
	if strings.HasPrefix(route.Path, "/api/themes") {
		withThemes(s)
	}
	if strings.HasPrefix(route.Path, "/api/recordings") {
		s.use(t, func(o *rest.Options) { o.Recordings = tapes{} })
	}
	return s, who
}

// as returns the credentials that a route demands.
func as(route wire.Route, who credentials) credentials {
	switch route.Auth {
	case wire.TokenOnly:
		return credentials{token: who.token}
	case wire.Master:
		return credentials{token: masterToken}
	case wire.Session:
		return who
	}
	return credentials{}
}

func key(r wire.Route) string { return r.Method + " " + r.Path }

func (x sample) at(r wire.Route) string {
	if x.path != "" {
		return x.path
	}
	return r.Path
}

func (x sample) payload(r wire.Route) any {
	if r.Method == http.MethodGet {
		return nil
	}
	return x.body
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
