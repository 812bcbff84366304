package clientcmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// luaFile writes a script.
func luaFile(t *testing.T, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "patrol.lua")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// unit is a player's radio that runs a script.
func (s *service) unit(source string, more ...string) *station {
	s.t.Helper()
	return s.open(append([]string{"--token", s.player(12, "Ann"), "--id", "12", "--script", luaFile(s.t, source), "--for", "1m"}, more...)...)
}

// printed are the lines that a script has printed, as JSON.
func (r *station) printed() (lines []string) {
	r.t.Helper()
	for _, e := range r.said("print") {
		lines = append(lines, string(e.Payload))
	}
	return lines
}

// until is what scripts wait with.
const until = `
local radio = exports.radio
local function wait(what, done)
    for _ = 1, 600 do
        if done() then return end
        Wait(50)
    end
    error('waited in vain until ' .. what)
end
`

// The voice of --play, silence when it is over, and a dispatcher who hears both.
func TestAScriptTalks(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 100, 150)
	for _, path := range []string{"socket", "webrtc"} {
		heard := newRecording(t)
		desk := s.dispatcher("Desk", "-2", "--scan", "154.755", "--record", string(heard))
		flags := []string{"--play", file}
		if path == "webrtc" {
			flags = append(flags, "--webrtc")
		}
		ann := s.unit(until+`
print(radio:getCurrentName(), radio:getCurrentNacId(), radio:getRadioLayout(), radio:getCurrentFrequency(), radio:getZone())
print(radio:connectToFrequency(154.755), exports['radio']:connectToFrequency('nowhere'))
wait('it is tuned', function() return radio:getCurrentFrequency() == '154.755' end)
print(radio:getCurrentChannel().name, radio:getZone())
radio:startTransmitting()
wait('it is on the air', function() return radio:isTransmitting() end)
print(radio:getConnectionDiagnostics().path)
Wait(1500)
radio:stopTransmitting()
wait('it is off the air', function() return not radio:isTransmitting() end)
os.exit()
`, flags...)
		ann.ends()
		desk.wait("talkingState", `"serverId":12,"frequency":"154.755","state":false`)
		desk.off()
		want := []string{`"Ann\tPD\tAPX 900\t-1\tCounty"`, `"true\tfalse"`, `"DISP\tCounty"`, `"` + path + `"`}
		if got := ann.printed(); !slices.Equal(got, want) {
			t.Fatalf("printed %q, want %q", got, want)
		}
		if len(ann.said("tone")) == 0 {
			t.Error("the subscriber record's key-up tone was not played")
		}
		packets := voice(heard.packets(t))
		var spoken [][]byte
		for _, p := range packets {
			if !bytes.Equal(p, hiss) {
				spoken = append(spoken, p)
			}
		}
		if len(spoken) == len(packets) {
			t.Error("no silence was sent after the file")
		}
		if path == "socket" {
			identical(t, said, spoken)
		} else {
			mostly(t, said, spoken)
		}
	}
}

// An emergency goes out on the revert channel, with an open microphone that the script
// did not ask for; an alert, a callsign and a scan list are the service's to take.
func TestAScriptAndADispatcher(t *testing.T) {
	t.Parallel()
	s := serve(t)
	desk := s.dispatcher("Desk", "-2", "--scan", "154.755,460.25", "--speak", "154.755")
	ann := s.unit(until + `
AddEventHandler('radio:dispatchNotification', function(n)
    if n.type == 'alert' then print('alert', n.alertConfig.name) end
end)
radio:setCurrentChannel('154.7550')
radio:addListeningChannel(460.25)
wait('it scans', function() return radio:getListeningChannels()[1] == '460.25' end)
radio:setMyCallsign('Adam 12')
wait('it has a callsign', function() return radio:getMyCallsign() == 'Adam 12' end)
radio:triggerAlertOnChannel('154.755', true)
radio:panicButton('460.250', true)
wait('the microphone is open', function() return radio:isTransmitting() end)
wait('it is closed again', function() return not radio:isTransmitting() end)
radio:panicButton(460.25, false)
radio:setPower(false)
wait('an hour', function() return false end)
`)
	desk.wait("dispatchNotification", `"callsign":"Adam 12"`)
	desk.wait("dispatchNotification", `"type":"alert"`)
	desk.wait("dispatchNotification", `"type":"panic","frequency":"460.25","serverId":12`)
	desk.wait("talkingState", `"serverId":12,"frequency":"460.25","state":true`)
	desk.wait("voice", `"serverId":12,"frequency":"460.25"`)
	desk.wait("talkingState", `"serverId":12,"frequency":"460.25","state":false`)
	desk.wait("dispatchNotification", `"type":"panicCleared"`)
	desk.wait("radioState", `"serverId":12,"power":false`)
	ann.wait("print", `alert\tSIGNAL 100`)
	ann.off()
}

