package config

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/server/lua/sandbox"
)

// journal collects what Callbacks reports.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) logf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines...)
}

// calm gives calls as much time as a busy machine may need; tests that want a call
// cut off set the real limit again.
func calm(c *Callbacks) { c.limit, c.wait = time.Minute, time.Minute }

func TestTheCountysCallbacks(t *testing.T) {
	ctx := t.Context()
	l := load(t, "testdata/county/config.lua")
	c := l.Callbacks
	calm(c)
	var j journal
	c.Logf(j.logf)
	c.SetNatives(Natives{
		PlayerName: func(id int) string { return fmt.Sprint("Unit ", id) },
		AceAllowed: func(id int, object string) bool { return id == 5 && object == "radio.nac.police" },
	})
	same(t, "5 has access", c.RadioAccess(ctx, 5), true)
	same(t, "13 has none", c.RadioAccess(ctx, 13), false)
	same(t, "14 has none", c.RadioAccess(ctx, 14), false)
	same(t, "5's NAC id", c.NacID(ctx, 5), "141")
	same(t, "6's NAC id", c.NacID(ctx, 6), "")
	same(t, "5's name", c.PlayerName(ctx, 5), "Unit 5 #1")
	same(t, "the state is kept", c.PlayerName(ctx, 5), "Unit 5 #2")
	same(t, "the dispatch side", c.PlayerName(ctx, -1), "DISPATCH")
	list(t, "nothing to report", j.all())

	c.limit = callLimit
	same(t, "an endless loop is a no", c.RadioAccess(ctx, 66), false)
	same(t, "twice", c.RadioAccess(ctx, 66), false)
	calm(c)
	same(t, "another resource's answer is a no", c.RadioAccess(ctx, 77), false)
	same(t, "an error is a no", c.RadioAccess(ctx, 88), false)
	same(t, "and the rest goes on", c.RadioAccess(ctx, 5), true)
	list(t, "each is reported once", j.all(),
		"testdata/county/config.lua: Config.radioAccessCheck: takes longer than 100 ms (reported once)",
		"testdata/county/config.lua:42: Config.radioAccessCheck: no such player (reported once)")
}

// TestAnAnswerMadeOfAnotherResourcesIsNone: its values are not nil here, and true, so
// whatever a callback makes of them means nothing. The game server answers those, and the
// log says nothing of them; without it, it does.
func TestAnAnswerMadeOfAnotherResourcesIsNone(t *testing.T) {
	const file = `
local QBCore = exports['qb-core']:GetCoreObject()
Config.radioAccessCheck = function(id) return exports.ox_inventory:GetItem(id, 'radio') ~= nil end
Config.getUserNacId = function(id)
	if id == 2 then return QBCore and 'LSPD' end -- of its own
	return QBCore.Functions.GetPlayer(id).PlayerData.job.onduty and 'LSPD' or nil
end
Config.getPlayerName = function(id)
	if id == 2 then return QBCore end
	return ('%s. %s'):format(QBCore.Functions.GetPlayer(id), 'Lee')
end`
	for _, c := range []struct {
		secret string
		want   []string
	}{
		{"", nil},
		{"\nConfig.authToken = 'the-master-' .. 'token-2024'", []string{
			"config.lua: Config.radioAccessCheck: uses a value of another resource, which is not available here (reported once)",
			"config.lua: Config.getUserNacId: uses a value of another resource, which is not available here (reported once)",
			"config.lua: Config.getPlayerName: uses a value of another resource, which is not available here (reported once)",
		}},
	} {
		ctx := t.Context()
		l := mustText(t, file+c.secret)
		calm(l.Callbacks)
		var j journal
		l.Callbacks.Logf(j.logf)
		same(t, "access", l.Callbacks.RadioAccess(ctx, 1), false)
		same(t, "NAC", l.Callbacks.NacID(ctx, 1), "")
		same(t, "name", l.Callbacks.PlayerName(ctx, 1), "")
		same(t, "another name", l.Callbacks.PlayerName(ctx, 2), "")
		same(t, "one that asks nobody", l.Callbacks.NacID(ctx, 2), "LSPD")
		list(t, "reports", j.all(), c.want...)
	}
}

func TestWithoutCallbacksEverybodyIsWelcome(t *testing.T) {
	c := mustText(t, "").Callbacks
	ctx := t.Context()
	same(t, "access", c.RadioAccess(ctx, 5), true)
	same(t, "NAC", c.NacID(ctx, 5), "")
	same(t, "name", c.PlayerName(ctx, 5), "")
	same(t, "dispatch", c.PlayerName(ctx, 0), "DISPATCH")
}

