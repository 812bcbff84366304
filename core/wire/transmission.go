package wire

import "squelch/core"

type (
	// TransmissionEntry is an entry of the transmission log: one talk, whatever number of
	// channels heard it.
	TransmissionEntry struct {
		ID               string      `json:"id"`
		ServerID         core.UserID `json:"serverId"`
		Name             string      `json:"name"` // of the talker then, and its unit
		UnitID           *string     `json:"unitId"`
		Frequency        string      `json:"frequency"`                  // what was keyed
		ControlFrequency string      `json:"controlFrequency,omitempty"` // of a working frequency, its talkgroup
		PatchID          string      `json:"patchId,omitempty"`          // the patch that the channel was in
		Encoding         string      `json:"encoding"`                   // opus, imbe
		StartedAt        int64       `json:"startedAt"`                  // ms since the epoch
		EndedAt          *int64      `json:"endedAt"`                    // null: it is on the air
		DurationMs       int64       `json:"durationMs"`                 // 0 as long as it is on the air
	}
	// Transmissions are the last 50, the newest first.
	Transmissions struct {
		Transmissions []TransmissionEntry `json:"transmissions"`
	}
)

func transmissionsOf(all []core.Transmission) []TransmissionEntry {
	out := []TransmissionEntry{}
	for _, t := range all {
		e := TransmissionEntry{ID: t.ID(), ServerID: t.User, Name: t.Name, UnitID: orNull(t.Unit), Frequency: t.Frequency.String(),
			ControlFrequency: t.Control.String(), Encoding: "opus", StartedAt: t.StartedAt, EndedAt: momentOf(t.EndedAt)}
		if t.Patch != 0 {
			e.PatchID = core.PatchID(t.Patch)
		}
		if t.Digital {
			e.Encoding = "imbe"
		}
		if t.EndedAt > 0 {
			e.DurationMs = t.EndedAt - t.StartedAt
		}
		out = append(out, e)
	}
	return out
}
