package wire

import "squelch/core"

// ServerEvents is the table of everything that the service sends: tag = event
// name, field type = payload. Go encodes by it; the typed events of the panel
// and AsyncAPI are generated from it.
type ServerEvents struct {
	HeartbeatResponse    int64                `event:"heartbeat_response" doc:"Server timestamp, ms since the epoch"`
	Voice                Voice                `event:"voice" doc:"Relayed voice packet"`
	TalkingState         TalkingState         `event:"talkingState" doc:"PTT started or stopped"`
	SpeakerJoined        Member               `event:"speakerJoined" doc:"Speaker membership"`
	SpeakerLeft          Member               `event:"speakerLeft" doc:"Speaker membership"`
	ListenerJoined       Listener             `event:"listenerJoined" doc:"Listener membership"`
	ListenerLeft         Listener             `event:"listenerLeft" doc:"Listener membership"`
	UserStartedListening Watcher              `event:"userStartedListening" doc:"A dispatcher started to follow you"`
	UserStoppedListening Watcher              `event:"userStoppedListening" doc:"A dispatcher stopped following you"`
	ChannelState         ChannelState         `event:"channelState" doc:"Full channel snapshot"`
	ChannelDeleted       string               `event:"channelDeleted" doc:"Channel emptied and cleaned up"`
	PatchStatus          PatchStatus          `event:"patchStatus" doc:"Patch created, removed or membership changed"`
	ServerTone           ServerTone           `event:"serverTone" doc:"Tone played on a channel"`
	DispatchNotification DispatchNotification `event:"dispatchNotification" doc:"Alerts, broadcasts, user actions"`
	PlayerInfoUpdate     PlayerInfoUpdate     `event:"playerInfoUpdate" doc:"Identity of a user changed"`
	ConfigUpdate         ConfigUpdate         `event:"configUpdate" doc:"Configuration; the slim form has only the version"`
	ConfigRefresh        Empty                `event:"configRefresh" doc:"Fetch /radio/dispatch/config again"`
	PTTDenied            PTTDenied            `event:"ptt:denied" doc:"The channel is busy"`
	Identity             Identity             `event:"identity" doc:"Extension: the id that this socket was given"`
	Refused              Refused              `event:"refused" doc:"Extension: a join, key-up or the like was refused"`
	Self                 Self                 `event:"self" doc:"Extension: what the service knows of the receiver, on connect and when it changes"`
	RadioState           RadioState           `event:"radioState" doc:"Extension: state of a player's radio"`
	AnnouncementArmed    GroupArmed           `event:"announcementGroup" doc:"Extension: the armed announcement group"`
	Slots                Slots                `event:"webrtc:slots" doc:"Extension: which talker each WebRTC slot carries"`
	WebRTCClosed         WebRTCClosed         `event:"webrtc:closed" doc:"Extension: the media connection ended, and why"`
}

