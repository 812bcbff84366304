package table

// Events are all that dispatch.on knows. Each is told at once on subscription, with the
// present state.
var Events = []Event{
	{Name: "dispatch:zones", Payload: []Field{{Name: "zones", Type: "Zone[]"}}, Doc: "a channel, a user, a panic or a number of listeners changes"},
	{Name: "dispatch:ptt", Payload: []Field{{Name: "active", Type: "boolean"}}, Doc: "the global push-to-talk is pressed or released"},
	{Name: "dispatch:channel", Payload: []Field{{Name: "freq", Type: "string"}}, Doc: "the console speaks on another channel; \"\": on none"},
	{Name: "dispatch:channel-ptt", Payload: []Field{{Name: "active", Type: "boolean"}, {Name: "freq", Type: "string"}}, Doc: "the push-to-talk of one channel is pressed or released"},
	{Name: "dispatch:voice-status", Payload: []Field{{Name: "status", Type: "VoiceStatus"}}, Doc: "the voice status changes"},
	{Name: "dispatch:connection", Payload: []Field{{Name: "connected", Type: "boolean"}, {Name: "health", Type: "Health"}}, Doc: "the link is lost, is back, or becomes stale"},
	{Name: "dispatch:alerts", Payload: []Field{{Name: "alerts", Type: "{ id: string; name: string }[]", Doc: "id is the frequency, name that of the alert"}}, Doc: "an alert is raised or cleared"},
	{Name: "dispatch:alert-types", Payload: []Field{{Name: "alertTypes", Type: "AlertType[]"}}, Doc: "the configured alerts change"},
	{Name: "dispatch:scans", Payload: []Field{{Name: "scanned", Type: "string[]"}}, Doc: "another set of channels is monitored"},
	{Name: "dispatch:patches", Payload: []Field{{Name: "patches", Type: "Patch[]"}}, Doc: "a patch is made or removed"},
	{Name: "dispatch:transmissions", Payload: []Field{{Name: "transmissions", Type: "TransmissionEntry[]"}}, Doc: "a transmission begins or ends"},
	{Name: "dispatch:callsign", Payload: []Field{{Name: "callsign", Type: "string"}}, Doc: "the dispatcher's callsign changes"},
	{Name: "dispatch:announcement-group", Payload: []Field{{Name: "groupId", Type: "string | null"}}, Doc: "a group is armed or disarmed"},
	{Name: "dispatch:settings", Payload: []Field{{Name: "settings", Type: "DispatchSettings"}}, Doc: "a volume or a push-to-talk binding changes"},
	{Name: "dispatch:emergencies", Payload: []Field{{Name: "emergencies", Type: "Emergency[]"}}, Extension: true, Doc: "an emergency is raised, acknowledged, ended or closed"},
}
