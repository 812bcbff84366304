package scenario

import (
	"strconv"
	"strings"

	"squelch/core"
)

func number(w string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(w, "#"))
	if err != nil {
		return 0
	}
	return n
}

// entry is an alert config entry that a caller supplies.
func entry(name string, persistent core.Choice) core.Alert {
	return core.Alert{Name: name, Persistence: persistent, Tones: core.AlertTones{Activate: "BEEP"}}
}

func position(w string) core.Position {
	x, y, _ := strings.Cut(w, ",")
	return core.Position{X: float64(number(x)), Y: float64(number(y))}
}

func ptr[T any](v T) *T { return &v }

// facts reads pairs of words: "name Alice nac police id license:a access no".
func facts(w string) core.Facts {
	var f core.Facts
	ws := words(w)
	for i := 0; i+1 < len(ws); i += 2 {
		switch v := ws[i+1]; ws[i] {
		case "name":
			f.Name = v
		case "nac":
			f.Nac = v
		case "unit":
			f.Unit = v
		case "login":
			f.Callsign = v
		case "id":
			f.Identifiers = append(f.Identifiers, v)
		case "callback-name":
			f.CallbackName = v
		case "callback-nac":
			f.CallbackNac = v
		case "access":
			f.Refused = v == "no"
		case "game-name":
			f.Game.Name = core.GameAnswer{Given: true, Text: v}
		case "game-awaited":
			f.Awaited = core.Awaited{Access: true, Nac: true, Name: true}
		case "game-nac":
			f.Game.Nac = core.GameAnswer{Given: true, Text: strings.TrimPrefix(v, "none")}
		case "game-access":
			f.Game.Access = map[string]core.Choice{"yes": core.Yes, "no": core.No}[v]
		case "dispatch":
			f.Given.Dispatch = v == "yes"
		}
	}
	return f
}

func choice(w string) core.Choice {
	return map[string]core.Choice{"on": core.Yes, "off": core.No}[w]
}

func alertRef(w string) core.AlertRef {
	if strings.HasPrefix(w, "#") {
		return core.AlertRef{Index: number(w), Given: true}
	}
	return core.AlertRef{Name: w}
}

var verbs = append(append(membership, talking...), append(calls, people...)...)

var membership = []verb{
	{"connects", func(a *args) core.Command { return core.Connect{Want: a.actor} }},
	{"connects from T", func(a *args) core.Command { return core.Connect{Want: a.actor, Owner: a.words[0]} }},
	{"connects from T taking over U", func(a *args) core.Command {
		return core.Connect{Want: a.actor, Owner: a.words[0], TakeOver: a.user(1)}
	}},
	{"recovers", func(a *args) core.Command { return core.Recover{User: a.actor} }},
	{"recovers from T", func(a *args) core.Command { return core.Recover{User: a.actor, Owner: a.words[0]} }},
	{"connects from T as L", func(a *args) core.Command {
		return core.Connect{Want: a.actor, Owner: a.words[0], Facts: facts(a.words[1])}
	}},
	{"connects as L", func(a *args) core.Command { return core.Connect{Want: a.actor, Facts: facts(a.words[0])} }},
	{"names session T of T", func(a *args) core.Command {
		return core.LinkSession{User: a.actor, Owner: a.words[0], Name: a.words[1], Callsign: a.words[1]}
	}},
	{"names session T", func(a *args) core.Command { return core.LinkSession{User: a.actor, Owner: a.words[0]} }},
	{"closes", func(a *args) core.Command { return core.Unlink{User: a.actor, Clean: true} }},
	{"is lost", func(a *args) core.Command { return core.Unlink{User: a.actor} }},
	{"joins F", func(a *args) core.Command { return core.JoinAsSpeaker{User: a.actor, Frequency: a.freq(0)} }},
	{"leaves", func(a *args) core.Command { return core.LeaveChannel{User: a.actor} }},
	{"scans F", func(a *args) core.Command { return core.StartScan{User: a.actor, Frequency: a.freq(0)} }},
	{"unscans F", func(a *args) core.Command { return core.StopScan{User: a.actor, Frequency: a.freq(0)} }},
	{"overhears F", func(a *args) core.Command { return core.Start3D{User: a.actor, Frequency: a.freq(0)} }},
	{"ignores F", func(a *args) core.Command { return core.Stop3D{User: a.actor, Frequency: a.freq(0)} }},
	{"follows U", func(a *args) core.Command { return core.Follow{User: a.actor, Target: a.user(0)} }},
	{"unfollows U", func(a *args) core.Command { return core.Unfollow{User: a.actor, Target: a.user(0)} }},
	{"moves U to F", func(a *args) core.Command { return core.MoveUser{User: a.user(0), Frequency: a.freq(1)} }},
	{"kicks U", func(a *args) core.Command { return core.Kick{User: a.user(0)} }},
	{"tests", func(a *args) core.Command { return core.SetLoopback{User: a.actor, Enabled: true} }},
	{"stops testing", func(a *args) core.Command { return core.SetLoopback{User: a.actor} }},
	{"places U at T", func(a *args) core.Command {
		return core.SetPositions{Positions: []core.PlayerPosition{{User: a.user(0), At: position(a.words[1])}}}
	}},
}