// A busy channel, and the functions of RadioConfig: set one by one, or all at once.
func TestAScriptsRadioConfig(t *testing.T) {
	t.Parallel()
	s := serve(t)
	long, _ := speech(t, 0, 100)
	desk := s.dispatcher("Desk", "-2", "--speak", "154.755", "--play", long, "--repeat", "1000")
	desk.wait("talkingState", `"serverId":-2,"frequency":"154.755","state":true`)
	ann := s.unit(until+`
radio:startTransmitting()
Wait(500)
print(radio:isTransmitting())
radio:stopTransmitting()
RadioConfig = {
    talkCheck = function() return false end,
    batteryTick = function(level, dt) return level - 200 * dt end,
    bgSirenCheck = function() return true end,
}
wait('the battery is empty', function() return radio:getBatteryLevel() == 0 and not radio:isPowerOn() end)
RadioConfig.batteryTick = function() return 50 end
wait('it is charged', function() return radio:getBatteryLevel() == 50 end)
radio:setPower(true)
radio:startTransmitting()
Wait(200)
print(radio:isTransmitting())
RadioConfig.talkCheck = function() Wait(0) return false end
Wait(1000)
radio:setCurrentChannel('460.25')
wait('it is elsewhere', function() return radio:getCurrentFrequency() == '460.25' end)
radio:startTransmitting()
wait('a function that waits does not stop it', function() return radio:isTransmitting() end)
os.exit(3)
`, "--speak", "154.755")
	ann.wait("tone", "BONK")
	ann.wait("siren", "true")
	_ = ann.Process.Wait()
	if got := ann.printed(); !slices.Equal(got, []string{`"false"`, `"false"`}) {
		t.Errorf("printed %q", got)
	}
	if logged := ann.said("radio_log"); len(logged) != 1 || !strings.Contains(string(logged[0].Payload), "RadioConfig.talkCheck waits") {
		t.Errorf("%d lines about a function that waits", len(logged))
	}
	desk.off()
}

// A radio that comes back after the service was killed goes back to its channels.
func TestAScriptsRadioComesBack(t *testing.T) {
	t.Parallel()
	s := serveMortal(t)
	ann := s.unit(until+`
wait('it scans', function() return radio:getListeningChannels()[1] == '460.25' end)
print('there')
wait('it is lost', function() return not radio:isConnected() end)
print(radio:getCurrentFrequency(), (radio:getCurrentName()))
wait('it is back', function() return radio:getCurrentFrequency() == '154.755' and radio:getListeningChannels()[1] == '460.25' end)
radio:startTransmitting()
wait('it is on the air', function() return radio:isTransmitting() end)
os.exit(0)
`, "--speak", "154.755", "--scan", "460.25")
	ann.wait("print", "there")
	s.Kill()
	ann.wait("print", `"-1\tnil"`)
	s.again()
	ann.ends()
}

func TestHowAScriptEnds(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.player(12, "Ann")
	run := func(source string, code int, want string) {
		t.Helper()
		why := exits(t, s.command("--token", token, "--id", "12", "--for", "20s", "--script", luaFile(t, source)), code)
		if !strings.Contains(why, want) {
			t.Errorf("the script %q: the command says %q, want %q in it", source, why, want)
		}
	}
	run("os.exit()", 0, "")
	run("os.exit(3)", 3, "")
	run("os.exit(false)", 1, "")
	run("print('a') os.exit(true) print('b')", 0, "")
	run("local x = = 1", 1, "--script: patrol.lua:1:")
	run("while true do end", 1, "patrol.lua:1")
	run("error('no radio')", 1, "no radio")
	run("local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", 1, "patrol.lua")
	run("exports.radio:noSuchThing()", 1, "No such export noSuchThing in resource radio")
	// An error in a thread does not end the others, but the command fails.
	run("CreateThread(function() error('a thread') end) SetTimeout(200, function() os.exit(4) end)", 4, "")
	why := exits(t, s.command("--token", token, "--id", "12", "--for", "1s", "--script", luaFile(t, "CreateThread(function() error('in a thread') end)")), 1)
	if !strings.Contains(why, "1 error") || !strings.Contains(why, "patrol.lua:1: in a thread") {
		t.Errorf("the command says %q", why)
	}
	if why := exits(t, s.command("--token", token, "--id", "12", "--script", filepath.Join(t.TempDir(), "none.lua")), 1); !strings.Contains(why, "none.lua") {
		t.Errorf("a script that is not there: %q", why)
	}
}

