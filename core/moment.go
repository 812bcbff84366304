package core

import "strconv"

// Moment is an entry of the timeline: something that was said or done, with the names as
// they were then. It is plain data. Logins and the service's own troubles are entered by
// the service (MomentLogin and those below it).
type Moment struct {
	Kind        string      `json:"kind"`              // one of the constants below
	At          int64       `json:"at"`                // ms since the epoch; of a transmission, its key-up
	EndedAt     int64       `json:"endedAt,omitempty"` // of a transmission, ms since the epoch
	User        UserID      `json:"user,omitempty"`    // whom it is about: the talker, the unit in panic, whom a dispatcher moved
	Name        string      `json:"name,omitempty"`    // of User then, and its unit
	Unit        string      `json:"unit,omitempty"`
	Frequency   Frequency   `json:"frequency,omitempty"`   // 0: no channel, or every one
	Control     Frequency   `json:"control,omitempty"`     // base of its talkgroup, if Frequency is a working frequency
	Frequencies []Frequency `json:"frequencies,omitempty"` // of a transmission, the channels of its patch
	Patch       int         `json:"patch,omitempty"`       // number of the patch
	Digital     bool        `json:"digital,omitempty"`     // of a transmission
	Number      int         `json:"number,omitempty"`      // of a transmission
	By          UserID      `json:"by,omitempty"`          // who did it; 0: no user of the radio
	ByName      string      `json:"byName,omitempty"`
	Surface     Surface     `json:"surface,omitempty"` // how it came to the radio
	Detail      string      `json:"detail,omitempty"`
	Reason      string      `json:"reason,omitempty"`
	Emergency   string      `json:"emergency,omitempty"` // "e-1"
}

// The kinds of moments, and what they use of Detail, Reason and Frequencies.
const (
	MomentTransmission          = "transmission"          // it has ended
	MomentKeyed                 = "keyed"                 // it has begun; only to find out, after a crash, that it never ended
	MomentOverride              = "override"              // By talks over User (0: the channel was free); Reason "hotmic": a panic did it
	MomentAlert                 = "alert"                 // Detail: the alert
	MomentAlertCleared          = "alertCleared"          // Detail: the alert
	MomentAlertOnce             = "alertOnce"             // Detail: the alert
	MomentPanic                 = "panic"                 // Emergency "": too many are open
	MomentPanicCleared          = "panicCleared"          // Reason: as PanicCleared has it
	MomentEmergencyAcknowledged = "emergencyAcknowledged" // By: who stopped the alarm
	MomentEmergencyEnded        = "emergencyEnded"        // Reason: as EmergencyRecord.EndedBy
	MomentEmergencyClosed       = "emergencyClosed"       // Reason: as EmergencyRecord has it; Detail: the note
	MomentPatchOn               = "patchOn"               // Detail: its label; Frequencies: its channels
	MomentPatchChanged          = "patchChanged"          // likewise
	MomentPatchOff              = "patchOff"              // likewise
	MomentMoved                 = "moved"                 // Frequencies: where the unit was, if anywhere
	MomentDisconnected          = "disconnected"
	MomentCallsign              = "callsign"  // Detail: the new one; "": it was cleared
	MomentNac                   = "nac"       // Reason: "set" or "cleared"; the NAC id itself may open a door, so it is not said
	MomentMessage               = "message"   // Detail: the text
	MomentBroadcast             = "broadcast" // Detail: the text; Reason: its type
	MomentConnected             = "connected"
	MomentLeft                  = "left" // Reason: as UserLeft has it
	MomentConfig                = "config"

	MomentLogin        = "login"        // ByName: the callsign; Detail: "admin" for the administration
	MomentLogout       = "logout"       // likewise
	MomentLoginRefused = "loginRefused" // likewise; Reason "lockedOut": and the address is locked out
	MomentHealth       = "health"       // Detail: what; Reason: why it fails, "" when it is well again
)

