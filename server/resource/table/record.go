package table

// Record is the shape of a table that an export returns. The service's own shapes are
// those of package core/wire; here they are described for people and editors.
type Record struct {
	Name   string
	Doc    string
	Fields []Field
}

// Field is a field of a record. Type is in LuaLS notation; "?" at its end: may be nil.
type Field struct{ Name, Type, Doc string }

// Records are the shapes that the table's exports return, those that others are made
// of first.
func Records() []Record {
	return []Record{
		{"RadioChannelInfo", "Who is on a channel.", []Field{
			{"frequency", "string", "canonical spelling"},
			{"speakers", "integer[]", "server ids of those tuned to it; negative ones are dispatchers"},
			{"listeners", "integer[]", "server ids of those who scan it"},
			{"activeTalkers", "integer[]", "server ids of those who talk now"},
		}},
		{"RadioZoneUser", "A user on a channel, as the displays list them.", []Field{
			{"id", "string", "server id as text"},
			{"name", "string", ""},
			{"nacId", "string?", ""},
			{"unitId", "string?", ""},
			{"transmitting", "boolean", ""},
			{"panic", "boolean", ""},
		}},
		{"RadioGps", "Whose maps show the units of a channel.", []Field{
			{"color", "string", ""},
			{"visibleToNacs", "string[]", ""},
		}},
		{"RadioChannel", "A configured channel.", []Field{
			{"id", "string", ""},
			{"name", "string", ""},
			{"zone", "string", "name of its zone"},
			{"type", "'conventional'|'trunked'|'digital'", ""},
			{"frequency", "string", "canonical spelling; for a talkgroup its base, from getCurrentChannel its working frequency"},
			{"controlFrequency", "string?", "base of the talkgroup, from getCurrentChannel"},
			{"display", "string?", "the operator's own spelling"},
			{"frequencyRange", "string[]?", "lowest and highest working frequency of a talkgroup"},
			{"coverage", "number?", "metres"},
			{"allowedNacs", "string[]", "who may talk; empty: everybody who sees the zone"},
			{"scanAllowedNacs", "string[]", "who may listen besides"},
			{"gps", "RadioGps", ""},
			{"canTransmit", "boolean", ""},
			{"listeners", "integer", "how many scan it now"},
			{"users", "RadioZoneUser[]", "who is on it now"},
		}},
		{"RadioZone", "A zone of channels.", []Field{
			{"id", "string", ""},
			{"name", "string", ""},
			{"nacIds", "string[]", "who sees the zone; empty: everybody"},
			{"channels", "RadioChannel[]", ""},
		}},
		{"RadioAlertTones", "Tones of an alert.", []Field{
			{"activate", "string?", ""},
			{"repeat", "string?", ""},
			{"deactivate", "string?", ""},
		}},
		{"RadioAlert", "An entry of Config.alerts. Keys of the operator's own are kept.", []Field{
			{"name", "string", ""},
			{"color", "string?", ""},
			{"isPersistent", "boolean?", "stands until it is cleared"},
			{"tones", "RadioAlertTones?", ""},
			{"repeatInterval", "number?", "seconds"},
			{"repeatShowBanner", "boolean?", ""},
			{"deactivateLabel", "string?", ""},
			{"deactivateColor", "string?", ""},
			{"toneOnly", "boolean?", "no banner"},
			{"tone", "string?", "with toneOnly"},
		}},
		{"RadioUserInfo", "", []Field{
			{"name", "string", ""},
			{"nacId", "string?", ""},
		}},
		{"RadioPermissions", "What the ACE entries allow.", []Field{
			{"connect", "string[]|boolean", "frequencies to talk on"},
			{"scan", "string[]|boolean", "frequencies to listen to"},
			{"gps", "string[]|boolean", "channels whose units are on the map"},
			{"zones", "integer[]|boolean", "1-based indices"},
			{"dispatch", "boolean", "the dispatchers' rights"},
		}},
		{"RadioFeatures", "", []Field{
			{"scan", "boolean", ""},
			{"gps", "boolean", ""},
			{"panic", "boolean", ""},
			{"dispatch", "boolean", ""},
		}},
		{"RadioKeyTones", "Tones of the push-to-talk key; empty: none.", []Field{
			{"keyUp", "string", ""},
			{"keyDown", "string", ""},
			{"busy", "string", ""},
		}},
		{"RadioEmergency", "What the panic button does.", []Field{
			{"revertFrequency", "string?", "panic goes out here when no channel is named"},
			{"hotMicMs", "number", "the microphone stays open this long"},
		}},
		{"RadioSubscriber", "What a player's radio is programmed with.", []Field{
			{"codeplugId", "string", ""},
			{"unitId", "string", ""},
			{"nac", "integer", ""},
			{"radioModel", "string", ""},
			{"features", "RadioFeatures", ""},
			{"tones", "RadioKeyTones", ""},
			{"emergency", "RadioEmergency", ""},
			{"announcementVolume", "number", "0.0 to 1.0"},
		}},
		{"RadioTalker", "Who is heard.", []Field{
			{"serverId", "integer", ""},
			{"name", "string", ""},
			{"frequency", "string", ""},
		}},
		{"RadioDiagnostics", "How the radio is connected.", []Field{
			{"connected", "boolean", ""},
			{"connecting", "boolean?", ""},
			{"path", "string?", "how voice and control travel: webrtc, socket or none"},
			{"reason", "string?", "why there is no connection"},
			{"detail", "string?", "more about the reason"},
			{"mixedContent", "boolean?", "the game blocks the service's address"},
			{"rtt", "number?", "round trip, ms"},
			{"packetsLost", "number?", "share of voice packets lost in the last 5 s, 0.0 to 1.0"},
			{"mic", "string?", "unknown, asking, ready or refused"},
			{"encoder", "string?", ""},
			{"serverId", "integer?", ""},
			{"version", "string?", "of the resource"},
			{"page", "string?", "version of the radio's page"},
			{"power", "boolean", ""},
			{"signal", "number?", "0 to 100"},
			{"transmitting", "string", "idle, asking, talking or denied"},
		}},
	}
}