// Without --json the standard output is the script's alone.
func TestWhatAScriptPrints(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cmd := s.command("--token", s.player(12, "Ann"), "--id", "12", "--speak", "154.755", "--resource", "tradio",
		"--script", luaFile(t, "print('on', exports.tradio:getCurrentFrequency())\nos.exit()"))
	cmd.Args = append(cmd.Args[:2], cmd.Args[3:]...) // without --json
	out, err := cmd.Output()
	if err != nil || string(out) != "on\t154.755\n" {
		t.Errorf("%v; printed %q", err, out)
	}
}

// A dispatcher's radio has the channels of the configuration, too.
func TestADispatchersScript(t *testing.T) {
	t.Parallel()
	s := serve(t)
	unit := s.dispatcher("Desk", "-3", "--speak", "460.25", "--script", luaFile(t, until+`
wait('the channels are known', function() return radio:getCurrentChannel() ~= nil end)
print(radio:getCurrentChannel().name, radio:getZone())
os.exit()`))
	unit.ends()
	if got := unit.printed(); !slices.Equal(got, []string{`"FIRE\tCounty"`}) {
		t.Errorf("printed %q", got)
	}
}

// What scripts in the service send to clients: the request for the callsign, which the
// radio answers by itself, and events of their own.
func TestAServiceScriptReachesAClientScript(t *testing.T) {
	t.Parallel()
	s := serve(t)
	desk := s.dispatcher("Desk", "-2", "--scan", "154.755")
	file := luaFile(t, `
RegisterNetEvent('county:hello', function(who, times)
    if source == 65535 then exports.radio:setMyCallsign(who .. ' ' .. times) end
end)
AddEventHandler('county:local', function() exports.radio:setMyCallsign('a wrong one') end)
`)
	radio := newSession(options{server: s.url, token: s.player(12, "Ann"), id: 12, speak: "154.755", file: file, resource: "radio",
		repeat: 1, json: true}, io.Discard, io.Discard)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- radio.run(ctx) }()
	desk.wait("speakerJoined", `"serverId":12`)
	radio.self() // the lock orders what follows after the start of the script
	<-radio.script.known
	// The script's file runs right after; until then nobody takes the event.
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for ctx.Err() == nil {
			radio.script.event("clientEvent", []byte(`{"name":"county:local","args":[]}`))
			radio.script.event("clientEvent", []byte(`{"name":"county:hello","args":["Adam",12]}`))
			time.Sleep(50 * time.Millisecond)
		}
	}()
	desk.wait("dispatchNotification", `"callsign":"Adam 12"`)
	stop()
	<-sent
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, e := range desk.said("dispatchNotification") {
		if strings.Contains(string(e.Payload), "a wrong one") {
			t.Error("an event that was not registered as a net event ran")
		}
	}
}

// A radio that knows a callsign which the service has lost sends it again when asked.
func TestTheCallsignIsSentAgain(t *testing.T) {
	t.Parallel()
	s := serve(t)
	desk := s.dispatcher("Desk", "-2", "--scan", "154.755")
	radio := newSession(options{server: s.url, token: s.player(12, "Ann"), id: 12, speak: "154.755", file: luaFile(t, ""), resource: "radio",
		repeat: 1, json: true}, io.Discard, io.Discard)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- radio.run(ctx) }()
	desk.wait("speakerJoined", `"serverId":12`)
	radio.self() // see above
	radio.script.event("self", []byte(`{"serverId":12,"name":"Ann","callsign":"Adam 12","listening":[],"panic":[],"alerts":{}}`))
	radio.script.event("clientEvent", []byte(`{"name":"radio:resyncCallsign","args":[]}`))
	desk.wait("dispatchNotification", `"callsign":"Adam 12"`)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
