package radio

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/recdesk"
	"squelch/server/recorder"
	"squelch/server/recordings"
	"squelch/sfu"
)

// recordingFolder is where recordings are, in the radio's folder, unless the configuration
// names another one.
const recordingFolder = "recordings"

// The disk of recordings may be another one than the radio's, and hang at the end. shelfWait
// is how long the end waits for it: longer than the recorder does by itself. lastWords is
// how long what else is stored waits, because the recorder and transcripts may still have
// something to say on the timeline and to webhooks. Both are of this project.
const (
	shelfWait = 12 * time.Second
	lastWords = 2 * time.Second
)

// openRecordings opens the shelf, before the timeline: it knows how long a transmission was
// that a kill cut off. While the recorder is off there is a shelf only if there are
// recordings of earlier. A disk that does not work leaves the radio without recordings
// until the next start; a folder that somebody else uses is a mistake.
func (r *Radio) openRecordings() error {
	r.inForce.Store(&r.config.Core)
	c := &r.config.Server.Recording
	folder := cmp.Or(c.Folder, filepath.Join(r.folder, recordingFolder))
	if !c.On {
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	shelf, err := recordings.Open(folder, recordings.Options{Quota: r.config.Server.Limits.RecordingBytes, KeepFree: c.FreeBytes,
		Limits: r.recordingLimits, Label: r.label, Logf: r.warnf})
	switch {
	case errors.Is(err, recordings.ErrLocked) || errors.Is(err, recordings.ErrForeign):
		return fmt.Errorf("recording.folder: %w", err)
	case err != nil:
		r.noShelf = err.Error()
		if disk, ok := errors.AsType[*recordings.DiskError](err); ok {
			r.noShelf = disk.Reason
		}
		r.log.Warn("there are no recordings until the next start", "error", err)
		return nil
	}
	r.shelf = shelf
	return nil
}

// record starts the recorder if the configuration switches it on; failed: the timeline
// says that it does not work.
func (r *Radio) record(state *core.State, failed bool) {
	r.inForce.Store(state.View().Config())
	if r.shelf == nil {
		return
	}
	r.shelving.Go(func() { r.shelf.Watch(r.quit) })
	if c := &r.config.Server.Recording; c.On {
		r.recorder = recorder.Start(recorder.Options{Shelf: r.shelf, Recorded: c.Recorded, Problem: r.tellRecorder,
			Failed: failed, Finished: r.transcribe, Logf: r.warnf}, state.View().Config())
	}
}

// closeRecordings ends what uses the shelf, then the shelf. The channel is closed when that
// is done: never, if the disk hangs.
func (r *Radio) closeRecordings() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.recorder != nil {
			r.recorder.Close()
		}
		if r.transcriber != nil {
			r.transcriber.Close()
		}
		r.shelving.Wait()
		if r.shelf != nil {
			if err := r.shelf.Close(); err != nil {
				r.log.Warn("recordings", "error", err)
			}
		}
	}()
	return done
}

// recordingLimits are those of one channel's recordings; the working frequencies of a
// talkgroup have those of its base.
func (r *Radio) recordingLimits(f core.Frequency) recordings.Limits {
	c := &r.config.Server.Recording
	days, bytes := c.Days, c.ChannelBytes
	own, is := c.Retention[f]
	if ch := r.channel(f); !is && ch != nil {
		own, is = c.Retention[ch.Frequency]
	}
	if is {
		days, bytes = own.Days, own.Bytes
	}
	return recordings.Limits{Age: time.Duration(days) * 24 * time.Hour, Bytes: bytes}
}

// watchConfig keeps the configuration in force at hand.
func (r *Radio) watchConfig() engine.Follower {
	return &engine.Queue[struct{}]{Name: "configuration", Most: 1, Prepare: func(s *engine.Step) (struct{}, bool) {
		r.inForce.Store(s.View.Config())
		return struct{}{}, false
	}}
}

// channels are those of the radio now.
func (r *Radio) channels() (all []recdesk.Channel) {
	for _, z := range r.inForce.Load().Zones {
		for _, c := range z.Channels {
			all = append(all, recdesk.Channel{Frequency: c.Frequency, Name: c.Name, Recorded: r.recorder != nil && r.recorder.Recorded(c.Frequency)})
		}
	}
	return all
}

// channel is the channel of a frequency, or the talkgroup of a working frequency; nil: the
// radio has none any more.
func (r *Radio) channel(f core.Frequency) (found *core.Channel) {
	for _, z := range r.inForce.Load().Zones {
		for i := range z.Channels {
			c := &z.Channels[i]
			if c.Frequency == f {
				return c
			}
			if c.Low != 0 && c.Low <= f && f <= c.High {
				found = c
			}
		}
	}
	return found
}

// label is the name of a channel; "": there is none.
func (r *Radio) label(f core.Frequency) string {
	if c := r.channel(f); c != nil {
		return c.Name
	}
	return ""
}

// recorded says whether what is said on a channel is recorded now: not while the recorder
// has stopped.
func (r *Radio) recorded(f core.Frequency) bool {
	return r.recorder != nil && r.recorder.Recorded(f) && r.recorder.Problem() == ""
}

// recordingDesk serves the recordings.
func (r *Radio) recordingDesk() *recdesk.Desk {
	c := &r.config.Server.Recording
	o := recdesk.Options{On: c.On, Days: c.Days, Channels: r.channels, Timeline: r.timeline, Audit: r.auditor(), Logf: r.warnf,
		Transcripts: r.transcripts, Problem: func() string { return r.noShelf }}
	if r.shelf != nil {
		o.Shelf = r.shelf
	}
	if r.recorder != nil {
		o.Problem, o.Peaks = r.recorder.Problem, r.recorder.Peaks
	}
	return recdesk.New(o)
}

// recordingOf is what there is of a transmission's voice, and its transcript.
func (r *Radio) recordingOf(id string) (*wire.RecordingInfo, string) {
	if r.shelf == nil {
		return nil, ""
	}
	e, ok := r.shelf.Get(id)
	if !ok {
		return nil, ""
	}
	info := recdesk.InfoOf(&e)
	return &info, e.Text
}

// tellRecorder tells everybody whom it concerns why nothing is recorded; "": it is again.
// The recorder starts before those who are told: it waits for them.
func (r *Radio) tellRecorder(reason string) {
	select {
	case <-r.onAir:
	case <-r.quit:
		select {
		case <-r.onAir:
		default:
			return // the start has failed
		}
	}
	r.timeline.Note("recorder", reason)
	for _, m := range wire.RecorderNotice(reason, time.Now().UnixMilli()) {
		r.announce(m)
	}
}

// tapes is the recorder as the media plane sees it; nil: it is off.
func (r *Radio) tapes() sfu.Recorder {
	if r.recorder == nil {
		return nil
	}
	return r.recorder
}