// Payloads of server events.
type (
	Empty struct{}
	Voice struct {
		ServerID    core.UserID `json:"serverId"`
		Frequency   string      `json:"frequency"`
		Data        string      `json:"data"` // base64, as the talker sent it
		Encoding    string      `json:"encoding,omitempty"`
		ReceiveType string      `json:"receiveType"`
		PatchID     string      `json:"patchId,omitempty"`
	}
	TalkingState struct {
		ServerID  core.UserID `json:"serverId"`
		Frequency string      `json:"frequency"`
		State     bool        `json:"state"`
	}
	Member struct {
		ServerID  core.UserID `json:"serverId"`
		Frequency string      `json:"frequency"`
		Name      string      `json:"name,omitempty"`
		NacID     string      `json:"nacId,omitempty"`
	}
	Listener struct {
		ServerID  core.UserID `json:"serverId"`
		Frequency string      `json:"frequency"`
	}
	Watcher struct {
		ServerID core.UserID `json:"serverId"`
	}
	ChannelState struct {
		Frequency        string              `json:"frequency"`
		ControlFrequency string              `json:"controlFrequency,omitempty"`
		Speakers         []core.UserID       `json:"speakers"`
		Listeners        []core.UserID       `json:"listeners"`
		ActiveTalkers    []core.UserID       `json:"activeTalkers"`
		Empty            bool                `json:"empty"`
		UserData         map[string]UserData `json:"userData,omitzero"`
	}
	UserData struct {
		Name     string  `json:"name"`
		NacID    *string `json:"nacId"`
		Callsign *string `json:"callsign"`
	}
	PatchStatus struct {
		PatchID     string   `json:"patchId"`
		Active      bool     `json:"active"`
		Label       string   `json:"label"`
		Frequencies []string `json:"frequencies"`
	}
	ServerTone struct {
		Tone      string `json:"tone"`
		Frequency string `json:"frequency"`
	}
	// DispatchNotification is one of many: Type says which fields are there.
	DispatchNotification struct {
		Type             string       `json:"type"`
		Frequency        *string      `json:"frequency,omitempty"`
		ServerID         *core.UserID `json:"serverId,omitempty"`
		Name             string       `json:"name,omitempty"`
		Message          string       `json:"message,omitempty"`
		BroadcastType    string       `json:"broadcastType,omitempty"`
		Tone             string       `json:"tone,omitempty"`
		AlertConfig      *Alert       `json:"alertConfig,omitempty"`
		Repeated         bool         `json:"repeated,omitempty"`
		Current          bool         `json:"current,omitempty"` // no news: it was on when the receiver came
		OldFrequency     *string      `json:"oldFrequency,omitempty"`
		ControlFrequency string       `json:"controlFrequency,omitempty"`
		Callsign         *string      `json:"callsign,omitempty"`
		Patch            *Patch       `json:"patch,omitempty"`
		Active           *bool        `json:"active,omitempty"`
		Reason           string       `json:"reason,omitempty"`
		By               *core.UserID `json:"by,omitempty"`
		ByName           string       `json:"byName,omitempty"`
		Timestamp        int64        `json:"timestamp"`
	}
	PlayerInfoUpdate struct {
		ServerID core.UserID `json:"serverId"`
		Name     string      `json:"name,omitempty"`
		NacID    string      `json:"nacId,omitempty"`
		UnitID   string      `json:"unitId,omitempty"`
		Callsign *string     `json:"callsign"`
	}
	// ConfigUpdate is the full form: ConfigBody. ConfigVersion is the slim form.
	ConfigUpdate struct {
		*ConfigBody
	}
	ConfigVersion struct {
		Version string `json:"version"`
	}
	PTTDenied struct {
		Frequency     string      `json:"frequency"`
		Reason        string      `json:"reason"` // always busy
		CurrentTalker core.UserID `json:"currentTalker,omitempty"`
	}
	Identity struct {
		ServerID core.UserID `json:"serverId"`
	}
	Refused struct {
		Action    string  `json:"action"`
		Frequency *string `json:"frequency"`
		Error     string  `json:"error"`
	}
	RadioState struct {
		ServerID    core.UserID  `json:"serverId"`
		Power       bool         `json:"power"`
		Open        bool         `json:"open"`
		Focused     bool         `json:"focused"`
		Volumes     RadioVolumes `json:"volumes"`
		Layout      string       `json:"layout"`
		Theme       string       `json:"theme"`
		AnimationID string       `json:"animationId"`
		Earbuds     bool         `json:"earbuds"`
		GPS         bool         `json:"gps"`
		Battery     float64      `json:"battery"`
		Signal      float64      `json:"signal"`
	}
	RadioVolumes struct {
		Voice   float64 `json:"voice"`
		Tone    float64 `json:"tone"`
		Audio3D float64 `json:"audio3d"`
	}
	GroupArmed struct {
		GroupID *string `json:"groupId"`
	}
	Slot struct {
		Slot        int         `json:"slot"`
		Mid         string      `json:"mid"`
		ServerID    core.UserID `json:"serverId"`
		Frequency   string      `json:"frequency"`
		ReceiveType string      `json:"receiveType"`
	}
	Waiting struct {
		ServerID  core.UserID `json:"serverId"`
		Frequency string      `json:"frequency"`
	}
	Slots struct {
		Slots   []Slot    `json:"slots"`
		Waiting []Waiting `json:"waiting"`
	}
	WebRTCClosed struct {
		Reason string `json:"reason"`
	}
)

