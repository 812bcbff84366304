package wire

import "squelch/core"

// AckOf is the ack of an event: c is its command, out and err are the outcome.
func AckOf(c core.Command, out core.Output, err error) any {
	if err != nil {
		return AckError{Error: err.Error()}
	}
	if k, ok := c.(core.KeyUp); ok {
		if d, denied := notGranted(k.User, out); denied {
			return d
		}
	}
	if r, ok := EmergencyIn(c, out); ok {
		return r
	}
	return AckOK{Success: true}
}

// notGranted looks for the reason why a user who keyed up does not talk.
func notGranted(id core.UserID, out core.Output) (AckDenied, bool) {
	denied := AckDenied{}
	for _, e := range out.Events {
		switch f := e.Fact.(type) {
		case core.FloorDenied:
			if f.User == id {
				denied.Error, denied.CurrentTalker = "The channel is busy", f.Holder
			}
		case core.FloorReleased:
			if f.User == id && f.Reason == "timeout" {
				denied.Error = "The time-out timer ended this transmission: release and key up again"
			}
		case core.FloorTaken:
			if f.User == id {
				denied = AckDenied{}
			}
		}
	}
	return denied, denied.Error != ""
}
