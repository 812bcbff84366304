package scenario

import (
	"fmt"
	"strings"
	"time"

	"squelch/core"
)

// Narrate puts an event into words, with its audience.
func Narrate(e core.Event) string {
	text := identity(e.Fact)
	if text == "" {
		text = traffic(e.Fact)
	}
	if text == "" {
		text = called(e.Fact)
	}
	return text + " -> " + e.To.String()
}

func identity(f core.Fact) string {
	switch f := f.(type) {
	case core.UserConnected:
		switch {
		case f.Resumed:
			return fmt.Sprintf("%d is back", f.User)
		case f.Wanted != f.User:
			return fmt.Sprintf("%d is on the radio (asked for %d)", f.User, f.Wanted)
		}
		return fmt.Sprintf("%d is on the radio", f.User)
	case core.UserLeft:
		return fmt.Sprintf("%d is gone (%s)", f.User, f.Reason)
	case core.LinkLost:
		return fmt.Sprintf("%d lost its link", f.User)
	case core.UserDisconnected:
		return fmt.Sprintf("%d was disconnected", f.User)
	case core.PlayerInfoChanged:
		text := fmt.Sprintf("%d is name %q nac %q unit %q", f.User, f.Name, f.Nac, f.Unit)
		if f.Callsign != "" {
			text += fmt.Sprintf(" callsign %q", f.Callsign)
		}
		return text
	case core.CallsignChanged:
		return fmt.Sprintf("%d has callsign %q", f.User, f.Callsign)
	case core.NacOverridden:
		return fmt.Sprintf("%d has nac %q by hand", f.User, f.Nac)
	case core.GroupArmed:
		return fmt.Sprintf("%d armed group %q", f.User, f.Group)
	case core.RadioChanged:
		return fmt.Sprintf("%d radio: power %t volume %g battery %g", f.User, !f.Radio.Off, f.Radio.Volume, f.Radio.BatteryLevel)
	case core.FollowStarted:
		return fmt.Sprintf("%d listens to %d", f.User, f.Target)
	case core.FollowEnded:
		return fmt.Sprintf("%d stopped listening to %d", f.User, f.Target)
	case core.SelfChanged:
		return self(f.Self)
	case core.AccessChanged:
		return fmt.Sprintf("%d has other access", f.User)
	case core.UnitsLocated:
		return located(f.Fixes)
	case core.ConfigChanged:
		return "configuration changed"
	}
	return ""
}

func traffic(f core.Fact) string {
	switch f := f.(type) {
	case core.SpeakerJoined:
		return fmt.Sprintf("%d on %s", f.User, f.Frequency)
	case core.SpeakerLeft:
		return fmt.Sprintf("%d off %s", f.User, f.Frequency)
	case core.ListenerJoined:
		return fmt.Sprintf("%d scans %s", f.User, f.Frequency)
	case core.ListenerLeft:
		return fmt.Sprintf("%d stopped scanning %s", f.User, f.Frequency)
	case core.ChannelChanged:
		return "state of " + Channel(f.Channel)
	case core.ChannelDeleted:
		return fmt.Sprintf("%s is empty, deleted", f.Frequency)
	case core.UserMoved:
		text := fmt.Sprintf("%d moved from %s to %s", f.User, or(f.From.String(), "nowhere"), f.To)
		if f.Control != 0 {
			text += " of " + f.Control.String()
		}
		if f.Auto {
			text += " by the radio"
		}
		return text
	case core.FloorTaken:
		text := fmt.Sprintf("%d talks on %s", f.User, f.Frequency)
		if f.Frequency != f.Keyed {
			text += " (keyed " + f.Keyed.String() + ")"
		}
		if f.Override {
			text += ", override"
		}
		if f.HotMic {
			text += ", hot microphone"
		}
		return text
	case core.FloorReleased:
		text := fmt.Sprintf("%d silent on %s", f.User, f.Frequency)
		if f.Frequency != f.Keyed {
			text += " (keyed " + f.Keyed.String() + ")"
		}
		return text + ", " + f.Reason
	case core.FloorDenied:
		return fmt.Sprintf("%d denied on %s, %d talks", f.User, f.Frequency, f.Holder)
	}
	return ""
}

func called(f core.Fact) string {
	switch f := f.(type) {
	case core.AlertActivated:
		if f.Repeated {
			return fmt.Sprintf("alert %q on %s again", f.Alert.Name, f.Frequency)
		}
		return fmt.Sprintf("alert %q on %s", f.Alert.Name, f.Frequency)
	case core.AlertShown:
		return fmt.Sprintf("alert %q is on at %s", f.Alert.Name, f.Frequency)
	case core.AlertCleared:
		return fmt.Sprintf("alert %q off %s", f.Alert.Name, f.Frequency)
	case core.AlertPlayed:
		return fmt.Sprintf("alert %q once on %s", f.Alert.Name, f.Frequency)
	case core.TonePlayed:
		return fmt.Sprintf("tone %s on %s", f.Tone, or(f.Frequency.String(), "no channel"))
	case core.PanicRaised:
		return fmt.Sprintf("PANIC of %d on %s", f.User, f.Frequency)
	case core.PanicShown:
		return fmt.Sprintf("panic of %d is on at %s", f.User, f.Frequency)
	case core.PanicCleared:
		return fmt.Sprintf("panic of %d on %s over, %s", f.User, f.Frequency, f.Reason)
	case core.EmergencyChanged:
		return "emergency " + inWords(*f.Record) + " " + f.Change
	case core.TransmissionsShown:
		text := "was said:"
		for _, t := range f.Transmissions {
			text += " " + transmission(t) + ";"
		}
		return strings.TrimSuffix(text, ";")
	case core.PatchCreated:
		return "patched: " + patch(f.Patch)
	case core.PatchShown:
		return "is patched: " + patch(f.Patch)
	case core.PatchChanged:
		return "patch changed: " + patch(f.Patch)
	case core.PatchRemoved:
		return "unpatched: " + patch(f.Patch)
	case core.BroadcastSent:
		return fmt.Sprintf("broadcast %q (%s) on %s", f.Message, f.Type, or(f.Frequency.String(), "all channels"))
	case core.UserAlerted:
		return fmt.Sprintf("message to %d: %q", f.User, f.Message)
	}
	return fmt.Sprintf("%T", f)
}

