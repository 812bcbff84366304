package wire

import (
	"cmp"
	"slices"
	"time"

	"squelch/core"
)

// Version is the version of this interface. Clients gate the structured
// setTalking on 5.7 and later.
const Version = "5.7.0"

// Replies of REST.
type (
	// Success is the reply of an action that returns nothing else.
	Success struct {
		Success bool `json:"success"`
	}
	// Failure is every error reply.
	Failure struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	Health struct {
		Status      string `json:"status"`
		Reason      string `json:"reason,omitempty"`
		Service     string `json:"service"`
		ServiceName string `json:"serviceName"`
		Version     string `json:"version"`
		Build       string `json:"build"`
		Instance    string `json:"instance"` // new at every start of the service
		Timestamp   string `json:"timestamp"`
		AuthMethod  string `json:"authMethod"`
	}
	AuthReply struct {
		Success   bool   `json:"success"`
		SessionID string `json:"sessionId"`
		AuthToken string `json:"authToken"`
	}
	// GameAnswer is the answer to a player's WebRTC offer.
	GameAnswer struct {
		Success bool   `json:"success"`
		SDP     string `json:"sdp"`
	}
	PlayerReply struct {
		Success     bool   `json:"success"`
		PlayerToken string `json:"playerToken"`
	}
	// GameCallbacks is a configuration file for the game server, which answers the
	// callbacks in Names by itself. Source is the text of the file without its tokens and
	// passwords; the login of the dispatch panel may be in it.
	GameCallbacks struct {
		File   string   `json:"file"`
		Source string   `json:"source"`
		Names  []string `json:"names"` // radioAccessCheck, getUserNacId, getPlayerName
	}
	Patch struct {
		ID          string      `json:"id"`
		Label       string      `json:"label"`
		Frequencies []string    `json:"frequencies"`
		CreatedBy   core.UserID `json:"createdBy"`
		CreatedAt   int64       `json:"createdAt"`
	}
	PatchCreated struct {
		Success bool `json:"success"`
		Patch
	}
	PatchList struct {
		Patches []Patch `json:"patches"`
	}
	ToneList struct {
		Tones []core.Tone `json:"tones"`
	}
	// UpdateManifest is the desktop app's updater manifest, in the shape of
	// Tauri's updater plugin (static JSON file).
	UpdateManifest struct {
		Version   string                    `json:"version"`
		Notes     string                    `json:"notes,omitempty"`
		PubDate   string                    `json:"pub_date,omitempty"` // RFC 3339
		Platforms map[string]UpdatePlatform `json:"platforms"`
		SHA256    string                    `json:"sha256,omitempty"` // of the installer that this service serves, hex
	}
	UpdatePlatform struct {
		URL       string `json:"url"`
		Signature string `json:"signature"`
		SHA256    string `json:"sha256,omitempty"` // when this service has the file
	}
	ChannelStatus struct {
		Frequency        string        `json:"frequency"`
		ControlFrequency string        `json:"controlFrequency,omitempty"`
		Speakers         []core.UserID `json:"speakers"`
		Listeners        []core.UserID `json:"listeners"`
		ActiveTalkers    []core.UserID `json:"activeTalkers"`
	}
	UserStatus struct {
		Name             string   `json:"name"`
		NacID            *string  `json:"nacId"`
		CurrentChannel   *string  `json:"currentChannel"`
		ControlFrequency string   `json:"controlFrequency,omitempty"`
		Listening        []string `json:"listening"`
		IsTalking        bool     `json:"isTalking"`
		Connected        bool     `json:"connected"` // false: the connection was lost and may come back
	}
	DispatchUserStatus struct {
		UserStatus
		Callsign *string `json:"callsign"`
		UnitID   *string `json:"unitId"`
	}
	Status struct {
		UserCount     int                        `json:"userCount"`
		ChannelCount  int                        `json:"channelCount"`
		Channels      map[string]ChannelStatus   `json:"channels"`
		Users         map[string]UserStatus      `json:"users"`
		PanicStatus   map[string]map[string]bool `json:"panicStatus"`
		ActiveAlerts  map[string]Alert           `json:"activeAlerts"`
		ActivePatches map[string]Patch           `json:"activePatches"`
		Version       string                     `json:"version"`
	}
	DispatchStatus struct {
		UserCount     int                           `json:"userCount"`
		ChannelCount  int                           `json:"channelCount"`
		Channels      map[string]ChannelStatus      `json:"channels"`
		Users         map[string]DispatchUserStatus `json:"users"`
		PanicStatus   map[string]map[string]bool    `json:"panicStatus"`
		ActiveAlerts  map[string]Alert              `json:"activeAlerts"`
		ActivePatches map[string]Patch              `json:"activePatches"`
		Emergencies   []Emergency                   `json:"emergencies"`   // the open ones, the oldest first
		Transmissions []TransmissionEntry           `json:"transmissions"` // the last 50, the newest first
		Dispatchers   []Dispatcher                  `json:"dispatchers"`
		Timestamp     string                        `json:"timestamp"`
		Version       string                        `json:"version"`
		Voice         *VoiceStats                   `json:"voice,omitempty"` // extension: counts of the media plane
	}
	Dispatcher struct {
		ServerID       core.UserID `json:"serverId"`
		Name           string      `json:"name"`
		Callsign       *string     `json:"callsign"`
		CurrentChannel *string     `json:"currentChannel"`
	}
	Volumes struct {
		Voice   int `json:"voiceVolume"`
		SFX     int `json:"sfxVolume"`
		Audio3D int `json:"default3DVolume"`
		Step    int `json:"volumeStep"`
	}
	GPS struct {
		Color         string   `json:"color"`
		VisibleToNacs []string `json:"visibleToNacs"`
	}
	ConfigChannel struct {
		ID              string   `json:"id"`
		Name            string   `json:"name"`
		Type            string   `json:"type"`
		Frequency       string   `json:"frequency"`
		Display         string   `json:"display,omitempty"` // the operator's own spelling
		FrequencyRange  []string `json:"frequencyRange,omitempty"`
		Coverage        float64  `json:"coverage,omitempty"`
		AllowedNacs     []string `json:"allowedNacs"`
		ScanAllowedNacs []string `json:"scanAllowedNacs"`
		GPS             GPS      `json:"gps"`
		CanTransmit     bool     `json:"canTransmit"`
		Recorded        bool     `json:"recorded,omitempty"` // what is said here is kept
		// Listeners is how many users scan the channel; Users are those who are
		// tuned to it or scan it. A player is given both only for the channels that
		// it is on.
		Listeners int        `json:"listeners"`
		Users     []ZoneUser `json:"users"`
	}
	ZoneUser struct {
		ID           string  `json:"id"`
		Name         string  `json:"name"`
		NacID        *string `json:"nacId"`
		UnitID       *string `json:"unitId"`
		Transmitting bool    `json:"transmitting"`
		Panic        bool    `json:"panic"`
	}
	// ConfigZone carries its list twice: older clients read Channels.
	ConfigZone struct {
		ID             string          `json:"id"`
		Name           string          `json:"name"`
		NacIDs         []string        `json:"nacIds"`
		Channels       []ConfigChannel `json:"channels"`
		LegacyChannels []ConfigChannel `json:"Channels"`
	}
	AnnouncementGroup struct {
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Frequencies []string `json:"frequencies"`
	}
	Bonking struct {
		BlockTransmission bool  `json:"blockTransmission"`
		PlayBonkTone      bool  `json:"playBonkTone"`
		BonkInterval      int64 `json:"bonkInterval"`
		PlayerOverride    bool  `json:"playerOverride"`
	}
	// SignalEffect is how clients make a weak signal sound: the levels of its noise
	// and its gaps, 0-100.
	SignalEffect struct {
		Noise    int `json:"noise"`
		Dropouts int `json:"dropouts"`
	}
	// ConfigBody is GET /radio/dispatch/config and the full form of configUpdate.
	// Durations are in ms.
	ConfigBody struct {
		Zones              []ConfigZone        `json:"zones"`
		Alerts             []Alert             `json:"alerts"`
		Tones              []core.Tone         `json:"tones"`
		Volumes            Volumes             `json:"volumes"`
		RadioFx            map[string]float64  `json:"radioFx"`
		Signal             *SignalEffect       `json:"signal"` // null: every signal is 100
		Themes             []Theme             `json:"themes"`
		DefaultTheme       string              `json:"defaultTheme"` // of those who have chosen none; "": none
		AnnouncementGroups []AnnouncementGroup `json:"announcementGroups"`
		Layouts            []Layout            `json:"layouts"` // that administrators have published; a player gets none
		Bonking            Bonking             `json:"bonking"`
		PTTReleaseDelay    int64               `json:"pttReleaseDelay"`
		PanicTimeout       int64               `json:"panicTimeout"`
		TimeoutTimer       int64               `json:"timeoutTimer"`
		UseCallsignSystem  bool                `json:"useCallsignSystem"`
		ServerName         string              `json:"serverName"`
		Version            string              `json:"version"`
	}
)