var talking = []verb{
	{"keys", func(a *args) core.Command { return core.KeyUp{User: a.actor} }},
	{"keys F", func(a *args) core.Command { return core.KeyUp{User: a.actor, Frequency: a.freq(0)} }},
	{"overrides", func(a *args) core.Command { return core.KeyUp{User: a.actor, Override: true} }},
	{"overrides F", func(a *args) core.Command {
		return core.KeyUp{User: a.actor, Frequency: a.freq(0), Override: true}
	}},
	{"releases", func(a *args) core.Command { return core.KeyDown{User: a.actor} }},
	{"releases F", func(a *args) core.Command { return core.KeyDown{User: a.actor, Frequency: a.freq(0)} }},
	{"speaks", func(a *args) core.Command { return core.Heard{User: a.actor} }},
	{"speaks on F", func(a *args) core.Command { return core.Heard{User: a.actor, Frequency: a.freq(0)} }},
	{"arms T", func(a *args) core.Command { return core.ArmGroup{User: a.actor, Group: a.words[0]} }},
	{"disarms", func(a *args) core.Command { return core.ArmGroup{User: a.actor} }},
	{"switches T", func(a *args) core.Command { return core.SetRadio{User: a.actor, Power: ptr(a.words[0] == "on")} }},
	{"presses power", func(a *args) core.Command { return core.SetRadio{User: a.actor, TogglePower: true} }},
	{"turns volume to N", func(a *args) core.Command {
		return core.SetRadio{User: a.actor, Volume: ptr(float64(number(a.words[0])) / 100)}
	}},
	{"switches gps T", func(a *args) core.Command { return core.SetRadio{User: a.actor, GPS: ptr(a.words[0] == "on")} }},
	{"takes earbuds off", func(a *args) core.Command { return core.SetRadio{User: a.actor, Earbuds: ptr(false)} }},
	{"wears earbuds", func(a *args) core.Command { return core.SetRadio{User: a.actor, Earbuds: ptr(true)} }},
	{"reports battery N", func(a *args) core.Command {
		return core.SetRadio{User: a.actor, Battery: ptr(float64(number(a.words[0])))}
	}},
}

