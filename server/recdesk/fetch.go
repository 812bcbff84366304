package recdesk

import (
	"context"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/recordings"
	"squelch/server/reply"
)

// mediaTypes are those of the files of a recording.
var mediaTypes = map[string]string{recordings.Ogg: wire.OggOpus, recordings.WebM: wire.WebM, recordings.IMBE: wire.RawIMBE}

// fetch serves a recording's file, or what is known of it.
func (d *Desk) fetch(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	file := path.Base(r.URL.Path)
	id, kind, _ := strings.Cut(file, ".")
	_, plays := mediaTypes[kind]
	if !isID(id) {
		return missing("", "There is no such recording: "+reply.Short(file)+" is not an id such as tx-7-1700000000000 with .ogg, .webm, .imbe or .json")
	}
	if !plays && kind != "json" {
		return missing("", "There is no such file of a recording: its name ends in .ogg, .webm, .imbe or .json, not in "+strconv.Quote(reply.Short(kind)))
	}
	e, known := d.o.Shelf.Get(id)
	if !known {
		return missing("", "There is no such recording")
	}
	if kind == "json" {
		return d.known(w, r, by, &e)
	}
	leave, err := d.readers.Take(r.Context(), 0, errBusy)
	if err != nil {
		return err
	}
	defer leave()
	voice, err := d.o.Shelf.Open(id, kind)
	if err != nil {
		if err = refused(err); len(kindsOf(&e)) > 0 && e.Format != kind {
			err = missing("", "This recording has no ."+kind+"; it has ."+strings.Join(kindsOf(&e), " and ."))
		}
		return err
	}
	defer func() { _ = voice.Close() }() // it was only read
	defer d.noteFetch(r, by, &e, kind)()
	h := w.Header()
	reply.Private(h, mediaTypes[kind])
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+id+"-"+strconv.FormatInt(voice.Size(), 10)+`"`)
	h.Set("Content-Disposition", disposition("inline", nameOfFile(&e, d.names(), kind)))
	modified := voice.Modified
	if voice.Entry.End == 0 { // it grows faster than HTTP counts seconds
		modified = time.Time{}
	}
	http.ServeContent(d.steady(w), r, "", modified, voice)
	return nil
}

// noteFetch audits a fetch. A Range that goes on with one is none of its own.
func (d *Desk) noteFetch(r *http.Request, by core.Actor, e *recordings.Entry, kind string) (wait func()) {
	who := askerOf(r, by)
	if !d.noted.due(request{who, "fetch " + e.ID}, d.o.Now(), goesOn(r.Header.Get("Range"))) {
		return func() {}
	}
	return d.note(who, "recording.fetch", e.Frequency.String(), e.ID, map[string]any{"name": e.Name, "unit": e.Unit, "file": kind})
}

// goesOn says whether a Range begins behind the beginning.
func goesOn(header string) bool {
	from, _, _ := strings.Cut(strings.TrimPrefix(header, "bytes="), "-")
	n, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	return err == nil && n > 0
}

// known answers with what is known of a recording, its waveform too.
func (d *Desk) known(w http.ResponseWriter, r *http.Request, by core.Actor, e *recordings.Entry) error {
	defer d.noteFetch(r, by, e, "json")()
	if len(e.Peaks) == 0 && e.End != 0 && d.o.Peaks != nil {
		ctx, cancel := context.WithTimeout(r.Context(), peaksTime)
		defer cancel()
		if peaks, err := d.o.Peaks(ctx, e.ID); err == nil { // else the rest of it will do
			e.Peaks = peaks
		}
	}
	reply.JSON(w, http.StatusOK, recordingOf(e, d.names()))
	return nil
}

// steady gives its reader more time as long as something is read. A reader that takes
// nothing is left, and so is one that takes for ever.
type steady struct {
	http.ResponseWriter
	patience time.Duration
	until    time.Time // for ever
	moved    time.Time // when there was last more time
}

func (d *Desk) steady(w http.ResponseWriter) *steady {
	s := &steady{ResponseWriter: w, patience: d.patience, until: time.Now().Add(longest)}
	s.extend()
	return s
}

// Unwrap lets http.ResponseController reach the connection.
func (s *steady) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// steadyChunk is how much is written with one look at the clock, in bytes.
const steadyChunk = 64 << 10

func (s *steady) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		s.extend()
		part := 0
		part, err = s.ResponseWriter.Write(b[:min(len(b), steadyChunk)])
		n, b = n+part, b[part:]
	}
	return n, err
}

func (s *steady) extend() {
	now := time.Now()
	if now.Sub(s.moved) < s.patience/20 {
		return
	}
	s.moved = now
	until := now.Add(s.patience)
	if until.After(s.until) {
		until = s.until
	}
	c := http.NewResponseController(s.ResponseWriter)
	// Where a deadline cannot be moved, the server's own applies. That of reading ends the
	// request too.
	_, _ = c.SetWriteDeadline(until), c.SetReadDeadline(until)
}