// list is l, but never null in JSON.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Spell writes frequencies as they appear on the wire; none is an empty list.
func Spell(fs []core.Frequency) []string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.String()
	}
	return out
}

// PatchOf is a patch on the wire.
func PatchOf(p core.Patch) Patch {
	return Patch{p.ID(), p.Label, Spell(p.Frequencies), p.CreatedBy, p.CreatedAt}
}

// PatchesOf is the reply of GET /api/patches.
func PatchesOf(v core.View) PatchList {
	l := PatchList{Patches: []Patch{}}
	for _, p := range v.Patches() {
		l.Patches = append(l.Patches, PatchOf(p))
	}
	return l
}

// TonesOf is the reply of GET /radio/dispatch/tones.
func TonesOf(c *core.Config) ToneList { return ToneList{list(c.Tones)} }

func userStatus(u core.UserView) UserStatus {
	return UserStatus{Name: u.Name, NacID: orNull(u.Nac), CurrentChannel: orNull(u.Current.String()),
		ControlFrequency: u.Control.String(), Listening: Spell(u.Scans), IsTalking: u.Talking, Connected: !u.Lost}
}

func channels(v core.View) map[string]ChannelStatus {
	out := map[string]ChannelStatus{}
	for _, c := range v.Channels() {
		out[c.Frequency.String()] = ChannelStatus{c.Frequency.String(), c.Control.String(),
			list(c.Speakers), list(c.Listeners), list(c.ActiveTalkers)}
	}
	return out
}

