package script_test

import (
	"strings"
	"testing"
	"time"

	"squelch/core"
)

// TestOneScriptHarmsNobodyElse: loops, recursion, bombs and floods, while another script
// and the radio go on.
func TestOneScriptHarmsNobodyElse(t *testing.T) {
	for name, source := range map[string]string{
		"loop":      "CreateThread(function() while true do end end)",
		"at once":   "while true do end",
		"memory":    "CreateThread(function() local t = {} while true do t[#t + 1] = { {}, {}, {} } end end)",
		"recursion": "CreateThread(function() local function f() return f() + 1 end f() end)",
		"rep":       "CreateThread(function() while true do pcall(string.rep, 'x', 1e9) Wait(0) end end)",
		"pattern":   "CreateThread(function() while true do pcall(string.find, ('a'):rep(5000), ('.-'):rep(9) .. 'b') Wait(0) end end)",
		"pcall":     "CreateThread(function() while true do pcall(function() Wait(0) error('x') end) end end)",
		"exports":   "CreateThread(function() while true do exports.radio:getChannelInfo('154.755') end end)",
		"setters":   "CreateThread(function() while true do exports.radio:setAlertOnChannel('463', nil) end end)",
		"events":    "CreateThread(function() while true do for i = 1, 1000 do TriggerEvent('flood', i) end Wait(0) end end)",
		"prints":    "CreateThread(function() while true do for i = 1, 1000 do print(('x'):rep(10000)) end Wait(0) end end)",
		"sends":     "CreateThread(function() while true do pcall(TriggerClientEvent, 'flood', -1, ('x'):rep(1000)) Wait(0) end end)",
		"threads":   "local function f() CreateThread(f) CreateThread(f) end f()",
		"errors":    "CreateThread(function() while true do CreateThread(function() error('e' .. math.random()) end) Wait(0) end end)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := play(t, map[string]string{
				"bad.lua":  source,
				"good.lua": "AddEventHandler('flood', function() end) CreateThread(function() local n = 0 while true do Wait(20) n = n + 1 if exports.radio:getPlayerName(7) == 'Player 7' then print('tick', n) end end end)",
			}, "bad.lua", "good.lua")
			st.says("[good] tick\t3")
			for i := range 50 { // the radio goes on
				st.do(core.SetAlert{Frequency: at(t, "154.755")})
				if i == 25 {
					st.says("[good] tick\t20")
				}
			}
			if n := len(st.logged()); n > 1500 {
				t.Errorf("the log has %d lines", n)
			}
		})
	}
}

// TestTheCommandsOfOneScriptLeaveRoomForOthers: one that registers as many as it may
// keeps nobody else from it, and may replace its own.
func TestTheCommandsOfOneScriptLeaveRoomForOthers(t *testing.T) {
	st := play(t, map[string]string{
		"greedy.lua": `
			local n = 0
			while n < 10000 and pcall(RegisterCommand, 'greedy' .. n, function() end) do n = n + 1 end
			print('registered', n, pcall(RegisterCommand, 'greedy0', function() end))`,
		"modest.lua": "RegisterCommand('modest', function() end) print('has it')",
	}, "greedy.lua", "modest.lua")
	st.says("[greedy] registered\t500\ttrue", "[modest] has it")
}

// TestAHostNeedNotWaitForAScriptThatLoadsWithoutEnd: left alone, the script is refused after
// 12 s, pauses included.
func TestAHostNeedNotWaitForAScriptThatLoadsWithoutEnd(t *testing.T) {
	st := play(t, map[string]string{"a.lua": "print('begins') while true do end"}, "a.lua")
	st.says("[a] begins")
	closed := make(chan struct{})
	go func() { st.host.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(10 * time.Second): // less than a load may take
		t.Error("the host still waits for the script")
	}
}

// TestAScriptThatIsStoppedStartsAgain: later each time, and it is said once.
func TestAScriptThatIsStoppedStartsAgain(t *testing.T) {
	st := play(t, map[string]string{"a.lua": "print('begins') exports('e', print) CreateThread(function() Wait(0) while true do end end)"}, "a.lua")
	st.until("the second start", func() bool { return st.count("[a] begins") >= 2 })
	st.until("the second stop", func() bool { return st.status("a").Restarts >= 2 })
	s := st.status("a")
	if s.State != "waiting" || !strings.Contains(s.Problem, "a.lua:1: runs longer than 1s without a Wait") {
		t.Errorf("%+v", s)
	}
	if st.count("it is stopped and starts again in 1s, later each time (reported once)") != 1 {
		t.Errorf("the log: %q", st.logged())
	}
}

// TestTenThousandCalls: as many calls as a busy script makes in a second, with changes
// among them, and everything is answered.
func TestTenThousandCalls(t *testing.T) {
	st := play(t, map[string]string{"a.lua": `
		CreateThread(function()
			local radio, right = exports.radio, 0
			for i = 1, 10000 do
				local info = radio:getChannelInfo('154.755')
				if info.speakers[1] == 7 and radio:isUserTalking(7, '154.755') == false then right = right + 1 end
				if i % 200 == 0 then radio:setCallsign(7, 'CALL-' .. i) Wait(0) end
			end
			print('right', right, radio:getCallsign(7))
		end)`}, "a.lua")
	for range 100 {
		st.do(core.SetAlert{Frequency: at(t, "463")})
	}
	st.says("[a] right\t10000\tCALL-10000")
}

// Functions of the radio use nothing that a script can replace, and a wrong argument is
// an error on the script's goroutine: on the radio's it would end the service.
func TestAScriptThatReplacesTheStringLibraryHarmsNobody(t *testing.T) {
	st := play(t, map[string]string{"a.lua": `
local function bad() local t = {} t.gsub = function() return t end return t end
for _, name in ipairs({ 'gsub', 'format', 'match', 'find' }) do string[name] = bad end
for _, name in ipairs({ 'getChannelInfo', 'getChannelAlert', 'getChannelPanic' }) do exports.radio[name](0, '154.755') end
exports.radio:getUserPanicState('7', '154.755')
exports.radio:isUserTalking(7, 154.755)
exports.radio:getSubscriberZones('7')
print('channel', exports.radio:getChannelInfo(154.755).frequency)
`}, "a.lua")
	st.says("[a] channel\t154.755")
	st.do(core.KeyUp{User: 7})
}
