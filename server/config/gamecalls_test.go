package config

import (
	"strconv"
	"strings"
	"testing"
)

// TestWhichCallbacksNeedTheGame reads their code, all branches of it.
func TestWhichCallbacksNeedTheGame(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"none":                   {`Config.radioAccessCheck = function(id) return IsPlayerAceAllowed(id, "radio") end`, ""},
		"an export":              {`Config.getUserNacId = function(id) return exports["qb-core"]:GetJob(id) end`, "getUserNacId exports 1"},
		"in a branch":            {"\nConfig.radioAccessCheck = function(id)\n if id > 1000 then return exports.jobs:has(id) end\n return true end", "radioAccessCheck exports 2"},
		"fetched when loaded":    {`local QBCore = exports["qb-core"]:GetCoreObject() Config.getUserNacId = function(id) return QBCore.Functions.GetPlayer(id).PlayerData.job.name end`, "getUserNacId QBCore 1"},
		"a global of a resource": {`Config.getPlayerName = function(id) return MySQL.scalar.await("SELECT", { id }) end`, "getPlayerName MySQL 1"},
		"through a helper":       {`local function job(id) return exports.es_extended:getSharedObject() end local function of(id) return job(id) end Config.getUserNacId = function(id) return of(id) end`, "getUserNacId exports 1"},
		"through a global":       {`function job(id) return ESX.GetPlayerFromId(id) end Config.getUserNacId = function(id) return job(id) end`, "getUserNacId ESX 1"},
		"through another callback": {`Config.getUserNacId = function(id) return exports.a:b(id) end
			Config.radioAccessCheck = function(id) return Config.getUserNacId(id) ~= nil end`, "radioAccessCheck exports 2, getUserNacId exports 1"},
		"another field of Config": {`Config.getUserNacId = function(id) return exports.a:b(id) end Config.limit = 5
			Config.radioAccessCheck = function(id) return id < Config.limit end`, "getUserNacId exports 1"},
		"a method":            {`jobs = { of = function(self, id) return exports.a:b(id) end } Config.getUserNacId = function(id) return jobs:of(id) end`, "getUserNacId exports 1"},
		"a field by variable": {`jobs = { of = function(id) return exports.a:b(id) end } Config.getUserNacId = function(id) local k = "of" return jobs[k](id) end`, "getUserNacId exports 1"},
		"its own global":      {`Config.getUserNacId = function(id) last = last or id return "LSPD" end`, ""},
		"on the client":       {`Config.talkCheck = function() return exports.hud:up() end`, ""},
		"inside itself":       {`local function f(id) if id > 3 then return f(id - 1) end end Config.getUserNacId = function(id) f(id) return nil end`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, call := range mustText(t, c.text).Callbacks.calls {
				got = append(got, call.Name+" "+call.Uses+" "+strconv.Itoa(call.Line))
			}
			same(t, "need the game", strings.Join(got, ", "), c.want)
		})
	}
}

// TestTheGameGetsNoSecret: the text that the game server gets has no secret in it,
// and means the same otherwise.
func TestTheGameGetsNoSecret(t *testing.T) {
	const file = `
-- old token: the-master-token-2024
Config.authToken = "the-master-token-2024"
Config.adminPassword = 'hunter22' Config.discord = { clientId = "1", clientSecret = [[client
secret 0123]], allowedRoles = { "5" } }
Config.webhook = "https://x/?token=the-master-token-2024"
Config.getUserNacId = function(id) return exports.jobs:of(id) end`
	l := mustText(t, file)
	game := l.Callbacks.ForGame()
	if game == nil {
		t.Fatal("nothing for the game: ", l.Warnings)
	}
	for _, secret := range []string{"the-master-token-2024", "hunter22", "client\nsecret 0123"} {
		if strings.Contains(game.Source, secret) {
			t.Errorf("%q is in\n%s", secret, game.Source)
		}
	}
	same(t, "lines", strings.Count(game.Source, "\n"), strings.Count(file, "\n"))
	if !strings.Contains(game.Source, `allowedRoles = { "5" }`) || !strings.HasSuffix(game.Source, "return exports.jobs:of(id) end") {
		t.Error(game.Source)
	}
}

// TestASecretThatCannotBeTakenOutKeepsTheFileHere: rather no callbacks in the game
// than a secret.
func TestASecretThatCannotBeTakenOutKeepsTheFileHere(t *testing.T) {
	const calls = ` Config.getUserNacId = function(id) return exports.jobs:of(id) end`
	for text, want := range map[string]string{
		`Config.authToken = "the-master-" .. "token-2024"`:                        "each as one string",
		`local t = { "the-master-", "token" } Config.authToken = table.concat(t)`: "each as one string",
		`Config.adminPassword = "police" Config.serverName = "police"`:            "also a secret",
	} {
		l := mustText(t, text+calls)
		if l.Callbacks.ForGame() != nil {
			t.Errorf("%s is given away: %s", text, l.Callbacks.ForGame().Source)
		}
		if warned := strings.Join(l.Warnings, "\n"); !strings.Contains(warned, "the game server cannot be given the callbacks") || !strings.Contains(warned, want) {
			t.Errorf("%s: %s", text, warned)
		}
	}
}

// TestOperatorsFilesWorkWithoutChange: two files as communities have them. What their
// callbacks need of the game is asked in the game; the rest works here.
func TestOperatorsFilesWorkWithoutChange(t *testing.T) {
	for file, want := range map[string]struct {
		game     string
		trunked  int
		alerts   string
		secrets  []string
		warnings int // besides those that say who answers what
	}{
		"testdata/qbcore/config.lua": {"radioAccessCheck getUserNacId getPlayerName", 2, "SIGNAL 100, SIGNAL 3, Ping, Boop",
			[]string{"qb-city-master-token-4711", "correct horse battery"}, 0},
		"testdata/esx/config.lua": {"radioAccessCheck getUserNacId", 2, "Code 33, All Clear, Chirp",
			[]string{"esx-county-master-token-0815", "a password with spaces"}, 0},
	} {
		l := load(t, file)
		same(t, file, strings.Join(l.Callbacks.NeedGame(), " "), want.game)
		channels, trunked := 0, 0
		for _, z := range l.Core.Zones {
			for _, c := range z.Channels {
				channels++
				if c.Low != 0 {
					trunked++
				}
			}
		}
		same(t, "zones", len(l.Core.Zones), 3)
		same(t, "channels", channels, 12)
		same(t, "talkgroups", trunked, want.trunked)
		var alerts []string
		for _, a := range l.Core.Alerts {
			alerts = append(alerts, a.Name)
		}
		same(t, "alerts", strings.Join(alerts, ", "), want.alerts)
		game := l.Callbacks.ForGame()
		if game == nil {
			t.Fatalf("%s: the game gets nothing: %q", file, l.Warnings)
		}
		for _, secret := range want.secrets {
			if strings.Contains(game.Source, secret) {
				t.Errorf("%s: the game gets %q", file, secret)
			}
		}
		others := 0
		for _, w := range l.Warnings {
			if !strings.Contains(w, "the game resource answers it") && !strings.Contains(w, "a player's radio calls it") {
				others++
			}
		}
		if others != want.warnings {
			t.Errorf("%s: %q", file, l.Warnings)
		}
	}
}
