package table_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/resource/table"
	"squelch/server/testpeers"
)

// runCases runs the table test of the server exports in Lua 5.1, over the game
// resource's own picture of testdata/world.lua. The simulator runs the same files in Lua
// 5.4.
const runCases = `
local radio, testdata = ...
for _, file in ipairs({ 'shared/table', 'shared/common', 'server/picture', 'server/act', 'server/exports' }) do
	dofile(radio .. file .. '.lua')
end
local world, laid, acts, lines = loadfile(testdata .. 'world.lua'), {}, {}, {}
Radio.source = Radio.picture
Radio.send = function(request, op)
	acts[#acts + 1] = request
	laid[#laid + 1] = op or nil
end
local wrong, ran = dofile(testdata .. 'run_cases.lua')(dofile(testdata .. 'server_cases.lua'), {
	call = function(export, args) return (Radio.functions.server[export](unpack(args, 1, args.n))) end,
	fresh = function()
		for _, op in ipairs(laid) do Radio.picture.lift(op) end
		laid, acts = {}, {}
		Radio.picture.reset(world())
	end,
	acts = function() return acts end,
	print = function(line) lines[#lines + 1] = line end,
})
return wrong, ran, table.concat(lines, '\n')
`

// in51 runs the cases in gopher-lua, as scripts of the service do.
func in51(t *testing.T) (wrong, ran int, output string) {
	t.Helper()
	L := lua.NewState()
	defer L.Close()
	fn, err := L.LoadString(runCases)
	if err != nil {
		t.Fatal(err)
	}
	L.Push(fn)
	L.Push(lua.LString("../radio/"))
	L.Push(lua.LString("testdata/"))
	if err := L.PCall(2, 3, nil); err != nil {
		t.Fatal(err)
	}
	return L.ToInt(-3), L.ToInt(-2), L.ToString(-1)
}

// The game runs Lua 5.4, Debian's here. Every answer is the same there.
func TestLua54AnswersTheSame(t *testing.T) {
	program := "local unpack = table.unpack\nlocal function run(...) " + runCases + " end\n" +
		"io.write(select(3, run('../radio/', 'testdata/')))"
	out, err := exec.Command("lua5.4", "-e", program).Output()
	if err != nil {
		t.Fatalf("lua5.4 (Debian's package lua5.4): %v", err)
	}
	_, _, output := in51(t)
	here, there := strings.Split(output, "\n"), strings.Split(string(out), "\n")
	if len(here) != len(there) {
		t.Errorf("%d lines in Lua 5.1, %d in 5.4", len(here), len(there))
	}
	for i := range min(len(here), len(there)) {
		if here[i] != there[i] {
			t.Fatalf("line %d:\n5.1: %s\n5.4: %s", i+1, here[i], there[i])
		}
	}
}

// So does the simulated game, in both of its VMs.
func TestTheSimulatedGameAnswersTheSame(t *testing.T) {
	_, _, output := in51(t)
	file := filepath.Join(t.TempDir(), "answers.txt")
	if err := os.WriteFile(file, []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	testpeers.NodeTests(t, []string{"GAME_TABLE_OUTPUT=" + file}, "game/radio/table.test.mjs")
}

func TestServerExportsAnswerAsTheTableSays(t *testing.T) {
	wrong, ran, output := in51(t)
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "WRONG") {
			t.Error(line)
		}
	}
	if wrong > 0 || ran < 1000 {
		t.Errorf("%d of %d cases are wrong", wrong, ran)
	}
	// Every name of the table succeeds in one case and fails in another.
	for _, e := range table.Exports() {
		if e.Side != table.Server {
			continue
		}
		for _, name := range e.Names() {
			succeeded, failed := false, len(e.Params) == 0 // without parameters it cannot fail here
			for line := range strings.Lines(output) {
				if !strings.HasPrefix(line, name+"(") {
					continue
				}
				if strings.HasSuffix(strings.TrimSpace(line), "= "+e.Failure) {
					failed = true
				} else {
					succeeded = true
				}
			}
			if e.Returns == "" {
				succeeded = true // it answers nothing; what it asks of the service is compared
			}
			if !succeeded || !failed {
				t.Errorf("%s: a case where it succeeds: %v, where it fails: %v", name, succeeded, failed)
			}
		}
	}
}

// An export answers even if the code under it throws, and says so once a second.
func TestAnErrorInAnExportIsAFailure(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	for _, file := range []string{"shared/table", "shared/common", "server/exports"} {
		if err := L.DoFile("../radio/" + file + ".lua"); err != nil {
			t.Fatal(err)
		}
	}
	if err := L.DoString(`
		local clock, lines = { now = 0 }, {} -- a table: gopher-lua parts a local from its closures when pcall catches an error
		Radio.now = function() return clock.now end
		Radio.log = function(line) lines[#lines + 1] = line end
		local server = Radio.functions.server
		assert(server.getSpeakersInChannel('154.755') == nil, 'an answer without a source')
		assert(server.setCallsign(12, 'x') == false)
		Radio.source = { ready = function() return false end }
		assert(server.getPlayerName(12) == nil, 'an answer before the source is ready')
		assert(server.refreshPlayerInfo() == 0)
		Radio.source = { ready = function() return true end, channel = function() error('broken') end }
		for _ = 1, 5 do
			assert(server.getSpeakersInChannel('154.755') == nil)
			assert(server.hasRadioAccess(12) == false)
		end
		if #lines ~= 1 or not lines[1]:find('getSpeakersInChannel.*broken') then error(table.concat(lines, ' | ')) end
		clock.now = 1000
		assert(server.getSpeakersInChannel('154.755') == nil)
		if #lines ~= 2 or not lines[2]:find('9 more') then error(table.concat(lines, ' | ')) end
	`); err != nil {
		t.Error(err)
	}
}