func patch(p core.Patch) string {
	return fmt.Sprintf("%s %q %s by %d", p.ID(), p.Label, freqs(p.Frequencies), p.CreatedBy)
}

// inWords puts a record into words, with its state.
func inWords(r core.EmergencyRecord) string {
	text := fmt.Sprintf("%s of %d %q on %s", r.ID(), r.User, r.Name, r.Frequency)
	if r.AckAt > 0 {
		text += " ack " + r.AckBy
	}
	if r.EndedAt > 0 {
		text += " ended by " + r.EndedBy
	}
	if r.ClosedAt > 0 {
		text += " closed by " + r.ClosedBy + ", " + r.Reason
	}
	if r.Note != "" {
		text += fmt.Sprintf(" %q", r.Note)
	}
	return text
}

// transmission puts an entry of the log into words.
func transmission(t core.Transmission) string {
	text := fmt.Sprintf("#%d %d %q on %s", t.Number, t.User, t.Name, t.Frequency)
	if t.Control != 0 {
		text += " of " + t.Control.String()
	}
	if t.Patch != 0 {
		text += " by " + core.PatchID(t.Patch)
	}
	if t.Digital {
		text += " (digital)"
	}
	if t.EndedAt == 0 {
		return text + " talks"
	}
	return fmt.Sprintf("%s for %v", text, time.Duration(t.EndedAt-t.StartedAt)*time.Millisecond)
}

// moment puts an entry of the timeline into words.
func moment(m core.Moment) string {
	text := m.Kind
	if m.Kind == core.MomentTransmission || m.Kind == core.MomentKeyed {
		text += " " + transmission(m.Transmission())
	} else {
		if m.User != 0 {
			text += fmt.Sprintf(" of %d %q", m.User, m.Name)
		}
		if m.Frequency != 0 {
			text += " on " + m.Frequency.String()
		}
		if m.Patch != 0 {
			text += " " + core.PatchID(m.Patch)
		}
	}
	if m.Unit != "" {
		text += " unit " + m.Unit
	}
	if len(m.Frequencies) > 0 {
		text += " (" + freqs(m.Frequencies) + ")"
	}
	if m.Emergency != "" {
		text += " " + m.Emergency
	}
	if m.Detail != "" {
		text += fmt.Sprintf(" %q", m.Detail)
	}
	if m.Reason != "" {
		text += ", " + m.Reason
	}
	if m.Surface != "" {
		text += fmt.Sprintf(", by %d %q (%s)", m.By, m.ByName, m.Surface)
	}
	return text
}

// Channel puts the state of a channel into words.
func Channel(c core.ChannelView) string {
	text := fmt.Sprintf("%s: speakers %s listeners %s talking %s", c.Frequency, ids(c.Speakers), ids(c.Listeners), ids(c.ActiveTalkers))
	if c.Control != 0 {
		text += " of " + c.Control.String()
	}
	return text
}

func ids(list []core.UserID) string {
	if len(list) == 0 {
		return "-"
	}
	all := make([]string, len(list))
	for i, u := range list {
		all[i] = u.String()
	}
	return strings.Join(all, ",")
}

func freqs(list []core.Frequency) string {
	if len(list) == 0 {
		return "-"
	}
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.String()
	}
	return strings.Join(all, ",")
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func located(fixes []core.Fix) string {
	text := "map:"
	for _, x := range fixes {
		text += fmt.Sprintf(" %d at %g,%g", x.User, x.At.X, x.At.Y)
		if x.Color != "" {
			text += " " + x.Color
		}
	}
	if len(fixes) == 0 {
		text += " nobody"
	}
	return text
}

func self(me core.Self) string {
	text := fmt.Sprintf("%d is itself: name %q nac %q unit %q callsign %q", me.User, me.Name, me.Nac, me.Unit, me.Callsign)
	if me.Channel != 0 {
		text += fmt.Sprintf(" on %s in zone %q", me.Channel, me.Zone)
	}
	if me.Control != 0 {
		text += " of " + me.Control.String()
	}
	if me.Subscriber != nil {
		text += fmt.Sprintf(" codeplug %q", me.Subscriber.ID)
	}
	if len(me.Listening) > 0 {
		text += " scans " + freqs(me.Listening)
	}
	for _, a := range me.Alerts {
		text += fmt.Sprintf(" alert %q on %s", a.Alert.Name, a.Frequency)
	}
	if len(me.Panics) > 0 {
		text += " PANIC on " + freqs(me.Panics)
	}
	if me.HotMic != 0 {
		text += " microphone hot on " + me.HotMic.String()
	}
	if me.Signal < 100 {
		text += fmt.Sprintf(" signal %d", me.Signal)
	}
	return text
}
