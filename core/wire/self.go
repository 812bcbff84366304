package wire

import "squelch/core"

// Payload of the event self.
type (
	// Self is what the service knows about the receiver. Alerts are those of the
	// channels that it is on, by frequency; Panic has the channels on which its own
	// panic is on.
	Self struct {
		ServerID         core.UserID      `json:"serverId"`
		Name             string           `json:"name"`
		NacID            *string          `json:"nacId"`
		UnitID           *string          `json:"unitId"`
		Callsign         *string          `json:"callsign"`
		Zone             *string          `json:"zone"` // name of the zone of channel
		Subscriber       *Subscriber      `json:"subscriber"`
		Channel          *string          `json:"channel"`
		ControlFrequency string           `json:"controlFrequency,omitempty"`
		Listening        []string         `json:"listening"`
		Alerts           map[string]Alert `json:"alerts"`
		Panic            []string         `json:"panic"`
		HotMic           *HotMic          `json:"hotMic"`
		Signal           int              `json:"signal"` // strength on its channel, 0-100
	}
	// HotMic is the receiver's microphone, which a panic has opened: its client sends
	// voice until a later self has null. Frequency is where that is heard; until, ms
	// since the epoch by the service's clock, is for its display.
	HotMic struct {
		Frequency string `json:"frequency"`
		Until     int64  `json:"until"`
	}
	// Subscriber is a subscriber record: a codeplug with the unit id of its radio.
	Subscriber struct {
		CodeplugID         string            `json:"codeplugId"`
		UnitID             string            `json:"unitId"`
		Nac                int               `json:"nac"`
		RadioModel         string            `json:"radioModel"`
		Features           core.Features     `json:"features"`
		Tones              core.CodeplugTone `json:"tones"`
		Emergency          RadioEmergency    `json:"emergency"`
		AnnouncementVolume float64           `json:"announcementVolume"`
	}
	// RadioEmergency is what a radio does when its panic button is pressed.
	RadioEmergency struct {
		RevertFrequency *string `json:"revertFrequency"`
		HotMicMs        int64   `json:"hotMicMs"`
	}
)

// subscriberOf is a subscriber record on the wire.
func subscriberOf(p *core.Codeplug) Subscriber {
	return Subscriber{CodeplugID: p.ID, UnitID: p.UnitID, Nac: p.Nac, RadioModel: p.RadioModel, Features: p.Features,
		Tones: p.Tones, Emergency: RadioEmergency{orNull(p.Emergency.RevertFrequency.String()), p.Emergency.HotMicMs},
		AnnouncementVolume: p.AnnouncementVolume}
}

// SelfOf is a user's own record on the wire.
func SelfOf(me core.Self) Self {
	s := Self{ServerID: me.User, Name: me.Name, NacID: orNull(me.Nac), UnitID: orNull(me.Unit), Callsign: orNull(me.Callsign),
		Zone: orNull(me.Zone), Channel: orNull(me.Channel.String()), ControlFrequency: me.Control.String(),
		Listening: Spell(me.Listening), Alerts: map[string]Alert{}, Panic: Spell(me.Panics), Signal: me.Signal}
	if me.Subscriber != nil {
		own := subscriberOf(me.Subscriber)
		s.Subscriber = &own
	}
	if me.HotMic != 0 {
		s.HotMic = &HotMic{me.HotMic.String(), me.HotUntil}
	}
	for _, a := range me.Alerts {
		s.Alerts[a.Frequency.String()] = Alert{a.Alert}
	}
	return s
}