// MomentKinds are the kinds that are shown.
var MomentKinds = []string{MomentTransmission, MomentOverride, MomentAlert, MomentAlertCleared, MomentAlertOnce, MomentPanic, MomentPanicCleared,
	MomentEmergencyAcknowledged, MomentEmergencyEnded, MomentEmergencyClosed, MomentPatchOn, MomentPatchChanged, MomentPatchOff, MomentMoved,
	MomentDisconnected, MomentCallsign, MomentNac, MomentMessage, MomentBroadcast, MomentConnected, MomentLeft, MomentConfig,
	MomentLogin, MomentLogout, MomentLoginRefused, MomentHealth}

// ID is the moment's stable name: of a transmission its own (Transmission.ID), otherwise
// made of kind, user, frequency and time.
func (m Moment) ID() string {
	if m.Kind == MomentTransmission || m.Kind == MomentKeyed {
		return m.Transmission().ID()
	}
	return m.Kind + "-" + m.User.String() + "-" + m.Frequency.String() + "-" + strconv.FormatInt(m.At, 10)
}

// Transmission is the entry of the log of transmissions that the moment was made of.
func (m Moment) Transmission() Transmission {
	return Transmission{Number: m.Number, User: m.User, Name: m.Name, Unit: m.Unit, Frequency: m.Frequency, Control: m.Control,
		Patch: m.Patch, Digital: m.Digital, StartedAt: m.At, EndedAt: m.EndedAt}
}

// Moment makes the moment of a transmission: that it has ended or, with EndedAt 0, that
// it has begun.
func (t Transmission) Moment() Moment {
	m := Moment{Kind: MomentTransmission, At: t.StartedAt, EndedAt: t.EndedAt, User: t.User, Name: t.Name, Unit: t.Unit,
		Frequency: t.Frequency, Control: t.Control, Patch: t.Patch, Digital: t.Digital, Number: t.Number}
	if t.EndedAt == 0 {
		m.Kind = MomentKeyed
	}
	return m
}

// MomentOf makes the moment of an event; ok is false when the event does not belong on
// the timeline. What is audited does, and who comes and goes; what the radio does by
// itself (regrouping, repeats of a banner, a lost link that comes back) does not. The
// name of User is empty where the event does not carry it.
func MomentOf(e Event) (m Moment, ok bool) {
	m = Moment{At: e.At, By: e.By.User, ByName: e.By.Name, Surface: e.By.Surface}
	switch f := e.Fact.(type) {
	case FloorTaken:
		if !f.Override || f.Frequency != f.Keyed {
			return Moment{}, false
		}
		m.Kind, m.User, m.Frequency = MomentOverride, f.Over, f.Keyed
		if m.By != f.User {
			m.By, m.ByName = f.User, ""
		}
		if f.HotMic {
			m.Reason = "hotmic"
		}
	case UserMoved:
		if f.Auto {
			return Moment{}, false
		}
		m.Kind, m.User, m.Frequency, m.Control = MomentMoved, f.User, f.To, f.Control
		if f.From != 0 {
			m.Frequencies = []Frequency{f.From}
		}
	case UserDisconnected:
		m.Kind, m.User = MomentDisconnected, f.User
	case UserConnected:
		if f.Resumed {
			return Moment{}, false
		}
		m.Kind, m.User = MomentConnected, f.User
	case UserLeft:
		m.Kind, m.User, m.Name, m.Reason = MomentLeft, f.User, f.Name, f.Reason
	case CallsignChanged:
		m.Kind, m.User, m.Detail = MomentCallsign, f.User, f.Callsign
	case NacOverridden:
		m.Kind, m.User, m.Reason = MomentNac, f.User, "set"
		if f.Nac == "" {
			m.Reason = "cleared"
		}
	case ConfigChanged:
		m.Kind = MomentConfig
	case BroadcastSent:
		m.Kind, m.Frequency, m.Detail, m.Reason = MomentBroadcast, f.Frequency, f.Message, f.Type
	case UserAlerted:
		m.Kind, m.User, m.Frequency, m.Detail = MomentMessage, f.User, f.Frequency, f.Message
	default:
		return momentLasting(m, e.Fact)
	}
	return m, true
}

