package recdesk

import (
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// state answers with how the recorder is.
func (d *Desk) state(w http.ResponseWriter, _ *http.Request, _ core.Actor) error {
	s := wire.RecorderState{On: d.o.On, Channels: []string{}, FreeBytes: -1, Days: d.o.Days, Transcripts: d.o.Transcripts()}
	if d.o.On {
		s.Problem = d.o.Problem()
		for _, c := range d.o.Channels() {
			if c.Recorded {
				s.Channels = append(s.Channels, c.Frequency.String())
			}
		}
	}
	if d.o.Shelf != nil {
		has := d.o.Shelf.State()
		s.Recordings, s.Bytes, s.QuotaBytes, s.FreeBytes = has.Recordings, has.Bytes, has.Quota, has.FreeBytes
		if has.Oldest != 0 {
			s.Oldest = &has.Oldest
		}
		if s.Problem == "" {
			s.Problem = has.Problem
		}
	}
	reply.JSON(w, http.StatusOK, s)
	return nil
}