func panics(v core.View) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, p := range v.Panics() {
		f := p.Frequency.String()
		if out[f] == nil {
			out[f] = map[string]bool{}
		}
		out[f][p.User.String()] = true
	}
	return out
}

func alerts(v core.View) map[string]Alert {
	out := map[string]Alert{}
	for _, a := range v.Alerts() {
		out[a.Frequency.String()] = Alert{a.Alert}
	}
	return out
}

func patches(v core.View) map[string]Patch {
	out := map[string]Patch{}
	for _, p := range v.Patches() {
		out[p.ID()] = PatchOf(p)
	}
	return out
}

// StatusOf is GET /api/status.
func StatusOf(v core.View) Status {
	s := Status{Channels: channels(v), Users: map[string]UserStatus{}, PanicStatus: panics(v),
		ActiveAlerts: alerts(v), ActivePatches: patches(v), Version: Version}
	for _, u := range v.OnTheRadio() {
		s.Users[u.ID.String()] = userStatus(u)
	}
	s.UserCount, s.ChannelCount = len(s.Users), len(s.Channels)
	return s
}

// DispatchStatusOf is GET /radio/dispatch/status, a superset of GET /api/status.
func DispatchStatusOf(v core.View, now time.Time) DispatchStatus {
	s := DispatchStatus{Channels: channels(v), Users: map[string]DispatchUserStatus{}, PanicStatus: panics(v),
		ActiveAlerts: alerts(v), ActivePatches: patches(v), Emergencies: emergencies(v), Transmissions: transmissionsOf(v.Transmissions()), Dispatchers: []Dispatcher{},
		Timestamp: Timestamp(now), Version: Version}
	for _, u := range v.OnTheRadio() {
		s.Users[u.ID.String()] = DispatchUserStatus{userStatus(u), orNull(u.Callsign), orNull(u.Unit)}
		if u.ID.Dispatcher() {
			s.Dispatchers = append(s.Dispatchers, Dispatcher{u.ID, u.Name, orNull(u.Callsign), orNull(u.Current.String())})
		}
	}
	s.UserCount, s.ChannelCount = len(s.Users), len(s.Channels)
	return s
}

// Timestamp is a moment as ISO 8601 with milliseconds, as JavaScript writes it.
func Timestamp(t time.Time) string {
	// Not by time.Format, which would add 10 kB to the packed core.wasm.
	t = t.UTC()
	b := make([]byte, 0, len("2006-01-02T15:04:05.000Z"))
	digits := func(n, width int, after byte) {
		for at := width - 1; at >= 0; at-- {
			d := n
			for range at {
				d /= 10
			}
			b = append(b, byte('0'+d%10))
		}
		b = append(b, after)
	}
	year, month, day := t.Date()
	digits(year, 4, '-')
	digits(int(month), 2, '-')
	digits(day, 2, 'T')
	hour, minute, second := t.Clock()
	digits(hour, 2, ':')
	digits(minute, 2, ':')
	digits(second, 2, '.')
	digits(t.Nanosecond()/1e6, 3, 'Z')
	return string(b)
}

// ZoneID is the id of the nth zone (0-based): zone-1 is the first.
func ZoneID(n int) string { return "zone-" + itoa(n+1) }

// SortedKeys are the keys of a map, for callers that must walk it in a fixed order.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