// Message is one Socket.IO event for an audience.
type Message struct {
	To      core.Audience
	Name    string
	Payload any
}

// Encode turns an event of the radio into the messages that tell of it, in
// order. v must show the radio as it is after the step that made the event.
func Encode(e core.Event, v core.View) []Message {
	one := func(name string, payload any) []Message { return []Message{{e.To, name, payload}} }
	switch f := e.Fact.(type) {
	case core.UserConnected:
		return connected(f, v)
	case core.SpeakerJoined:
		return one("speakerJoined", Member{f.User, f.Frequency.String(), f.Name, f.Nac})
	case core.SpeakerLeft:
		return one("speakerLeft", Member{f.User, f.Frequency.String(), f.Name, f.Nac})
	case core.ListenerJoined:
		return one("listenerJoined", Listener{f.User, f.Frequency.String()})
	case core.ListenerLeft:
		return one("listenerLeft", Listener{f.User, f.Frequency.String()})
	case core.FollowStarted:
		return one("userStartedListening", Watcher{f.User})
	case core.FollowEnded:
		return one("userStoppedListening", Watcher{f.User})
	case core.ChannelChanged:
		return one("channelState", channelState(f.Channel))
	case core.ChannelDeleted:
		return one("channelDeleted", f.Frequency.String())
	case core.FloorTaken:
		return one("talkingState", TalkingState{f.User, f.Frequency.String(), true})
	case core.FloorReleased:
		return one("talkingState", TalkingState{f.User, f.Frequency.String(), false})
	case core.FloorDenied:
		return one("ptt:denied", PTTDenied{f.Frequency.String(), "busy", f.Holder})
	case core.TonePlayed:
		return one("serverTone", ServerTone{f.Tone, f.Frequency.String()})
	case core.PatchShown:
		return patchStatus(e, f.Patch, true)[:1]
	case core.PatchCreated:
		return patchStatus(e, f.Patch, true)
	case core.PatchChanged:
		return patchStatus(e, f.Patch, true)
	case core.PatchRemoved:
		return patchStatus(e, f.Patch, false)
	case core.PlayerInfoChanged:
		return one("playerInfoUpdate", PlayerInfoUpdate{f.User, f.Name, f.Nac, f.Unit, orNull(f.Callsign)})
	case core.GroupArmed:
		return one("announcementGroup", GroupArmed{orNull(f.Group)})
	case core.RadioChanged:
		return one("radioState", radioState(f.User, f.Radio))
	case core.SelfChanged:
		return one("self", SelfOf(f.Self))
	case core.ConfigChanged:
		return configChanged(v)
	}
	if n, ok := notification(e); ok {
		return one("dispatchNotification", n)
	}
	return nil
}

// connected gives a player, who has no session for REST, its configuration.
// (identity is sent by the adapter, which knows what the socket was told before.)
func connected(f core.UserConnected, v core.View) []Message {
	to := core.Audience{Users: []core.UserID{f.User}}
	if !f.User.Player() {
		return nil
	}
	b := PlayerConfigOf(v, f.User)
	return []Message{{to, "configUpdate", ConfigUpdate{&b}}}
}

// configChanged: consoles fetch the configuration again (slim form, then
// configRefresh); players get theirs whole.
func configChanged(v core.View) []Message {
	to := core.Audience{Dispatchers: true}
	out := []Message{
		{to, "configUpdate", ConfigVersion{Version}},
		{to, "configRefresh", Empty{}},
	}
	on := people{v: v}
	for _, id := range v.Players() {
		b := playerConfig(id, &on)
		out = append(out, Message{core.Audience{Users: []core.UserID{id}}, "configUpdate", ConfigUpdate{&b}})
	}
	return out
}

// maxUserData is the largest channel whose channelState carries userData (spec:
// optional). A snapshot goes to every member on every join: with names in it, a
// channel of 500 would cost 20 MB for each who comes. Names are in speakerJoined,
// playerInfoUpdate and the status as well.
const maxUserData = 50

