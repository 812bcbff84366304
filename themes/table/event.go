package table

// Events are all that dispatch.on knows. Each is told at once on subscription, with the
// present state.
var Events = []Event{
	{"dispatch:zones", []Field{{Name: "zones", Type: "Zone[]"}}, "a channel, a user, a panic or a number of listeners changes"},
	{"dispatch:ptt", []Field{{Name: "active", Type: "boolean"}}, "the global push-to-talk is pressed or released"},
	{"dispatch:channel", []Field{{Name: "freq", Type: "string"}}, "the console speaks on another channel; \"\": on none"},
	{"dispatch:channel-ptt", []Field{{Name: "active", Type: "boolean"}, {Name: "freq", Type: "string"}}, "the push-to-talk of one channel is pressed or released"},
	{"dispatch:voice-status", []Field{{Name: "status", Type: "VoiceStatus"}}, "the voice status changes"},
	{"dispatch:connection", []Field{{Name: "connected", Type: "boolean"}, {Name: "health", Type: "Health"}}, "the link is lost, is back, or becomes stale"},
	{"dispatch:alerts", []Field{{Name: "alerts", Type: "{ id: string; name: string }[]", Doc: "id is the frequency, name that of the alert"}}, "an alert is raised or cleared"},
	{"dispatch:alert-types", []Field{{Name: "alertTypes", Type: "AlertType[]"}}, "the configured alerts change"},
	{"dispatch:scans", []Field{{Name: "scanned", Type: "string[]"}}, "another set of channels is monitored"},
	{"dispatch:patches", []Field{{Name: "patches", Type: "Patch[]"}}, "a patch is made or removed"},
	{"dispatch:transmissions", []Field{{Name: "transmissions", Type: "TransmissionEntry[]"}}, "a transmission begins or ends"},
	{"dispatch:callsign", []Field{{Name: "callsign", Type: "string"}}, "the dispatcher's callsign changes"},
	{"dispatch:announcement-group", []Field{{Name: "groupId", Type: "string | null"}}, "a group is armed or disarmed"},
	{"dispatch:settings", []Field{{Name: "settings", Type: "DispatchSettings"}}, "a volume or a push-to-talk binding changes"},
}
