package table

// State is the one object that dispatch.getState returns.
var State = Shape{Name: "DispatchState", Doc: "What the console knows at one moment. It is a copy: changing it changes nothing.", Fields: []Field{
	{Name: "channel", Type: "string", Doc: "the frequency of the channel that the console speaks on; \"\": none"},
	{Name: "scannedChannels", Type: "string[]", Doc: "the frequencies that are monitored besides"},
	{Name: "zones", Type: "Zone[]", Doc: "the zones with their channels, and who is on them"},
	{Name: "pttActive", Type: "boolean", Doc: "the global push-to-talk is held"},
	{Name: "channelPttActive", Type: "boolean", Doc: "the push-to-talk of one channel is held"},
	{Name: "channelPttFrequency", Type: "string", Doc: "which channel that is; \"\": none"},
	{Name: "voiceStatus", Type: "VoiceStatus", Doc: "what the console does: TRANSMITTING is the floor asked for and not granted yet; the two TX say what the voice is carried as"},
	{Name: "micReady", Type: "boolean | null", Doc: "the microphone can be used; null: that is not known yet"},
	{Name: "activeAlerts", Type: "Record<string, string>", Doc: "the names of the alerts that are active, by frequency"},
	{Name: "alertTypes", Type: "AlertType[]", Doc: "the alerts that can be raised, in the operator's order"},
	{Name: "tones", Type: "Tone[]", Doc: "the tones that can be played"},
	{Name: "patches", Type: "Patch[]", Doc: "the patches that exist"},
	{Name: "transmissions", Type: "TransmissionEntry[]", Doc: "the log of transmissions, newest first"},
	{Name: "announcementGroups", Type: "AnnouncementGroup[]", Doc: "groups of channels that can be keyed together"},
	{Name: "activeAnnouncementGroup", Type: "string | null", Doc: "the id of the group that is armed"},
	{Name: "settings", Type: "DispatchSettings", Doc: "this dispatcher's settings"},
	{Name: "callsign", Type: "string", Doc: "this dispatcher's callsign"},
	{Name: "serverName", Type: "string", Doc: "the name of the service"},
	{Name: "connected", Type: "boolean", Doc: "there is a link to the service"},
	{Name: "health", Type: "Health", Doc: "how good the link is: stale after 5 s without an answer"},
	{Name: "authenticated", Type: "boolean", Doc: "the dispatcher is signed in"},
	{Name: "emergencies", Type: "Emergency[]", Extension: true, Doc: "the open emergencies, oldest first"},
	{Name: "now", Type: "number", Extension: true, Doc: "the time by which startedAt and raisedAt are told, in ms since 1970; a simulation has a time of its own, so Date.now() is not it"},
}}

