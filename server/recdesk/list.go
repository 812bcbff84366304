package recdesk

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/recordings"
	"squelch/server/reply"
)

func (d *Desk) list(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	p := paramsOf(r)
	q := d.span(p)
	p.page(&q)
	if p.err != nil {
		return p.err
	}
	entries, next, err := d.look(r.Context(), q)
	if err != nil {
		return err
	}
	who, looked := askerOf(r, by), lookedFor(p.Values)
	if d.noted.due(request{who, "list " + looked.Encode()}, d.o.Now(), false) {
		defer d.note(who, "recording.list", only(q.Frequencies), "", detailOf(looked))()
	}
	page := wire.RecordingPage{Recordings: []wire.Recording{}}
	if next != "" {
		page.Next = &next
	}
	names := d.names()
	for i := range entries {
		page.Recordings = append(page.Recordings, recordingOf(&entries[i], names))
	}
	reply.JSON(w, http.StatusOK, page)
	return nil
}

// look gives a page of the recordings, as soon as there is a place to look.
func (d *Desk) look(ctx context.Context, q recordings.Query) (page []recordings.Entry, next string, err error) {
	leave, err := d.looks.Take(ctx, placeWait, errLooks)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	page, next = d.o.Shelf.List(q)
	return page, next, nil
}

// lookedFor is what a caller looks for: one that turns pages looks for the same.
func lookedFor(v url.Values) url.Values {
	looked := url.Values{}
	for _, name := range []string{"from", "to", "frequency", "unit", "text"} {
		if text := strings.Join(v[name], ","); text != "" {
			looked.Set(name, text)
		}
	}
	return looked
}

func detailOf(v url.Values) map[string]any {
	detail := map[string]any{}
	for name := range v {
		detail[name] = v.Get(name)
	}
	return detail
}

// only is the one channel that is asked for; "": there are none or several.
func only(all []core.Frequency) string {
	if len(all) == 1 {
		return all[0].String()
	}
	return ""
}

// names are those of the channels.
func (d *Desk) names() map[core.Frequency]string {
	names := map[core.Frequency]string{}
	for _, c := range d.o.Channels() {
		names[c.Frequency] = c.Name
	}
	return names
}

// nameOf is the name of a recording's channel, or of its talkgroup.
func nameOf(e *recordings.Entry, names map[core.Frequency]string) string {
	if name := names[e.Frequency]; name != "" {
		return name
	}
	return names[e.Control]
}

func recordingOf(e *recordings.Entry, names map[core.Frequency]string) wire.Recording {
	r := wire.Recording{ID: e.ID, ServerID: e.User, Name: e.Name, Frequency: e.Frequency.String(), ControlFrequency: e.Control.String(), Label: nameOf(e, names),
		Encoding: "opus", StartedAt: e.Start, Recording: InfoOf(e), Transcript: e.Text}
	if e.Unit != "" {
		r.UnitID = &e.Unit
	}
	if e.Patch != 0 {
		r.PatchID = core.PatchID(e.Patch)
	}
	if e.Digital {
		r.Encoding = "imbe"
	}
	if e.End != 0 {
		r.EndedAt = &e.End
	}
	return r
}

// InfoOf is what there is of a recording, as the timeline has it too.
func InfoOf(e *recordings.Entry) wire.RecordingInfo {
	peaks := make([]int, len(e.Peaks))
	for i, p := range e.Peaks {
		peaks[i] = int(p)
	}
	return wire.RecordingInfo{Format: e.Format, IMBE: slices.Contains(kindsOf(e), recordings.IMBE), Bytes: e.Bytes, DurationMs: e.VoiceMs,
		Packets: e.Packets, Lost: e.Lost, Peaks: peaks, Cut: e.Cut}
}

// kindsOf are the files that a recording has.
func kindsOf(e *recordings.Entry) []string {
	kinds := []string{e.Format}
	if e.IMBEBytes > 0 && e.Format != recordings.IMBE {
		kinds = append(kinds, recordings.IMBE)
	}
	return kinds
}
