package radio

import (
	"context"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/timeline"
	"squelch/server/webhook"
)

// openWebhooks begins to tell receivers what is entered on the timeline. What their
// receivers do costs nothing else: each webhook waits on goroutines of its own, and reads
// the timeline as anybody does.
func (r *Radio) openWebhooks() (err error) {
	r.webhooks, err = webhook.New(webhook.Options{Hooks: r.config.Server.Webhooks, Radio: r.config.Core.ServerName, Timeline: told{r.timeline},
		Places: r.store.Webhooks, Letters: r.store.DeadLetters, Storage: r.keeper.Err, Config: r.inForce.Load, Kept: r.kept, Owner: r.member.owner(), Logf: r.warnf})
	if err != nil {
		return err
	}
	if r.member == nil {
		r.webhooks.Start()
	}
	return nil
}

// kept says whether a transmission's recording is on the shelf.
func (r *Radio) kept(id string) bool {
	if r.shelf == nil {
		return false
	}
	_, found := r.shelf.Get(id)
	return found
}

// tellTranscript tells webhooks of the text of a recording, which is on the shelf.
func (r *Radio) tellTranscript(id, text string) {
	e, found := r.shelf.Get(id)
	if !found { // it was removed meanwhile
		return
	}
	said := wire.TimelineEntryOf(0, core.Moment{Kind: core.MomentTransmission, Number: e.Number, At: e.Start, EndedAt: e.End, User: e.User, Name: e.Name, Unit: e.Unit,
		Frequency: e.Frequency, Control: e.Control, Patch: e.Patch, Digital: e.Digital}, e.Cut)
	said.Transcript = text
	r.webhooks.Transcribed(said)
}

// told is the timeline as webhooks read it.
type told struct{ *timeline.Timeline }

func (t told) Read(ctx context.Context, after uint64, limit int) ([]wire.TimelineEntry, error) {
	entries, err := t.Timeline.Read(ctx, after, limit)
	out := make([]wire.TimelineEntry, len(entries))
	for i, e := range entries {
		out[i] = wire.TimelineEntryOf(e.Seq, e.Moment, e.Cut)
	}
	return out, err
}