func channelState(c core.ChannelView) ChannelState {
	s := ChannelState{Frequency: c.Frequency.String(), ControlFrequency: c.Control.String(), Speakers: list(c.Speakers),
		Listeners: list(c.Listeners), ActiveTalkers: list(c.ActiveTalkers), Empty: c.Empty()}
	if len(c.Users) > maxUserData {
		return s
	}
	s.UserData = map[string]UserData{}
	for _, u := range c.Users {
		s.UserData[u.ID.String()] = UserData{u.Name, orNull(u.Nac), orNull(u.Callsign)}
	}
	return s
}

func patchStatus(e core.Event, p core.Patch, active bool) []Message {
	w := PatchOf(p)
	return []Message{
		{e.To, "patchStatus", PatchStatus{w.ID, active, w.Label, w.Frequencies}},
		{core.Audience{Dispatchers: true}, "dispatchNotification", DispatchNotification{Type: "patch", Patch: &w, Active: &active,
			By: author(e), ByName: e.By.Name, Timestamp: e.At}},
	}
}

func radioState(id core.UserID, r core.Radio) RadioState {
	return RadioState{ServerID: id, Power: !r.Off, Open: r.Open, Focused: r.Focused,
		Volumes: RadioVolumes{r.Volume, r.ToneVolume, r.Volume3D}, Layout: r.Layout, Theme: r.Theme,
		AnimationID: r.AnimationID, Earbuds: r.Earbuds, GPS: r.GPS, Battery: r.BatteryLevel, Signal: r.SignalStrength}
}

func author(e core.Event) *core.UserID { return nobody(e.By.User) }

// nobody is null for the id 0.
func nobody(id core.UserID) *core.UserID {
	if id == 0 {
		return nil
	}
	return &id
}

// notification covers the events that are told as a dispatchNotification.
func notification(e core.Event) (DispatchNotification, bool) {
	n := DispatchNotification{By: author(e), ByName: e.By.Name, Timestamp: e.At}
	on := func(f core.Frequency) *string { s := f.String(); return &s }
	who := func(u core.UserID) *core.UserID { return &u }
	switch f := e.Fact.(type) {
	case core.AlertActivated:
		n.Type, n.Frequency, n.AlertConfig, n.Repeated = "alert", on(f.Frequency), &Alert{f.Alert}, f.Repeated
	case core.AlertShown:
		n.Type, n.Frequency, n.AlertConfig = "alert", on(f.Frequency), &Alert{f.Alert}
		n.Current, n.By, n.ByName, n.Timestamp = true, nobody(f.By), "", f.Since
	case core.AlertCleared:
		n.Type, n.Frequency, n.AlertConfig = "alertCleared", on(f.Frequency), &Alert{f.Alert}
	case core.AlertPlayed:
		n.Type, n.Frequency, n.AlertConfig = "oneshot", on(f.Frequency), &Alert{f.Alert}
	case core.PanicRaised:
		n.Type, n.Frequency, n.ServerID, n.Name = "panic", on(f.Frequency), who(f.User), f.Name
	case core.PanicShown:
		n.Type, n.Frequency, n.ServerID, n.Name = "panic", on(f.Frequency), who(f.User), f.Name
		n.Current, n.By, n.ByName, n.Timestamp = true, nil, "", f.Since
	case core.PanicCleared:
		n.Type, n.Frequency, n.ServerID, n.Reason = "panicCleared", on(f.Frequency), who(f.User), f.Reason
	case core.BroadcastSent:
		n.Type, n.Message, n.BroadcastType, n.Tone = "broadcast", f.Message, f.Type, f.Tone
		if f.Frequency != 0 {
			n.Frequency = on(f.Frequency)
		}
	case core.UserAlerted:
		n.Type, n.ServerID, n.Message = "userAlert", who(f.User), f.Message
		if f.Frequency != 0 {
			n.Frequency = on(f.Frequency)
		}
	case core.UserMoved:
		n.Type, n.ServerID, n.Frequency, n.ControlFrequency = "userSwitched", who(f.User), on(f.To), f.Control.String()
		if f.From != 0 {
			n.OldFrequency = on(f.From)
		}
	case core.UserDisconnected:
		n.Type, n.ServerID = "userDisconnected", who(f.User)
	case core.CallsignChanged:
		n.Type, n.ServerID, n.Callsign = "callsign", who(f.User), &f.Callsign
	default:
		return n, false
	}
	return n, true
}
