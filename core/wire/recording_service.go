//go:build !wasm

package wire

import (
	"slices"

	"squelch/core"
)

// Limits of recordings on the wire.
const (
	// MaxRecordingPage is the most recordings in one reply.
	MaxRecordingPage = 500
	// MaxRecordingIDs is the most ids in one request.
	MaxRecordingIDs = 1000
	// OggOpus is the media type of a recording (RFC 7845 section 9, RFC 6381).
	OggOpus = "audio/ogg; codecs=opus"
	// WebM is the media type of what old clients have recorded.
	WebM = "audio/webm"
	// RawIMBE is the media type of the frames of digital voice: no type is registered.
	RawIMBE = "application/octet-stream"
)

// Shapes of recordings.
type (
	// RecordingInfo is what there is of a transmission's voice, beside its entry in the
	// timeline.
	RecordingInfo struct {
		Format     string `json:"format"` // ogg, webm
		IMBE       bool   `json:"imbe"`   // the frames of digital voice are kept too
		Bytes      int64  `json:"bytes"`
		DurationMs int64  `json:"durationMs"` // of the voice, its gaps among it
		Packets    int    `json:"packets"`
		Lost       int    `json:"lost"`  // packets that were missing, or that the recorder had to drop
		Peaks      []int  `json:"peaks"` // loudest moment of each part, 0-255, at most 96 parts; empty: not made yet
		Cut        bool   `json:"cut"`   // the service ended in the middle of it
	}
	// Recording is one transmission that was recorded. Its id is that of the transmission;
	// its files are /api/recordings/<id>.ogg and so on.
	Recording struct {
		ID               string        `json:"id"`
		ServerID         core.UserID   `json:"serverId"`
		Name             string        `json:"name"` // of the talker then, and its unit
		UnitID           *string       `json:"unitId"`
		Frequency        string        `json:"frequency"`                  // what was keyed
		ControlFrequency string        `json:"controlFrequency,omitempty"` // of a working frequency, its talkgroup
		PatchID          string        `json:"patchId,omitempty"`          // the patch that the channel was in
		Label            string        `json:"label"`                      // the channel's name now; "": it is gone
		Encoding         string        `json:"encoding"`                   // opus, imbe
		StartedAt        int64         `json:"startedAt"`                  // ms since the epoch
		EndedAt          *int64        `json:"endedAt"`                    // null: it is on the air
		Recording        RecordingInfo `json:"recording"`
		Transcript       string        `json:"transcript,omitempty"`
	}
	// RecordingPage is a part of the list, the newest first. Next is before of the next
	// page; null: there is none.
	RecordingPage struct {
		Recordings []Recording `json:"recordings"`
		Next       *string     `json:"next"`
	}
	// RecordingsDelete says which recordings to delete: those that meet all conditions
	// which are there. At least one has to be there. Names are compared whole and without
	// regard to case.
	RecordingsDelete struct {
		UnitID   Text     `json:"unitId,omitempty"`
		Name     Text     `json:"name,omitempty"`
		ServerID ID       `json:"serverId,omitzero"`
		IDs      []string `json:"ids,omitempty"`
		From     *int64   `json:"from,omitempty"`    // on the air at this moment or later, ms since the epoch
		To       *int64   `json:"to,omitempty"`      // began before this moment
		Preview  bool     `json:"preview,omitempty"` // only say how many there are: nothing is deleted
	}
	RecordingsDeleted struct {
		Success bool  `json:"success"`
		Deleted int   `json:"deleted"` // recordings
		Bytes   int64 `json:"bytes"`
	}
	// RecorderState is how the recorder is.
	RecorderState struct {
		On         bool     `json:"on"`         // the configuration switches it on
		Channels   []string `json:"channels"`   // frequencies that are recorded
		Recordings int      `json:"recordings"` // on the shelf
		Bytes      int64    `json:"bytes"`
		QuotaBytes int64    `json:"quotaBytes"` // what they may take together; 0: no limit
		FreeBytes  int64    `json:"freeBytes"`  // of the disk; -1: unknown
		Oldest     *int64   `json:"oldest"`     // when the oldest one began, ms since the epoch; null: there is none
		Days       int      `json:"days"`       // how long recordings are kept
		Problem    string   `json:"problem"`    // why nothing is recorded just now; "": all is well
		// Transcripts is what became of recordings since the start; null: nothing makes text of
		// them.
		Transcripts *TranscriberState `json:"transcripts"`
	}
	TranscriberState struct {
		Waiting int `json:"waiting"` // those that are being turned into text among them
		Done    int `json:"done"`
		Silent  int `json:"silent"` // the engine heard nothing
		Failed  int `json:"failed"` // given up, also because too many waited
	}
)

