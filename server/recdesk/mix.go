package recdesk

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/server/recdesk/mix"
	"squelch/server/recordings"
	"squelch/server/reply"
)

// mix serves what was said on a channel as one file.
func (d *Desk) mix(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	p := paramsOf(r)
	q := d.span(p)
	p.bounded(q, maxMixSpan)
	pauses := p.Get("pauses")
	switch {
	case len(q.Frequencies) == 0:
		p.fail(invalid("frequency", "frequency is missing: name the channel"))
	case len(q.Frequencies) > 1:
		p.fail(invalid("frequency", "frequency must name one channel; a file has one"))
	case pauses != "" && pauses != "keep" && pauses != "short":
		p.fail(invalid("pauses", "pauses must be short or keep, not "+strconv.Quote(reply.Short(pauses))))
	}
	if p.err != nil {
		return p.err
	}
	leave, err := d.mixes.Take(r.Context(), 0, errMixing)
	if err != nil {
		return err
	}
	defer leave()
	q.To = min(q.To, d.o.Now().UnixMilli())
	sources, skipped, err := d.sources(q)
	if err != nil {
		return err
	}
	if len(sources) == 0 && skipped == 0 && pauses != "keep" {
		return missing("from", "Nothing was recorded on this channel in that time")
	}
	who := askerOf(r, by)
	channel := q.Frequencies[0]
	defer d.note(who, "recording.mix", channel.String(), "", map[string]any{"from": q.From, "to": q.To, "pauses": pauses, "recordings": len(sources)})()
	name := joined(moment(q.From), channel.String(), d.names()[channel], "mix") + ".ogg"
	h := w.Header()
	reply.Private(h, wire.OggOpus)
	h.Set("Content-Disposition", disposition("inline", name))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	span := mix.Span{From: q.From, To: q.To, Keep: pauses == "keep", Tags: ogg.Tags{Vendor: "squelch", Comments: []string{
		"TITLE=" + channel.String() + " " + d.names()[channel], "DATE=" + time.UnixMilli(q.From).UTC().Format(time.RFC3339)}}}
	if skipped > 0 {
		span.Tags.Comments = append(span.Tags.Comments, "COMMENT="+strconv.Itoa(skipped)+" recordings of older clients are left out: WebM")
	}
	out := d.steady(w)
	if _, err := mix.Write(r.Context(), prompt{out}, sources, span); err != nil {
		d.broken(r, "a listening file", err)
	}
	return nil
}

// sources are the recordings of a mix, and how many have no Opus to mix.
func (d *Desk) sources(q recordings.Query) (all []mix.Source, skipped int, err error) {
	var voice int64
	q.Limit = recordings.MaxLimit
	for {
		page, next := d.o.Shelf.List(q)
		for i := range page {
			e := &page[i]
			if e.Format != recordings.Ogg {
				skipped++
				continue
			}
			id := e.ID
			all = append(all, mix.Source{Start: e.Start, Open: func() (io.ReadCloser, error) { return d.o.Shelf.Open(id, recordings.Ogg) }})
			if voice += e.VoiceMs; voice > maxMixVoice.Milliseconds() || len(all) > maxMixFiles {
				return nil, 0, invalid("to", fmt.Sprintf("There is more voice than one file may have: at most %s, and %d recordings; ask for a shorter time", hours(maxMixVoice), maxMixFiles))
			}
		}
		if next == "" {
			return all, skipped, nil
		}
		q.Before = next
	}
}

// broken ends an answer that has begun: its reader must not take a part for the whole.
func (d *Desk) broken(r *http.Request, what string, err error) {
	if r.Context().Err() == nil {
		d.o.Logf("recordings: %s was broken off: %v", what, err)
	}
	panic(http.ErrAbortHandler) // net/http closes the connection and stays silent
}

// prompt sends each page of sound at once: somebody listens.
type prompt struct{ w http.ResponseWriter }

func (p prompt) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if err == nil {
		err = http.NewResponseController(p.w).Flush()
	}
	return n, err
}