var calls = []verb{
	{"patches as T L", func(a *args) core.Command { return core.CreatePatch{Label: a.words[0], Frequencies: a.freqs(1)} }},
	{"patches L", func(a *args) core.Command { return core.CreatePatch{Frequencies: a.freqs(0)} }},
	{"unpatches T", func(a *args) core.Command { return core.RemovePatch{ID: a.words[0]} }},
	{"alert T on F", func(a *args) core.Command { return core.SetAlert{Frequency: a.freq(1), Enabled: choice(a.words[0])} }},
	{"alert T on F with T", func(a *args) core.Command {
		return core.SetAlert{Frequency: a.freq(1), Enabled: choice(a.words[0]), Alert: alertRef(a.words[2])}
	}},
	{"triggers T on F", func(a *args) core.Command {
		return core.TriggerAlert{Frequency: a.freq(1), Alert: entry(a.words[0], core.Yes)}
	}},
	{"triggers bare T on F", func(a *args) core.Command {
		return core.TriggerAlert{Frequency: a.freq(1), Alert: entry(a.words[0], core.Unsaid)}
	}},
	{"triggers T on F once", func(a *args) core.Command {
		return core.TriggerAlert{Frequency: a.freq(1), Alert: entry(a.words[0], core.No)}
	}},
	{"plays alert T on F", func(a *args) core.Command {
		return core.PlayAlert{Frequency: a.freq(1), Alert: entry(a.words[0], core.No)}
	}},
	{"clears F", func(a *args) core.Command { return core.ClearAlert{Frequency: a.freq(0)} }},
	{"panics", func(a *args) core.Command { return core.SetPanic{User: a.actor, Enabled: true} }},
	{"panics on F", func(a *args) core.Command {
		return core.SetPanic{User: a.actor, Frequency: a.freq(0), Enabled: true}
	}},
	{"calms", func(a *args) core.Command { return core.SetPanic{User: a.actor} }},
	{"sets panic of U on F", func(a *args) core.Command {
		return core.SetPanic{User: a.user(0), Frequency: a.freq(1), Enabled: true}
	}},
	{"ends panic of U on F", func(a *args) core.Command { return core.SetPanic{User: a.user(0), Frequency: a.freq(1)} }},
	{"acknowledges U", func(a *args) core.Command { return core.AcknowledgePanic{User: a.user(0)} }},
	{"acknowledges U on F", func(a *args) core.Command {
		return core.AcknowledgePanic{User: a.user(0), Frequency: a.freq(1)}
	}},
	{"acknowledges emergency T", func(a *args) core.Command { return core.AcknowledgeEmergency{ID: a.words[0]} }},
	{"closes emergency T as T", func(a *args) core.Command {
		return core.CloseEmergency{ID: a.words[0], Reason: a.words[1]}
	}},
	{"closes emergency T as T noting T", func(a *args) core.Command {
		return core.CloseEmergency{ID: a.words[0], Reason: a.words[1], Note: a.words[2]}
	}},
	{"plays T on F", func(a *args) core.Command { return core.PlayTone{Tone: a.words[0], Frequency: a.freq(1)} }},
	{"plays T to U", func(a *args) core.Command { return core.PlayToneTo{Tone: a.words[0], User: a.user(1)} }},
	{"broadcasts T", func(a *args) core.Command { return core.Broadcast{Message: a.words[0]} }},
	{"broadcasts T on F", func(a *args) core.Command { return core.Broadcast{Message: a.words[0], Frequency: a.freq(1)} }},
	{"broadcasts T on F as T with T", func(a *args) core.Command {
		return core.Broadcast{Message: a.words[0], Frequency: a.freq(1), Type: a.words[2], Tone: a.words[3]}
	}},
	{"messages U T", func(a *args) core.Command { return core.AlertUser{User: a.user(0), Message: a.words[1]} }},
	{"messages U T on F", func(a *args) core.Command {
		return core.AlertUser{User: a.user(0), Message: a.words[1], Frequency: a.freq(2)}
	}},
}

var people = []verb{
	{"replaces the configuration", func(*args) core.Command { return core.ReplaceConfig{Config: Standard()} }},
	{"cannot store: T", func(a *args) core.Command { return core.SetStorage{Reason: a.words[0]} }},
	{"stores again", func(*args) core.Command { return core.SetStorage{} }},
	{"registers U L", func(a *args) core.Command { return core.Register{User: a.user(0), Facts: facts(a.words[1])} }},
	{"drops U", func(a *args) core.Command { return core.Drop{User: a.user(0)} }},
	{"is called T", func(a *args) core.Command { return core.Identify{User: a.actor, Name: ptr(a.words[0])} }},
	{"is called T nac T", func(a *args) core.Command {
		return core.Identify{User: a.actor, Name: ptr(a.words[0]), Nac: ptr(a.words[1])}
	}},
	{"sets nac of U to T", func(a *args) core.Command { return core.SetNac{User: a.user(0), Nac: a.words[1]} }},
	{"refreshes U L", func(a *args) core.Command {
		f := facts(a.words[1])
		return core.Refresh{User: a.user(0), CallbackName: f.CallbackName, CallbackNac: f.CallbackNac, Refused: f.Refused,
			KeepOverride: strings.Contains(a.words[1], "keep override")}
	}},
	{"gives U callsign T", func(a *args) core.Command { return core.SetCallsign{User: a.user(0), Callsign: a.words[1]} }},
	{"takes callsign of U", func(a *args) core.Command { return core.SetCallsign{User: a.user(0)} }},
}
