package core

// Record is one line of the audit log: who did what to whom, when. It is plain
// data. Logins and lock-outs are recorded by the service, which keeps the sessions.
type Record struct {
	At        int64     `json:"at"` // ms since the epoch
	By        Actor     `json:"by"`
	Action    string    `json:"action"`
	Frequency Frequency `json:"frequency,omitempty"`
	Target    UserID    `json:"target,omitempty"`
	Detail    string    `json:"detail,omitempty"`
}

// Audit makes the record of an event; ok is false when the event does not belong
// in the audit log. Overrides, moves, disconnects, patches, alerts, panic,
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

// auditLasting is Audit for alerts, panic and patches.
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
		r.Action, r.Frequency, r.Target = "panic", f.Frequency, f.User
	case PanicCleared:
		r.Action, r.Frequency, r.Target, r.Detail = "panic cleared", f.Frequency, f.User, f.Reason
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

// summary is the patch in one line: "p-1 North + Tac: 154.755 460.25".
func (p Patch) summary() string {
	s := p.ID() + " " + p.Label + ":"
	for _, f := range p.Frequencies {
		s += " " + f.String()
	}
	return s
}