// Check refuses a request without any condition, one with too many ids, and a condition
// that means nothing.
func (d *RecordingsDelete) Check() error {
	invalid := func(field, message string) error {
		return &core.Error{Kind: core.Invalid, Field: field, Message: message}
	}
	switch {
	case d.UnitID == "" && d.Name == "" && !d.ServerID.Given && len(d.IDs) == 0 && d.From == nil && d.To == nil:
		return invalid("", "A condition is missing: name at least one of unitId, name, serverId, ids, from, to")
	case len(d.IDs) > MaxRecordingIDs:
		return invalid("ids", "ids must have at most "+itoa(MaxRecordingIDs)+" entries, not "+itoa(len(d.IDs)))
	case d.ServerID.Given && d.ServerID.User == 0:
		return invalid("serverId", "serverId must not be 0")
	case d.From != nil && *d.From < 0:
		return invalid("from", "from must not be negative")
	case d.To != nil && *d.To <= 0:
		return invalid("to", "to must be positive")
	case d.From != nil && d.To != nil && *d.From > *d.To:
		return invalid("to", "to must not be before from")
	}
	return nil
}

// spanQuery are the parameters that choose recordings.
var spanQuery = []Parameter{
	{"from", "integer", "only what was on the air at this moment or later, ms since the epoch"},
	{"to", "integer", "only what began before this moment, ms since the epoch"},
	{"frequency", "string", "only these channels, separated by commas; a talkgroup stands for its working frequencies"},
	{"unit", "string", "only of units whose id, name or server id has this text"},
}

// recordingRoute is a route that reads recordings.
func recordingRoute(path string, reply any, doc string, query ...Parameter) Route {
	return Route{Method: get, Path: "/api/recordings" + path, Auth: Session, Scope: ScopeRecordings, Query: query, Reply: reply, Status: 200,
		Errors: []int{400, 401, 403, 404, 429}, Extension: true, Doc: doc}
}

// recordingRoutes are the routes of recordings. All are refused with 404 while the
// recorder is off and there are no recordings of earlier.
var recordingRoutes = []Route{
	recordingRoute("", RecordingPage{}, "Recorded transmissions, the newest first", slices.Concat(spanQuery, []Parameter{
		{"text", "string", "only those with all of these words: in names, units, channels, transcripts"},
		{"before", "string", "next of the previous page"},
		{"limit", "integer", "how many at most, 1-" + itoa(MaxRecordingPage) + "; default 100"},
	})...),
	recordingRoute("/mix", nil, "What was said on a channel as one listening file, made while it is sent", []Parameter{
		{"frequency", "string", "the channel"},
		{"from", "integer", "where the file begins, ms since the epoch"},
		{"to", "integer", "where it ends, ms since the epoch"},
		{"unit", "string", "only units whose id, name or server id has this text"},
		{"pauses", "string", "short, the default: pauses last 1 s at most; keep: as they were"},
	}...),
	recordingRoute("/export", nil, "An incident as a zip: voice, timeline, and a file that explains them", spanQuery...),
	recordingRoute("/{file}", nil, "A recording: id.ogg, id.webm, id.imbe, or id.json for what is known of it"),
	recordingsDelete("/api/recordings/delete", Master, ScopeRecordings),
}

func recordingsDelete(path string, auth Auth, scope Scope) Route {
	return Route{Method: post, Path: path, Auth: auth, Scope: scope, Body: RecordingsDelete{}, Reply: RecordingsDeleted{}, Status: 200,
		Errors: []int{400, 401, 403, 404, 413, 429, 503}, Extension: true, Doc: "Delete recordings, such as all of a unit's"}
}