// momentLasting is MomentOf for alerts, panic, emergencies and patches.
func momentLasting(m Moment, fact Fact) (Moment, bool) {
	switch f := fact.(type) {
	case AlertActivated:
		if f.Repeated {
			return Moment{}, false
		}
		m.Kind, m.Frequency, m.Detail = MomentAlert, f.Frequency, f.Alert.Name
	case AlertCleared:
		m.Kind, m.Frequency, m.Detail = MomentAlertCleared, f.Frequency, f.Alert.Name
	case AlertPlayed:
		m.Kind, m.Frequency, m.Detail = MomentAlertOnce, f.Frequency, f.Alert.Name
	case PanicRaised:
		m.Kind, m.User, m.Name, m.Frequency = MomentPanic, f.User, f.Name, f.Frequency
	case PanicCleared:
		m.Kind, m.User, m.Name, m.Frequency, m.Reason = MomentPanicCleared, f.User, f.Name, f.Frequency, f.Reason
	case EmergencyChanged:
		r := f.Record
		m.User, m.Name, m.Unit, m.Frequency, m.Emergency = r.User, r.Name, r.Unit, r.Frequency, r.ID()
		switch f.Change {
		case "acknowledged":
			m.Kind, m.ByName = MomentEmergencyAcknowledged, r.AckBy
		case "ended":
			m.Kind, m.Reason = MomentEmergencyEnded, r.EndedBy
		case "closed":
			m.Kind, m.ByName, m.Reason, m.Detail = MomentEmergencyClosed, r.ClosedBy, r.Reason, r.Note
		default: // its panic says so
			return Moment{}, false
		}
	case PatchCreated:
		return m.ofPatch(MomentPatchOn, f.Patch), true
	case PatchChanged:
		return m.ofPatch(MomentPatchChanged, f.Patch), true
	case PatchRemoved:
		return m.ofPatch(MomentPatchOff, f.Patch), true
	default:
		return Moment{}, false
	}
	return m, true
}

func (m Moment) ofPatch(kind string, p Patch) Moment {
	m.Kind, m.Patch, m.Detail, m.Frequencies = kind, p.Number, p.Label, p.Frequencies
	return m
}

// Moments are what an Output adds to the timeline, in order: its events, then the
// transmissions. v is the radio as it is after the step; it has the names that events do
// not carry.
func Moments(out Output, v View) []Moment {
	var all []Moment
	left := map[UserID]string(nil)
	var raised *EmergencyRecord
	for _, e := range out.Events {
		switch f := e.Fact.(type) {
		case EmergencyChanged:
			if f.Change == "raised" {
				raised = f.Record
			}
		case UserLeft: // somebody else may have the id already
			if left == nil {
				left = map[UserID]string{}
			}
			left[f.User] = f.Name
		}
		m, ok := MomentOf(e)
		if !ok {
			continue
		}
		if m.Kind == MomentPanic && raised != nil && raised.User == m.User && raised.Frequency == m.Frequency {
			m.Emergency, m.Unit = raised.ID(), raised.Unit
		}
		all = append(all, m)
	}
	for i := range all {
		if m := &all[i]; m.User != 0 {
			u, known := v.User(m.User)
			if m.Name == "" && m.Kind != MomentConnected {
				m.Name = left[m.User]
			}
			if m.Name == "" && known {
				m.Name = u.Name
			}
			if m.Unit == "" && known && m.Name == u.Name {
				m.Unit = u.Unit
			}
		}
		if m := &all[i]; m.ByName == "" && m.By != 0 {
			if u, known := v.User(m.By); known {
				m.ByName = u.Name
			}
		}
	}
	for _, t := range out.Transmissions {
		m := t.Moment()
		for _, p := range v.s.d.Patches {
			if p.Number == t.Patch {
				m.Frequencies = list(p.Frequencies)
			}
		}
		all = append(all, m)
	}
	return all
}
