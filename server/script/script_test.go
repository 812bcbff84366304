package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/engine"
	"squelch/server/game"
	"squelch/server/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever.
const patience = time.Minute

// stage is a radio with scripts, and what they log and send.
type stage struct {
	t      testing.TB
	folder string
	engine *engine.Engine
	host   *script.Host

	mu   sync.Mutex
	log  []string
	sent []wire.Message
}

// files is a folder with these files.
func files(t testing.TB, all map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range all {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// play puts the demo radio on the air with scripts at these paths of a folder with
// these files. Players 7 (LSPD) and 12 (EMS) are connected, 7 on 154.755.
func play(t testing.TB, all map[string]string, paths ...string) *stage {
	t.Helper()
	st := &stage{t: t, folder: files(t, all)}
	loaded := config.Default()
	t.Cleanup(loaded.Callbacks.Close)
	loaded.Core.UseCallsignSystem = true
	var full []string
	for _, p := range paths {
		full = append(full, filepath.Join(st.folder, p))
	}
	st.host = script.New(script.Options{Paths: full, Radio: "radio", Logf: st.logf,
		View: func(ctx context.Context, look func(core.View)) error { return st.engine.View(ctx, look) },
		Act: func(ctx context.Context, by core.Actor, name string, args json.RawMessage) (int, error) {
			desk := game.Desk{Engine: st.engine, Now: time.Now}
			done, err := desk.Do(ctx, by, name, args)
			return done.Count, err
		},
		Send: func(m wire.Message) { st.mu.Lock(); st.sent = append(st.sent, m); st.mu.Unlock() }})
	state, err := core.New(loaded.Core)
	if err != nil {
		t.Fatal(err)
	}
	st.engine = engine.Start(state, engine.NewAlone(time.Now, nil), engine.Options{Followers: []engine.Follower{st.host.Follower()}, Logf: st.logf})
	t.Cleanup(st.engine.Close)
	t.Cleanup(st.host.Close)
	for id, nac := range map[core.UserID]string{7: "LSPD", 12: "EMS"} {
		st.do(core.Register{User: id, Facts: core.Facts{Name: fmt.Sprint("Player ", id), Nac: nac, Identifiers: []string{fmt.Sprint("license:", id)}}})
		st.do(core.Connect{Want: id, Owner: "player"})
	}
	st.do(core.JoinAsSpeaker{User: 7, Frequency: at(t, "154.755")})
	st.host.Start()
	return st
}

func at(t testing.TB, text string) core.Frequency {
	t.Helper()
	f, err := core.ParseFrequency(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (st *stage) do(cmd core.Command) {
	st.t.Helper()
	if _, err := st.engine.Do(st.t.Context(), core.Actor{Surface: core.BySystem}, cmd); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) logf(format string, args ...any) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.log = append(st.log, fmt.Sprintf(format, args...))
}

func (st *stage) logged() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return append([]string(nil), st.log...)
}

// says waits until each of these was logged.
func (st *stage) says(want ...string) {
	st.t.Helper()
	for _, w := range want {
		st.until(w, func() bool {
			for _, line := range st.logged() {
				if strings.Contains(line, w) {
					return true
				}
			}
			return false
		})
	}
}

// until waits for something.
func (st *stage) until(what string, is func() bool) {
	st.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			st.t.Fatalf("%s does not come. The log:\n%s", what, strings.Join(st.logged(), "\n"))
		}
	}
}

