package wire

import (
	"reflect"

	"squelch/core"
)

// ServerEvents is the table of everything that the service sends. The tag event is the
// event's name, the field's type its payload. Encode takes names and types from here;
// the panel's typed events and the AsyncAPI document are generated from it.
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
	Emergency            EmergencyEvent       `event:"emergency" doc:"Extension: an emergency's record, on every change of it and to a console on connect; to dispatchers only"`
	Transmissions        Transmissions        `event:"transmissions" doc:"Extension: the last 50 transmissions, to a console on connect if there are any"`
	PlayerInfoUpdate     PlayerInfoUpdate     `event:"playerInfoUpdate" doc:"Identity of a user changed"`
	ConfigUpdate         ConfigUpdate         `event:"configUpdate" doc:"Configuration; the slim form has only the version"`
	ConfigRefresh        Empty                `event:"configRefresh" doc:"Fetch /radio/dispatch/config again"`
	PTTDenied            PTTDenied            `event:"ptt:denied" doc:"The channel is busy"`
	Identity             Identity             `event:"identity" doc:"Extension: the id that this socket was given"`
	Refused              Refused              `event:"refused" doc:"Extension: a join, key-up or the like was refused"`
	Self                 Self                 `event:"self" doc:"Extension: what the service knows of the receiver, on connect and when it changes"`
	RadioState           RadioState           `event:"radioState" doc:"Extension: state of a player's radio"`
	AnnouncementArmed    GroupArmed           `event:"announcementGroup" doc:"Extension: the armed announcement group"`
	GPS                  GPSPositions         `event:"gps" doc:"Extension: all units on the receiver's map, whenever it changes, at most once a second"`
	Slots                Slots                `event:"webrtc:slots" doc:"Extension: which talker each WebRTC slot carries"`
	WebRTCClosed         WebRTCClosed         `event:"webrtc:closed" doc:"Extension: the media connection ended, and why"`
	ClientEvent          ScriptEvent          `event:"clientEvent" doc:"Extension: a script in the service triggers an event of clients (TriggerClientEvent); radio:resyncCallsign asks for the callsign"`
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
		Signal      *int        `json:"signal,omitempty"` // 0-100; absent: 100
	}
	TalkingState struct {
		ServerID  core.UserID `json:"serverId"`
		Frequency string      `json:"frequency"`
		State     bool        `json:"state"`
		Signal    *int        `json:"signal,omitempty"` // how well the receiver hears it at its beginning, 0-100; absent: 100
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
	// DispatchNotification carries notifications of many kinds. Type says which
	// fields it has.
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
		Current          bool         `json:"current,omitempty"` // it was already on when the receiver came
		OldFrequency     *string      `json:"oldFrequency,omitempty"`
		ControlFrequency string       `json:"controlFrequency,omitempty"`
		Callsign         *string      `json:"callsign,omitempty"`
		Patch            *Patch       `json:"patch,omitempty"`
		Active           *bool        `json:"active,omitempty"`
		Reason           string       `json:"reason,omitempty"`
		Themes           []Theme      `json:"themes,omitzero"`
		DefaultTheme     *string      `json:"defaultTheme,omitempty"`
		ID               string       `json:"id,omitempty"`   // of a transmission
		Text             string       `json:"text,omitempty"` // what was said in it
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
	// ConfigUpdate is the full form of configUpdate; ConfigVersion is the slim form.
	ConfigUpdate struct {
		*ConfigBody
	}
	ConfigVersion struct {
		Version string `json:"version"`
	}
	PTTDenied struct {
		Frequency     string      `json:"frequency"`
		Reason        string      `json:"reason"` // always "busy"
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
		ServerID core.UserID `json:"serverId"`
		GameRadio
	}
	// GameRadio is the state of a player's radio, as its client reports it.
	GameRadio struct {
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
	// GPSPosition is where a unit's radio reports it: whole metres of the game's map.
	GPSPosition struct {
		ServerID core.UserID `json:"serverId"`
		X        float64     `json:"x"`
		Y        float64     `json:"y"`
		Z        float64     `json:"z"`
		Color    string      `json:"color"` // of the unit's channel; "": none is configured
	}
	// GPSPositions replaces what the receiver's map showed: a unit that is not in it
	// is gone. The receiver's own unit is among them.
	GPSPositions struct {
		Positions []GPSPosition `json:"positions"`
	}
	Slot struct {
		Slot        int         `json:"slot"`
		Mid         string      `json:"mid"`
		ServerID    core.UserID `json:"serverId"`
		Frequency   string      `json:"frequency"`
		ReceiveType string      `json:"receiveType"`
		Signal      *int        `json:"signal,omitempty"` // 0-100; absent: 100
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

// sent stands for the events in the table: &sent.ServerTone is serverTone.
var sent ServerEvents

// sentNames are the events' names from the tags, by pointers into sent.
var sentNames = func() map[any]string {
	names := map[any]string{}
	table := reflect.ValueOf(&sent).Elem()
	for i := range table.NumField() {
		names[table.Field(i).Addr().Interface()] = table.Type().Field(i).Tag.Get("event")
	}
	return names
}()

// message is an event of the table, a pointer into sent, with its payload.
func message[P any](to core.Audience, event *P, payload P) Message {
	return Message{to, sentNames[event], payload}
}

// Encode turns an event of the core into the messages that tell of it, in order. v
// must show the radio as it is after the step that made the event.
func Encode(e core.Event, v core.View) []Message {
	switch f := e.Fact.(type) {
	case core.UserConnected:
		return connected(f, v)
	case core.SpeakerJoined:
		return one(e, &sent.SpeakerJoined, Member{f.User, f.Frequency.String(), f.Name, f.Nac})
	case core.SpeakerLeft:
		return one(e, &sent.SpeakerLeft, Member{f.User, f.Frequency.String(), f.Name, f.Nac})
	case core.ListenerJoined:
		return one(e, &sent.ListenerJoined, Listener{f.User, f.Frequency.String()})
	case core.ListenerLeft:
		return one(e, &sent.ListenerLeft, Listener{f.User, f.Frequency.String()})
	case core.FollowStarted:
		return one(e, &sent.UserStartedListening, Watcher{f.User})
	case core.FollowEnded:
		return one(e, &sent.UserStoppedListening, Watcher{f.User})
	case core.ChannelChanged:
		return one(e, &sent.ChannelState, channelState(f.Channel))
	case core.ChannelDeleted:
		return one(e, &sent.ChannelDeleted, f.Frequency.String())
	case core.FloorTaken:
		return talkBegins(e, f, v)
	case core.FloorReleased:
		return one(e, &sent.TalkingState, TalkingState{ServerID: f.User, Frequency: f.Frequency.String()})
	case core.FloorDenied:
		return one(e, &sent.PTTDenied, PTTDenied{f.Frequency.String(), "busy", f.Holder})
	case core.TonePlayed:
		return one(e, &sent.ServerTone, ServerTone{f.Tone, f.Frequency.String()})
	case core.PatchShown:
		return patchStatus(e, f.Patch, true)[:1]
	case core.PatchCreated:
		return patchStatus(e, f.Patch, true)
	case core.PatchChanged:
		return patchStatus(e, f.Patch, true)
	case core.PatchRemoved:
		return patchStatus(e, f.Patch, false)
	case core.EmergencyChanged:
		return one(e, &sent.Emergency, EmergencyEvent{EmergencyOf(f.Record), f.Change == "shown"})
	case core.TransmissionsShown:
		return one(e, &sent.Transmissions, Transmissions{transmissionsOf(f.Transmissions)})
	case core.PlayerInfoChanged:
		return one(e, &sent.PlayerInfoUpdate, PlayerInfoUpdate{f.User, f.Name, f.Nac, f.Unit, orNull(f.Callsign)})
	case core.GroupArmed:
		return one(e, &sent.AnnouncementArmed, GroupArmed{orNull(f.Group)})
	case core.RadioChanged:
		return one(e, &sent.RadioState, RadioState{f.User, gameRadio(f.Radio)})
	case core.SelfChanged:
		return one(e, &sent.Self, SelfOf(f.Self))
	case core.UnitsLocated:
		return one(e, &sent.GPS, gpsPositions(f))
	case core.AccessChanged:
		return ownConfig(f.User, v)
	case core.ConfigChanged:
		return configChanged(v)
	}
	if n, ok := notification(e); ok {
		return one(e, &sent.DispatchNotification, n)
	}
	return nil
}

// one is the messages of an event of the core that one message tells.
func one[P any](e core.Event, event *P, payload P) []Message {
	return []Message{message(e.To, event, payload)}
}

// connected sends a player its configuration, because a player has no session for
// REST. The adapter sends identity: only it knows which id the socket had before.
func connected(f core.UserConnected, v core.View) []Message {
	if !f.User.Player() {
		return nil
	}
	return ownConfig(f.User, v)
}

func ownConfig(player core.UserID, v core.View) []Message {
	b := PlayerConfigOf(v, player)
	return []Message{message(core.Audience{Users: []core.UserID{player}}, &sent.ConfigUpdate, ConfigUpdate{&b})}
}

// configChanged makes consoles fetch the configuration again (the slim form, then
// configRefresh) and sends every player its own in full.
func configChanged(v core.View) []Message {
	to := core.Audience{Dispatchers: true}
	out := []Message{
		{to, sentNames[&sent.ConfigUpdate], ConfigVersion{Version}}, // the slim form
		message(to, &sent.ConfigRefresh, Empty{}),
	}
	on := people{v: v}
	for _, id := range v.Players() {
		b := playerConfig(id, &on)
		out = append(out, message(core.Audience{Users: []core.UserID{id}}, &sent.ConfigUpdate, ConfigUpdate{&b}))
	}
	return out
}

// maxUserData is the largest number of users on a channel whose channelState carries
// userData, which is optional. A snapshot goes to every member at every join: with
// names in it, each join on a channel of 500 would cost 20 MB. Names are also in
// speakerJoined, playerInfoUpdate and the status.
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
		message(e.To, &sent.PatchStatus, PatchStatus{w.ID, active, w.Label, w.Frequencies}),
		message(core.Audience{Dispatchers: true}, &sent.DispatchNotification, DispatchNotification{Type: "patch", Patch: &w, Active: &active,
			By: author(e), ByName: e.By.Name, Timestamp: e.At}),
	}
}

func gameRadio(r core.Radio) GameRadio {
	return GameRadio{Power: !r.Off, Open: r.Open, Focused: r.Focused,
		Volumes: RadioVolumes{r.Volume, r.ToneVolume, r.Volume3D}, Layout: r.Layout, Theme: r.Theme,
		AnimationID: r.AnimationID, Earbuds: r.Earbuds, GPS: r.GPS, Battery: r.BatteryLevel, Signal: r.SignalStrength}
}

func gpsPositions(f core.UnitsLocated) GPSPositions {
	p := GPSPositions{make([]GPSPosition, len(f.Fixes))}
	for i, x := range f.Fixes {
		p.Positions[i] = GPSPosition{x.User, x.At.X, x.At.Y, x.At.Z, x.Color}
	}
	return p
}

func author(e core.Event) *core.UserID { return nobody(e.By.User) }

// nobody is null for the id 0.
func nobody(id core.UserID) *core.UserID {
	if id == 0 {
		return nil
	}
	return &id
}

// notification makes the dispatchNotification of an event; ok is false if the event
// has none.
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
