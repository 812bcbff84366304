//go:build !wasm

package wire

import "squelch/core"

type (
	// TimelineEntry is an entry of the timeline: something that was said or done. What its
	// fields mean for each kind, core.Moment says.
	TimelineEntry struct {
		Seq              uint64         `json:"seq"` // its number, from 1; later entries have higher ones
		ID               string         `json:"id"`  // stable; of a transmission, that of the log of transmissions and of its recording
		Kind             string         `json:"kind"`
		At               int64          `json:"at"`                   // ms since the epoch; of a transmission, its key-up
		EndedAt          int64          `json:"endedAt,omitempty"`    // of a transmission, ms since the epoch
		DurationMs       int64          `json:"durationMs,omitempty"` // of a transmission
		Cut              bool           `json:"cut,omitempty"`        // nobody knows when the transmission ended: the service was killed. It lasted at least until endedAt
		ServerID         core.UserID    `json:"serverId,omitempty"`   // whom it is about; its name then, and its unit
		Name             string         `json:"name,omitempty"`
		UnitID           string         `json:"unitId,omitempty"`
		Frequency        string         `json:"frequency,omitempty"`
		ControlFrequency string         `json:"controlFrequency,omitempty"` // of a working frequency, its talkgroup
		PatchID          string         `json:"patchId,omitempty"`
		Encoding         string         `json:"encoding,omitempty"` // of a transmission: opus, imbe
		By               core.UserID    `json:"by,omitempty"`       // who did it; left out: no user of the radio
		ByName           string         `json:"byName,omitempty"`
		Detail           string         `json:"detail,omitempty"`
		Reason           string         `json:"reason,omitempty"`
		Frequencies      []string       `json:"frequencies,omitempty"` // of a patch, its channels; of a move, where the unit was
		EmergencyID      string         `json:"emergencyId,omitempty"`
		Recording        *RecordingInfo `json:"recording,omitempty"`
		Transcript       string         `json:"transcript,omitempty"`
	}
	// TimelinePage is a part of the timeline.
	TimelinePage struct {
		Entries []TimelineEntry `json:"entries"` // the newest first
		Next    *uint64         `json:"next"`    // before of the next page; null: that is all
		From    int64           `json:"from"`    // up to when, ms since the epoch, was searched
	}
)

// TimelineEntryOf is a moment as entry seq.
func TimelineEntryOf(seq uint64, m core.Moment, cut bool) TimelineEntry {
	e := TimelineEntry{Seq: seq, ID: m.ID(), Kind: m.Kind, At: m.At, EndedAt: m.EndedAt, Cut: cut, ServerID: m.User, Name: m.Name, UnitID: m.Unit,
		Frequency: m.Frequency.String(), ControlFrequency: m.Control.String(), By: m.By, ByName: m.ByName, Detail: m.Detail, Reason: m.Reason,
		EmergencyID: m.Emergency}
	if m.Kind == core.MomentTransmission {
		if e.Encoding = "opus"; m.Digital {
			e.Encoding = "imbe"
		}
		e.DurationMs = m.EndedAt - m.At
	}
	if m.Patch != 0 {
		e.PatchID = core.PatchID(m.Patch)
	}
	if len(m.Frequencies) > 0 {
		e.Frequencies = Spell(m.Frequencies)
	}
	return e
}

// Limits of a page of the timeline.
const (
	MaxTimelinePage     = 500 // entries
	DefaultTimelinePage = 100
)

// timelineRoutes are the routes of the timeline.
var timelineRoutes = []Route{
	{Method: get, Path: "/api/timeline", Auth: Session, Scope: ScopeRead, Reply: TimelinePage{}, Status: 200, Errors: []int{400, 401, 403, 429}, Extension: true,
		Query: []Parameter{
			{"before", "integer", "next of the previous page; without it the page is the newest"},
			{"limit", "integer", "the most entries of the page, 1-" + itoa(MaxTimelinePage) + "; default " + itoa(DefaultTimelinePage)},
			{"from", "integer", "nothing that ended before, ms since the epoch"},
			{"to", "integer", "nothing that began after, ms since the epoch"},
			{"kind", "string", "only these kinds, with commas between them"},
			{"frequency", "string", "only this channel: what was said or done on it, its talkgroup, a patch of it"},
			{"unit", "string", "a part of a unit's server id, unit id, name or callsign, or of who did it"},
			{"text", "string", "words that all occur in an entry: names, units, details, transcripts"},
		},
		Doc: "What was said and done, the newest first; an API key sees recordings and transcripts only with the scope recordings"},
}
