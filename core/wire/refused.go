package wire

import "encoding/json"

// RefusedOf is what the event "refused" carries to the client that sent event
// with the payload arg, which was refused with err.
func RefusedOf(event string, arg json.RawMessage, err error) Refused {
	r := Refused{Action: event, Error: err.Error()}
	if f := frequencyIn(arg); f.Given {
		s := f.At.String()
		r.Frequency = &s
	}
	return r
}

// frequencyIn is the frequency that a payload is, or has as a field. In a payload that
// cannot be read it is not Given.
func frequencyIn(arg json.RawMessage) Frequency {
	var f Frequency
	if json.Unmarshal(arg, &f) == nil {
		return f
	}
	var in struct {
		Frequency Frequency `json:"frequency"`
	}
	_ = json.Unmarshal(arg, &in) // leaves Given false
	return in.Frequency
}
