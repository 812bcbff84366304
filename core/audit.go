package core

// Record is one line of the audit log: who did what to whom, when. It is plain
// data. Logins and lock-outs are recorded by the service, which keeps the sessions.
type Record struct {
	At        int64     `json:"at"` // ms since the epoch
	By        Actor     `json:"by"`
	Action    string    `json:"action"`
	Frequency Frequency `json:"frequency,omitempty"`
	Target    UserID    `json:"target,omitempty"`
	Whom      string    `json:"whom,omitempty"` // the target's name at the time; empty if the event does not carry one
	Detail    string    `json:"detail,omitempty"`
}

// Audit makes the record of an event; ok is false when the event does not belong
// in the audit log. Overrides, moves, disconnects, patches, alerts, panic, emergencies,
// callsigns, NAC overrides, configuration, broadcasts and user alerts do; what the
// radio does by itself (regrouping, repeats of a banner) does not.
func Audit(e Event) (Record, bool) {
	r := Record{At: e.At, By: e.By}
	switch f := e.Fact.(type) {
	case FloorTaken:
		if !f.Override || f.Frequency != f.Keyed {
			return Record{}, false
		}
		r.Action, r.Frequency, r.Target, r.Detail = "override", f.Keyed, f.Over, f.User.String()+" keyed a free channel"
		if f.Over != 0 {
			r.Detail = f.User.String() + " over " + f.Over.String()
		}
		if f.HotMic {
			r.Detail += ", hot microphone"
		}
	case UserMoved:
		if f.Auto {
			return Record{}, false
		}
		r.Action, r.Frequency, r.Target, r.Detail = "move", f.To, f.User, f.From.String()
	case UserDisconnected:
		r.Action, r.Target = "disconnect", f.User
	case CallsignChanged:
		r.Action, r.Target, r.Detail = "callsign", f.User, f.Callsign
	case NacOverridden:
		r.Action, r.Target, r.Detail = "nac", f.User, f.Nac
	case ConfigChanged:
		r.Action = "config"
	case BroadcastSent:
		r.Action, r.Frequency, r.Detail = "broadcast", f.Frequency, f.Type+": "+f.Message
	case UserAlerted:
		r.Action, r.Frequency, r.Target, r.Detail = "user alert", f.Frequency, f.User, f.Message
	default:
		return auditLasting(r, e.Fact)
	}
	return r, true
}

// auditLasting is Audit for alerts, panic, emergencies and patches.
func auditLasting(r Record, fact Fact) (Record, bool) {
	switch f := fact.(type) {
	case AlertActivated:
		if f.Repeated {
			return Record{}, false
		}
		r.Action, r.Frequency, r.Detail = "alert", f.Frequency, f.Alert.Name
	case AlertCleared:
		r.Action, r.Frequency, r.Detail = "alert cleared", f.Frequency, f.Alert.Name
	case AlertPlayed:
		r.Action, r.Frequency, r.Detail = "alert once", f.Frequency, f.Alert.Name
	case PanicRaised:
		r.Action, r.Frequency, r.Target, r.Whom, r.Detail = "panic", f.Frequency, f.User, f.Name, called(f.Name, f.User)
		if f.Unrecorded {
			r.Detail += ", without a record: too many emergencies are open"
		}
	case PanicCleared:
		r.Action, r.Frequency, r.Target, r.Whom, r.Detail = "panic cleared", f.Frequency, f.User, f.Name, f.Reason+": "+called(f.Name, f.User)+" after "+seconds(f.Since, r.At)
	case EmergencyChanged:
		e := f.Record
		r.Frequency, r.Target, r.Whom, r.Detail = e.Frequency, e.User, e.Name, e.ID()+" of "+called(e.Name, e.User)+" after "+seconds(e.RaisedAt, r.At)
		switch f.Change {
		case "acknowledged":
			r.Action = "emergency acknowledged"
		case "closed":
			r.Action, r.Detail = "emergency closed", r.Detail+": "+e.Reason
			if e.Note != "" {
				r.Detail += ", " + e.Note
			}
		default: // the record of its panic says so
			return Record{}, false
		}
	case PatchCreated:
		r.Action, r.Detail = "patch", f.Patch.summary()
	case PatchChanged:
		r.Action, r.Detail = "patch changed", f.Patch.summary()
	case PatchRemoved:
		r.Action, r.Detail = "patch removed", f.Patch.summary()
	default:
		return Record{}, false
	}
	return r, true
}

// called is a user's name, else its id.
func called(name string, id UserID) string { return firstOf(name, id.String()) }

// seconds is how long something took, from one moment to another in ms: "12 s".
func seconds(from, to int64) string { return itoa(int((to-from)/1000)) + " s" }

// summary is the patch in one line: "p-1 North + Tac: 154.755 460.25".
func (p Patch) summary() string {
	s := p.ID() + " " + p.Label + ":"
	for _, f := range p.Frequencies {
		s += " " + f.String()
	}
	return s
}
