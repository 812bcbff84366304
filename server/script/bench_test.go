package script_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/engine"
	"squelch/server/game"
	"squelch/server/lua/cfx"
	"squelch/server/lua/sandbox"
	"squelch/server/resource"
)

// BenchmarkRadioExport: what a script pays for a call of an export. In the service it
// reads or changes the radio before it answers (here without a disk); in the mirror it
// asks the game resource's picture in Lua, and what a setter asks of the service happens
// later. Both run in the Lua of scripts, as part of the script, on the same radio, so that
// service/mirror compares these two and nothing else.
func BenchmarkRadioExport(b *testing.B) {
	for _, call := range []string{
		"getPlayerName(7)", "isUserTalking(7, '154.755')", "getChannelInfo('154.755')",
		"setCallsign(7, 'CALL-' .. i % 2)", "setAlertOnChannel('154.755', i % 2 == 0, 'SIGNAL 100')",
	} {
		name, _, _ := strings.Cut(call, "(")
		b.Run(name, func(b *testing.B) {
			var answers [2]string
			var each [2]float64 // ns
			b.Run("mirror", func(b *testing.B) { answers[0], each[0] = inMirror(b, call) })
			b.Run("service", func(b *testing.B) {
				answers[1], each[1] = inService(b, call)
				if each[0] > 0 {
					b.ReportMetric(each[1]/each[0], "service/mirror")
				}
			})
			if answers[0] != answers[1] && answers[0] != "" && answers[1] != "" {
				b.Errorf("the mirror answers %s, the service %s", answers[0], answers[1])
			}
		})
	}
}

// rounds calls an export again and again, in runs that are short enough for a script,
// and prints how many ms the calls took and the first answer. Pauses between the runs,
// which keep a script to its share of the time, do not count.
const rounds = `
	local radio = exports.radio
	local function go(left)
		local i, took = 0, 0
		local answer = json.encode(CALL)
		while left > 0 do
			local n = math.min(left, 1000)
			local from = GetGameTimer()
			for i = 1, n do CALL end
			took, left = took + GetGameTimer() - from, left - n
			Wait(0)
		end
		print('took', took, answer)
	end
`

func looping(call string) string { return strings.ReplaceAll(rounds, "CALL", "radio:"+call) }

// result is what a printed line says: the answer, and ns per call.
func result(b *testing.B, line string) (answer string, each float64) {
	b.Helper()
	_, line, _ = strings.Cut(line, "took\t")
	took, answer, ok := strings.Cut(line, "\t")
	ms, err := strconv.ParseFloat(took, 64)
	if err != nil || !ok {
		b.Fatalf("%q: %v", line, err)
	}
	each = ms * 1e6 / float64(b.N)
	b.ReportMetric(each, "ns/op")
	return answer, each
}

func inService(b *testing.B, call string) (answer string, each float64) {
	st := play(b, map[string]string{"a.lua": looping(call) + `
		RegisterCommand('go', function(_, args) CreateThread(function() go(tonumber(args[1])) end) end)
		print('ready')`}, "a.lua")
	st.host.Unhurried()
	st.until("a started", func() bool { return st.status("a").State == "started" })
	if err := st.host.Execute(fmt.Sprint("go ", b.N)); err != nil {
		b.Fatal(err)
	}
	st.says("[a] took\t")
	b.StopTimer()
	for _, line := range st.logged() {
		if strings.HasPrefix(line, "[a] took\t") {
			return result(b, line)
		}
	}
	return "", 0
}

// mirror is the game resource's part that answers exports, and what stands for its
// outbox: one change is on its way, and the next takes it away again, as if the service
// had carried it out.
var mirror = []string{"shared/table.lua", "shared/common.lua", "server/picture.lua", "server/act.lua", "server/exports.lua"}

const outbox = `
	local before
	Radio.source = Radio.picture
	Radio.send = function(request, op)
		if before then Radio.picture.lift(before) end
		before = op
	end
	Radio.picture.reset(STATE)
	for name, fn in pairs(Radio.functions.server) do exports(name, fn) end
`

func inMirror(b *testing.B, call string) (answer string, each float64) {
	st := play(b, nil)
	asked, err := game.NewMirror(game.MirrorOptions{Engine: func() *engine.Engine { return st.engine }}).Ask(b.Context(), game.Question{})
	if err != nil {
		b.Fatal(err)
	}
	var told struct{ State json.RawMessage }
	if err := json.Unmarshal(asked, &told); err != nil {
		b.Fatal(err)
	}
	state, err := cfx.ParseJSON(told.State)
	if err != nil {
		b.Fatal(err)
	}
	chunks, err := sandbox.Scripts(resource.Files, "radio", mirror)
	if err != nil {
		b.Fatal(err)
	}
	c, err := sandbox.Script(outbox, "outbox")
	if err != nil {
		b.Fatal(err)
	}
	chunks = append(chunks, c)
	printed := make(chan string, 1)
	s := cfx.New(cfx.Options{Name: "a", Print: func(line string) { printed <- line },
		Failed: func(what string, err *sandbox.Error) { printed <- fmt.Sprintf("%v (in %s)", err, what) }})
	if err := s.Builtin("radio", map[string]lua.LValue{"Radio": s.State().NewTable(), "STATE": s.Value(state)}, chunks...); err != nil {
		b.Fatal(err)
	}
	if err := s.Load("a.lua", looping(call)+fmt.Sprintf("CreateThread(function() go(%d) end)", b.N)); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	go func() { _ = s.Run(b.Context()) }()
	defer func() { s.Stop(); <-s.Ended() }()
	line := <-printed
	b.StopTimer()
	return result(b, line)
}