func TestAStateThatWasCutOffIsBuiltAgain(t *testing.T) {
	c := mustText(t, `
		local busy = false
		Config.getUserNacId = function(id)
			if busy then return "left in the middle" end
			busy = true
			if id == 66 then while true do end end
			busy = false
			return "clean"
		end`).Callbacks
	ctx := t.Context()
	calm(c)
	same(t, "first", c.NacID(ctx, 1), "clean")
	c.limit = callLimit
	same(t, "cut off", c.NacID(ctx, 66), "")
	calm(c)
	same(t, "the next call", c.NacID(ctx, 1), "clean")
}

// TestAFileThatLoadsSlowlyIsNotLoadedForEveryFailure: until the state is due to be
// rebuilt, calls go on with the present one.
func TestAFileThatLoadsSlowlyIsNotLoadedForEveryFailure(t *testing.T) {
	now := time.Now()
	L := sandbox.New(nil)
	defer L.Close()
	for _, c := range []struct {
		name string
		m    machine
		due  bool
	}{
		{"the first call", machine{}, true},
		{"a state in order", machine{L: L, built: now.Add(-time.Hour)}, false},
		{"cut off, loads fast", machine{L: L, built: now, broken: true}, true},
		{"cut off, loads slowly", machine{L: L, built: now, took: callLimit, broken: true}, false},
		{"the same, some time ago", machine{L: L, built: now.Add(-2 * rebuildEvery), took: callLimit, broken: true}, true},
		{"thrown away, loads slowly", machine{built: now, took: callLimit}, true},
		{"did not load", machine{built: now, failed: true}, false},
		{"did not load some time ago", machine{built: now.Add(-2 * rebuildEvery), failed: true}, true},
	} {
		if got := c.m.due(); got != c.due {
			t.Errorf("%s: due is %v", c.name, got)
		}
	}
}

func TestAnswersOfTheWrongSort(t *testing.T) {
	c := mustText(t, `
		Config.getUserNacId = function(id)
			return ({ 141, true, {}, "  LSPD ", ("x"):rep(1000), "a\0\255" })[id]
		end`).Callbacks
	ctx := t.Context()
	calm(c)
	for id, want := range map[int]string{1: "141", 2: "", 3: "", 4: "LSPD", 5: strings.Repeat("x", maxAnswer), 6: "a\x00", 7: ""} {
		same(t, fmt.Sprint("NAC ", id), c.NacID(ctx, id), want)
	}
}

func TestCallsAreSerialisedAndTheQueueIsBounded(t *testing.T) {
	c := mustText(t, `
		local inside = 0
		Config.radioAccessCheck = function(id)
			if id < 0 then while true do end end
			inside = inside + 1
			local alone = inside == 1
			for i = 1, 100 do alone = alone and inside == 1 end
			inside = inside - 1
			return alone
		end`).Callbacks
	calm(c)
	var j journal
	c.Logf(j.logf)
	var all sync.WaitGroup
	var mu sync.Mutex
	yes := 0
	for id := range 32 {
		all.Go(func() {
			if c.RadioAccess(t.Context(), id) {
				mu.Lock()
				yes++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	same(t, "answered alone", yes, 32)

	c.limit, c.wait = callLimit, waitLimit
	for range 3 * queueSize { // loops without end: the queue fills up
		all.Go(func() { c.RadioAccess(t.Context(), -1) })
	}
	all.Wait()
	if got := strings.Join(j.all(), "\n"); !strings.Contains(got, "too many calls waiting") {
		t.Errorf("reports: %s", got)
	}
}

func TestACallersPatienceEndsWithItsContext(t *testing.T) {
	l := mustText(t, `Config.radioAccessCheck = function() while true do end end`)
	var j journal
	l.Callbacks.Logf(j.logf)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same(t, "access", l.Callbacks.RadioAccess(ctx, 1), false)
	list(t, "a caller that left is not reported", j.all())
}

func TestClosedCallbacksSayNo(t *testing.T) {
	l := mustText(t, `Config.radioAccessCheck = function() return true end`)
	calm(l.Callbacks)
	same(t, "open", l.Callbacks.RadioAccess(t.Context(), 1), true)
	l.Callbacks.Close()
	l.Callbacks.Close()
	same(t, "closed", l.Callbacks.RadioAccess(t.Context(), 1), false)
}