func (st *stage) count(part string) (n int) {
	for _, line := range st.logged() {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

func (st *stage) status(name string) script.Status {
	for _, s := range st.host.List() {
		if s.Name == name {
			return s
		}
	}
	st.t.Fatalf("there is no script %s", name)
	return script.Status{}
}

func TestAScriptReadsAndChangesTheRadio(t *testing.T) {
	st := play(t, map[string]string{"a.lua": `
		local radio = exports['radio']
		print('info', json.encode(radio:getChannelInfo(154.755)))
		print('speakers', json.encode(exports.radio:getSpeakersInChannel('154.7550')))
		print('none', radio:getChannelInfo('999.5'), radio:getChannelInfo('x'), (radio:getChannelInfo()), select('#', radio:getChannelInfo()))
		print('user', radio:getPlayerName(7), radio:getPlayerNacId('7'), radio:getUserNacId(7), json.encode(radio:getUserInfo(12)), radio:hasRadioAccess(7), radio:hasRadioAccess(99))
		print('alert', radio:setAlertOnChannel('154.755', true, 'signal 100'), radio:getChannelAlert(154.755).name)
		print('alert', radio:setChannelSignal('154.755', nil), (radio:getChannelAlert(154.755)))
		print('panic', radio:setChannelPanic('154.755', 7, true), radio:getChannelPanic('154.755')[7], radio:getUserPanicState(7, 154.755), radio:setChannelPanic('154.755', 99, true))
		print('move', radio:setUserChannel(12, '154.28'), json.encode(radio:getActiveChannels()))
		print('call', radio:setCallsign(7, '2-ADAM'), radio:getCallsign(7), radio:setCallsign(7, ''), (radio:getCallsign(7)))
		print('aces', type(radio:getAcePermissions(7)), radio:getAcePermissions(7).dispatch)
		print('channels', #radio:getAllChannels(), radio:getAllChannels()[1].zone, #radio:getAllChannels()[1].users)
		print('tone', (radio:playToneOnChannel('154.755', 'BEEP')), (radio:playToneOnSource(7, 'none')))
		print('game', json.encode(GetPlayers()), GetPlayerName(7), GetPlayerIdentifiers(7)[1], GetPlayerIdentifierByType(12, 'license'), IsPlayerAceAllowed(7, 'x'), GetPlayerName(55))
		print('off', radio:disconnectUser(12), #radio:getActiveChannels())
		print('nac', radio:setUserNacId(7, 'SO'), radio:getPlayerNacId(7), radio:refreshNacId(7), radio:refreshPlayerInfo())
		print('done')`}, "a.lua")
	st.says("done")
	for _, want := range []string{
		`info	{"activeTalkers":[],"frequency":"154.755","listeners":[],"speakers":[7]}`, "speakers	[7]", "none	nil	nil	nil	0",
		`user	Player 7	LSPD	LSPD	{"nacId":"EMS","name":"Player 12"}	true	false`, "alert	true	SIGNAL 100", "alert	true	nil", "panic	true	true	true	false",
		`move	true	["154.28","154.755"]`, "call	true	2-ADAM	true	nil", "nac	true	SO	true	2", "aces	table	false", "channels	11	Los Santos	1", "tone	nil	nil",
		`game	["7","12"]	Player 7	license:7	license:12	false	nil`, "off	true	1",
	} {
		if st.count("[a] "+want) == 0 {
			t.Errorf("%s is missing", want)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(st.logged(), "\n"))
	}
}

func TestScriptsHearOfTheRadio(t *testing.T) {
	st := play(t, map[string]string{"a.lua": `
		AddEventHandler('radio:talkingState', function(e) print('talks', e.serverId, e.frequency, e.state) end)
		AddEventHandler('radio:dispatchNotification', function(e) print('note', e.type, e.frequency) end)
		AddEventHandler('radio:speakerJoined', function(e) print('joined', e.serverId, e.frequency) end)
		AddEventHandler('playerJoining', function() local src = source print('came', src) TriggerClientEvent('hello', src, { a = 1 }, nil, 'x') end)
		AddEventHandler('playerDropped', function(why) print('went', source, why) end)
		RegisterNetEvent('ask', function(what) print('asked', source, what.x) TriggerClientEvent('told', -1) end)
		AddEventHandler('radio:secret', function() print('never') end)
		AddEventHandler('wave', function() print('waved', source) end)
		RegisterNetEvent('wave')
		print('ready')`}, "a.lua")
	st.says("[a] ready")
	st.until("a started", func() bool { return st.status("a").State == "started" })
	st.do(core.KeyUp{User: 7, Frequency: at(t, "154.755")})
	st.do(core.KeyDown{User: 7})
	st.do(core.SetAlert{Frequency: at(t, "154.755")})
	st.do(core.Register{User: 20, Facts: core.Facts{Name: "Late", Nac: "LSPD"}})
	st.do(core.Connect{Want: 20, Owner: "player"})
	st.do(core.JoinAsSpeaker{User: 20, Frequency: at(t, "154.755")})
	st.do(core.Drop{User: 20})
	st.says("[a] talks	7	154.755	true", "[a] talks	7	154.755	false", "[a] note	alert	154.755", "[a] came	20", "[a] joined	20	154.755", "[a] went	20	dropped")
	if st.host.ClientEvent(7, "hello", nil) || st.host.ClientEvent(7, "playerDropped", nil) {
		t.Error("a client may trigger what is not registered")
	}
	if !st.host.ClientEvent(7, "ask", []json.RawMessage{[]byte(`{"x":5}`)}) {
		t.Error("nobody wants ask")
	}
	if !st.host.ClientEvent(7, "wave", nil) {
		t.Error("nobody wants wave, which was registered after its handler")
	}
	st.says("[a] asked	7	5", "[a] waved	7")
	st.until("the answers", func() bool { st.mu.Lock(); defer st.mu.Unlock(); return len(st.sent) >= 5 })
	st.mu.Lock()
	defer st.mu.Unlock()
	var got []string
	for _, m := range st.sent {
		text, err := json.Marshal(m.Payload)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.To.String()+" "+m.Name+" "+string(text))
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{`7 clientEvent {"name":"radio:resyncCallsign"`, `20 clientEvent {"name":"radio:resyncCallsign"`,
		`20 clientEvent {"name":"hello","args":[{"a":1},null,"x"]}`, `7 12 clientEvent {"name":"told"`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in\n%s", want, all)
		}
	}
}

// TestWhoHasLeftIsForgotten: a client that comes again and again under new ids does not
// fill the memory.
func TestWhoHasLeftIsForgotten(t *testing.T) {
	st := play(t, nil)
	asked := func() (n int) {
		if err := st.engine.View(t.Context(), func(core.View) { n = st.host.Asked() }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := asked()
	if before != 2 {
		t.Fatalf("%d players were asked for their callsign", before)
	}
	for id := range core.UserID(10) {
		st.do(core.Connect{Want: 100 + id, Owner: "bot"})
		st.do(core.Unlink{User: 100 + id, Clean: true})
	}
	st.do(core.Unlink{User: 7, Clean: true}) // of the game server: it comes back
	if n := asked(); n != before {
		t.Errorf("%d players are remembered, %d are known", n, before)
	}
}

// TestAScriptTidiesUpWhenTheServiceEnds: the radio is there until its scripts have gone.
func TestAScriptTidiesUpWhenTheServiceEnds(t *testing.T) {
	st := play(t, map[string]string{"a.lua": `AddEventHandler('onResourceStop', function()
		print('bye', exports.radio:getPlayerName(7), exports.radio:setCallsign(7, 'GONE'), GetPlayerName(12))
	end)`}, "a.lua")
	st.until("a started", func() bool { return st.status("a").State == "started" })
	st.host.Close()
	st.says("[a] bye\tPlayer 7\ttrue\tPlayer 12")
}

// TestARosterOfSeveralFiles: a folder as the game has it, an export for others, an alias
// of another resource's export, and a script that depends on both.
func TestARosterOfSeveralFiles(t *testing.T) {
	st := play(t, map[string]string{
		"scripts/roster/fxmanifest.lua": `fx_version 'cerulean' game 'gta5' author 'x' { 'y' }
			shared_script 'shared/*.lua'
			server_scripts { 'server/**/*.lua', 'server/first.lua' }
			client_script 'client.lua'
			provide 'duty'
			dependencies { '/server:5848', 'radio' }`,
		"scripts/roster/shared/a.lua": "Duty = {}", "scripts/roster/server/first.lua": "Order = 'first'",
		"scripts/roster/server/deep/more.lua": "Order = 'deep'",
		"scripts/roster/data.json":            `{"x":1}`,
		"scripts/roster/server/zz.lua": `
			exports('count', function() return #Duty end)
			exports('add', function(who) Duty[#Duty + 1] = who Wait(0) return #Duty end)
			AddEventHandler('__cfx_export_qb-core_GetCoreObject', function(set) set(function() return { name = 'core' } end) end)
			AddEventHandler('onResourceStart', function(name) print('sees start of', name) end)
			AddEventHandler('onResourceStop', function(name) print('sees stop of', name) end)
			RegisterCommand('duty', function(src, args, raw) print('command', src, args[1], raw) end, false)
			print(Order, GetCurrentResourceName(), LoadResourceFile('roster', 'data.json'), LoadResourceFile('roster', '../user.lua'), GetResourceMetadata('roster', 'author', 0))`,
		"user.lua": `
			print('state', GetResourceState('roster'), GetResourceState('radio'), GetResourceState('x'))
			CreateThread(function()
				print(exports.roster:add('a'), exports.roster:add('b'), exports['roster']:count())
				print(exports['qb-core']:GetCoreObject().name)
				ExecuteCommand('duty on 5')
				TriggerEvent('cross', 'hello')
			end)`,
		"third.lua": "AddEventHandler('cross', function(m) print('heard', m, GetInvokingResource()) end)",
	}, "third.lua", "scripts/roster", "user.lua")
	st.says("[roster] first\troster\t{\"x\":1}\tnil\tx", "[user] state\tstarted\tstarted\tmissing", "[user] 1\t2\t2", "[user] core", "[roster] command\t0\ton\tduty on 5",
		"[third] heard\thello\tuser", "[roster] sees start of\troster", "[roster] sees start of\tuser")
	if err := st.host.Restart(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	st.says("[roster] sees stop of\tuser", "[user] 3\t4\t4")
}

// TestARestartReadsTheFilesAnew: also when they were wrong before; others learn that the
// exports have changed.
func TestARestartReadsTheFilesAnew(t *testing.T) {
	st := play(t, map[string]string{
		"a.lua": "exports('v', function() return 1 end)",
		"b.lua": "CreateThread(function() while true do print('v', pcall(function() return exports.a:v() end)) Wait(20) end end)",
		"c.lua": "this is wrong",
	}, "a.lua", "b.lua", "c.lua")
	st.says("[b] v\ttrue\t1", "script c: c.lua:1: parse error")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(st.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.lua", "exports('v', function() return 2 end) AddEventHandler('onResourceStop', function(n) print('goes', n) end)")
	write("c.lua", "print('right now')")
	for _, name := range []string{"a", "c"} {
		if err := st.host.Restart(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	st.says("[b] v\ttrue\t2", "[c] right now")
	write("a.lua", "nonsense(")
	if err := st.host.Restart(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "a.lua:1: ") {
		t.Errorf("a wrong file: %v", err)
	}
	st.says("[a] goes\ta", "No such export v in resource a")
	if s := st.status("a"); s.State != "stopped" || !strings.Contains(s.Problem, "a.lua:1: ") {
		t.Errorf("%+v", s)
	}
	if err := st.host.Restart(t.Context(), "d"); err == nil {
		t.Error("there is no d")
	}
}

func TestMistakesAreTold(t *testing.T) {
	folder := files(t, map[string]string{
		"wrong.lua": "local x = 1\nif x != 2 then end", "native.lua": "x = 1 // 0 &",
		"empty/fxmanifest.lua": "fx_version 'cerulean'", "js/fxmanifest.lua": "server_script 'a.js'", "none/readme": "",
		"out/fxmanifest.lua": "server_script '../wrong.lua'", "glob/fxmanifest.lua": "server_script 'x/*.lua'",
		"needs/fxmanifest.lua": "server_script 'a.lua' dependency 'nothing'", "needs/a.lua": "",
		"self/fxmanifest.lua": "server_script 'a.lua' dependency 'self'", "self/a.lua": "",
		"import/fxmanifest.lua": "server_script '@ox_lib/init.lua'", "bad name.lua": "", "radio.lua": "", "loop/fxmanifest.lua": "while true do end", "txt": "",
	})
	want := map[string]string{
		"wrong.lua": "wrong.lua:2: != is not Lua: write ~=", "empty": "empty/fxmanifest.lua: names no server_scripts", "js": "js: a.js: only Lua files",
		"none": "none/fxmanifest.lua: cannot be read", "out": "out: ../wrong.lua: must be a path inside", "glob": "glob: x/*.lua: matches no file",
		"needs": `needs: dependency "nothing" is not among`, "self": "depends on itself: self, self", "import": "import: @ox_lib/init.lua: ox_lib is not among",
		"bad name.lua": "cannot be the name", "radio.lua": "is the name of the radio's own", "loop": "loop/fxmanifest.lua:1: runs too long",
		"txt": "must be a .lua file", "absent": "there is no file or folder",
	}
	for path, text := range want {
		var got []string
		for _, err := range script.Mistakes(script.Read([]string{filepath.Join(folder, path)}, "radio")) {
			got = append(got, err.Error())
		}
		if all := strings.Join(got, "; "); !strings.Contains(all, text) {
			t.Errorf("%s: %s, want %s", path, all, text)
		}
	}
}

// TestTheHandbooksExamplesRunHere: those that need nothing of the game load as they are.
func TestTheHandbooksExamplesRunHere(t *testing.T) {
	for _, name := range []string{"signal-100", "radio-roster"} {
		folder, err := filepath.Abs("../../handbook/examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range script.Read([]string{folder}, "radio") {
			if len(r.Wrong) > 0 || len(r.Files) == 0 {
				t.Errorf("%s: %v", name, r.Wrong)
			}
		}
	}
}
