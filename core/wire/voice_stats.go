package wire

// VoiceStats is the voice part of the dispatch status (extension): what the
// media plane has counted. Times are milliseconds.
type (
	VoiceStats struct {
		Talkers   map[string]VoiceTalker  `json:"talkers"`  // by user id
		Channels  map[string]VoiceChannel `json:"channels"` // by frequency; "" is the self-test
		Peers     map[string]VoicePeer    `json:"peers"`    // WebRTC connections, by user id
		Strangers uint64                  `json:"strangers"`
	}
	VoiceTalker struct {
		Packets  uint64 `json:"packets"`
		Dropped  uint64 `json:"dropped"`  // came late, or in a form that some listeners cannot get
		Opaque   uint64 `json:"opaque"`   // not voice packets: passed to Socket.IO listeners only
		Unrouted uint64 `json:"unrouted"` // sent without a floor
	}
	VoiceChannel struct {
		Packets   uint64 `json:"packets"`
		Dropped   uint64 `json:"dropped"`
		Lost      uint64 `json:"lost"`
		PreRolled uint64 `json:"preRolled"` // came before the floor was granted
	}
	VoicePeer struct {
		Connected bool        `json:"connected"`
		Lost      uint64      `json:"lost"` // packets of its own voice that did not arrive here
		Jitter    float64     `json:"jitterMs"`
		PreRolled uint64      `json:"preRolled"`
		Flooded   uint64      `json:"flooded"` // packets beyond the rate of voice
		Slots     []VoiceSlot `json:"slots"`
	}
	VoiceSlot struct {
		Packets   uint64  `json:"packets"`
		Dropped   uint64  `json:"dropped"`
		Lost      uint64  `json:"lost"`
		Jitter    float64 `json:"jitterMs"`
		RoundTrip float64 `json:"roundTripMs"`
	}
)
