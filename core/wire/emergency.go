package wire

import (
	"encoding/json"

	"squelch/core"
)

type (
	// Emergency is the record of an emergency. Moments are ms since the epoch, or null
	// if they have not come yet.
	Emergency struct {
		ID         string       `json:"id"` // "e-1"
		ServerID   core.UserID  `json:"serverId"`
		UnitID     *string      `json:"unitId"`
		Name       string       `json:"name"` // of the unit, when it was raised
		Frequency  string       `json:"frequency"`
		RaisedAt   int64        `json:"raisedAt"` // the last time, if it was raised again
		AckBy      *string      `json:"ackBy"`    // the dispatcher's callsign or name then
		AckAt      *int64       `json:"ackAt"`
		AckByID    *core.UserID `json:"ackById"` // null also for somebody who is no user of the radio
		EndedAt    *int64       `json:"endedAt"` // when its panic ended as EndedBy says
		EndedBy    *string      `json:"endedBy"` // unit, timeout, script, disconnect
		ClosedBy   *string      `json:"closedBy"`
		ClosedAt   *int64       `json:"closedAt"`
		ClosedByID *core.UserID `json:"closedById"`
		Reason     *string      `json:"reason"` // resolved, accidental, test, other, acknowledged
		Note       *string      `json:"note"`
	}
	// EmergencyEvent is the record of an emergency as it now is; a closed one is told
	// of once.
	EmergencyEvent struct {
		Emergency
		Current bool `json:"current,omitempty"` // it is not news: no alarm begins
	}
	// AckEmergency stops an emergency's alarm.
	AckEmergency struct {
		ID string `json:"id" wire:"required"`
	}
	// CloseEmergency ends an emergency.
	CloseEmergency struct {
		ID     string `json:"id" wire:"required"`
		Reason string `json:"reason" wire:"required"` // resolved, accidental, test, other
		Note   string `json:"note,omitempty"`
	}
	// EmergencyReply is the answer to both, by REST and as an ack.
	EmergencyReply struct {
		Success   bool      `json:"success"`
		Emergency Emergency `json:"emergency"`
	}
)

// EmergencyOf is an emergency's record on the wire.
func EmergencyOf(r *core.EmergencyRecord) Emergency {
	return Emergency{ID: r.ID(), ServerID: r.User, UnitID: orNull(r.Unit), Name: r.Name, Frequency: r.Frequency.String(), RaisedAt: r.RaisedAt,
		AckBy: orNull(r.AckBy), AckAt: momentOf(r.AckAt), AckByID: nobody(r.AckID), EndedAt: momentOf(r.EndedAt), EndedBy: orNull(r.EndedBy),
		ClosedBy: orNull(r.ClosedBy), ClosedAt: momentOf(r.ClosedAt), ClosedByID: nobody(r.ClosedID), Reason: orNull(r.Reason), Note: orNull(r.Note)}
}

// momentOf is null for a moment that has not come.
func momentOf(at int64) *int64 {
	if at == 0 {
		return nil
	}
	return &at
}

func emergencies(v core.View) []Emergency {
	open := v.Emergencies()
	all := make([]Emergency, len(open))
	for i := range open {
		all[i] = EmergencyOf(&open[i])
	}
	return all
}

// EmergencyIn is the reply to a command that acknowledges or closes an emergency; ok is
// false for any other.
func EmergencyIn(c core.Command, out core.Output) (reply EmergencyReply, ok bool) {
	switch c.(type) {
	case core.AcknowledgeEmergency, core.CloseEmergency:
	default:
		return reply, false
	}
	for i := len(out.Events) - 1; i >= 0; i-- { // the last one: time may have ended others before
		if f, is := out.Events[i].Fact.(core.EmergencyChanged); is {
			return EmergencyReply{true, EmergencyOf(f.Record)}, true
		}
	}
	return reply, false
}

func (r *AckEmergency) Command(core.UserID) (core.Command, error) {
	return core.AcknowledgeEmergency{ID: r.ID}, nil
}

func (r *CloseEmergency) Command(core.UserID) (core.Command, error) {
	return core.CloseEmergency{ID: r.ID, Reason: r.Reason, Note: r.Note}, nil
}

func decodeAckEmergency(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p AckEmergency
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return p.Command(me)
}

func decodeCloseEmergency(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p CloseEmergency
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return p.Command(me)
}