// Shapes are the objects that State, events and functions mention.
var Shapes = []Shape{
	{Name: "Zone", Doc: "A part of the radio, as the operator has divided it.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id"},
		{Name: "name", Type: "string", Doc: "its name"},
		{Name: "channels", Type: "Channel[]", Doc: "its channels, in the operator's order"},
	}},
	{Name: "Channel", Doc: "A configured channel.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id"},
		{Name: "frequency", Type: "string", Doc: "its frequency, the key that everything else uses"},
		{Name: "name", Type: "string", Doc: "its name"},
		{Name: "type", Type: "\"conventional\" | \"trunked\" | \"digital\"", Doc: "how it works"},
		{Name: "canTransmit", Type: "boolean", Doc: "this console may talk on it"},
		{Name: "listeners", Type: "number", Doc: "how many listen to it"},
		{Name: "users", Type: "ZoneUser[]", Doc: "who is on it"},
		{Name: "display", Type: "string", Extension: true, Doc: "the frequency as the operator writes it: 460.250"},
	}},
	{Name: "ZoneUser", Doc: "Somebody on a channel.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "the server id; players are positive, dispatchers negative"},
		{Name: "name", Type: "string", Doc: "the callsign, or else the name"},
		{Name: "nacId", Type: "string | null", Doc: "the NAC id"},
		{Name: "unitId", Type: "string | null", Doc: "the unit id"},
		{Name: "transmitting", Type: "boolean", Doc: "talks on this channel"},
		{Name: "panic", Type: "boolean", Doc: "has raised panic on this channel"},
	}},
	{Name: "AlertType", Doc: "An alert that can be raised. Further fields of the configuration are there too.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id, which is its name"},
		{Name: "name", Type: "string", Doc: "its name, for triggerAlert"},
		{Name: "color", Type: "string", Optional: true, Doc: "the operator's colour for it; show it as a mark, never as a fill"},
		{Name: "isPersistent", Type: "boolean", Optional: true, Doc: "it stays until it is cleared; otherwise it plays once"},
		{Name: "toneOnly", Type: "boolean", Optional: true, Doc: "it is heard and not shown"},
	}},
	{Name: "Tone", Doc: "A tone that can be played.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id, which is its name"},
		{Name: "name", Type: "string", Doc: "its name"},
	}},
	{Name: "Patch", Doc: "Channels that are connected, so that whoever talks on one is heard on all.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id"},
		{Name: "label", Type: "string", Doc: "its name"},
		{Name: "frequencies", Type: "string[]", Doc: "its channels"},
		{Name: "createdBy", Type: "number", Doc: "the server id of the dispatcher who made it"},
		{Name: "createdAt", Type: "number", Doc: "when, in ms since 1970"},
	}},
	{Name: "TransmissionEntry", Doc: "A transmission of the log.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id"},
		{Name: "serverId", Type: "number", Doc: "who talked"},
		{Name: "name", Type: "string", Doc: "under which name"},
		{Name: "unitId", Type: "string | null", Doc: "and unit id"},
		{Name: "frequency", Type: "string", Doc: "where; of a trunked channel, the working frequency"},
		{Name: "controlFrequency", Type: "string", Optional: true, Doc: "the trunked channel that it belongs to"},
		{Name: "patchId", Type: "string", Optional: true, Doc: "the patch that carried it"},
		{Name: "encoding", Type: "\"opus\" | \"imbe\"", Doc: "what the voice was carried as"},
		{Name: "startedAt", Type: "number", Doc: "when it began, in ms since 1970"},
		{Name: "endedAt", Type: "number | null", Doc: "when it ended; null: it goes on"},
		{Name: "durationMs", Type: "number", Doc: "its length in ms; 0 while it goes on"},
	}},
	{Name: "AnnouncementGroup", Doc: "Channels that are keyed together while the group is armed.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id"},
		{Name: "name", Type: "string", Doc: "its name"},
		{Name: "frequencies", Type: "string[]", Doc: "its channels"},
	}},
	{Name: "PTTSettings", Doc: "What a push-to-talk is bound to.", Fields: []Field{
		{Name: "pttKey", Type: "string", Doc: "a KeyboardEvent.code, such as F2"},
		{Name: "pttType", Type: "\"key\" | \"mouse\" | \"gamepad\"", Doc: "what kind of button it is"},
		{Name: "pttMouseButton", Type: "number", Doc: "3, 4 or 5 of a mouse; the index of a gamepad's button"},
	}},
	{Name: "DispatchSettings", Doc: "A dispatcher's settings that themes may read and change.", Fields: []Field{
		{Name: "callsign", Type: "string", Doc: "the callsign"},
		{Name: "voiceVolume", Type: "number", Doc: "0 to 1"},
		{Name: "sfxVolume", Type: "number", Doc: "the volume of tones, 0 to 1"},
		{Name: "globalPTT", Type: "PTTSettings", Doc: "the push-to-talk of the channel spoken on, or of the armed group"},
		{Name: "channelPTT", Type: "Record<string, PTTSettings>", Doc: "that of single channels, by frequency"},
		{Name: "announcementGroupPTT", Type: "Record<string, PTTSettings>", Doc: "that of announcement groups, by id"},
	}},
	{Name: "Broadcast", Doc: "A text to everybody, or to one channel.", Fields: []Field{
		{Name: "frequency", Type: "string | number", Optional: true, Doc: "where; left out or \"\": to everybody"},
		{Name: "type", Type: "string", Optional: true, Doc: "a label: General Alert, Information Alert, Priority Alert, Emergency Alert, or your own"},
		{Name: "message", Type: "string", Doc: "the text"},
		{Name: "tone", Type: "string", Optional: true, Doc: "the name of a tone that is played with it"},
	}},
	{Name: "Emergency", Doc: "An emergency that is not closed yet. The console's own lane shows it too, whatever a theme does.", Fields: []Field{
		{Name: "id", Type: "string", Doc: "its id"},
		{Name: "serverId", Type: "number", Doc: "who raised it"},
		{Name: "unitId", Type: "string | null", Doc: "with which unit id"},
		{Name: "name", Type: "string", Doc: "and name"},
		{Name: "frequency", Type: "string", Doc: "on which channel"},
		{Name: "raisedAt", Type: "number", Doc: "when, in ms since 1970"},
		{Name: "ackBy", Type: "string | null", Doc: "who acknowledged it; null: nobody yet, and the alarm sounds"},
		{Name: "ackAt", Type: "number | null", Doc: "when"},
		{Name: "endedAt", Type: "number | null", Doc: "when panic ended; the emergency is open until it is closed"},
		{Name: "endedBy", Type: "string | null", Doc: "how: unit, timeout, script or disconnect"},
	}},
}

// Unions are types that are one of some words.
var Unions = []Field{
	{Name: "VoiceStatus", Type: "\"MUTED\" | \"LISTENING\" | \"TRANSMITTING\" | \"TX (IMBE)\" | \"TX (Opus)\"", Doc: "what the console does with voice"},
	{Name: "Health", Type: "\"connected\" | \"stale\" | \"disconnected\"", Doc: "how good the link to the service is"},
	{Name: "Frequency", Type: "string | number", Doc: "a frequency as text or number: \"460.250\", \"460.25\" and 460.25 are one channel"},
}
