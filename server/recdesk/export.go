package recdesk

import (
	"archive/zip"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/recordings"
	"squelch/server/reply"
	"squelch/server/timeline"
)

// exported is a recording of an incident, as recordings.json has it.
type exported struct {
	wire.Recording
	Files   []string `json:"files"`             // in the zip
	Problem string   `json:"problem,omitempty"` // why a file is not in it
}

// incident is what an export has in it.
type incident struct {
	q       recordings.Query
	entries []recordings.Entry   // the oldest first
	past    []wire.TimelineEntry // the oldest first
	names   map[core.Frequency]string
	made    time.Time
}

// export serves an incident as a zip, which is made while it is sent.
func (d *Desk) export(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	p := paramsOf(r)
	q := d.span(p)
	p.bounded(q, maxExportSpan)
	if p.err != nil {
		return p.err
	}
	leave, err := d.exports.Take(r.Context(), 0, errExport)
	if err != nil {
		return err
	}
	defer leave()
	in, err := d.gather(r.Context(), q)
	if err != nil {
		return err
	}
	defer d.note(askerOf(r, by), "recording.export", only(q.Frequencies), "", map[string]any{"from": q.From, "to": q.To, "unit": q.Unit,
		"frequencies": wire.Spell(q.Frequencies), "recordings": len(in.entries)})()
	h := w.Header()
	reply.Private(h, "application/zip")
	h.Set("Content-Disposition", disposition("attachment", joined("incident", moment(q.From), only(q.Frequencies), q.Unit)+".zip"))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := zip.NewWriter(d.steady(w))
	if err := d.pack(r.Context(), out, in); err != nil {
		d.broken(r, "an export", err)
	}
	return nil
}

// gather lists what belongs to an incident. What is too much is refused here, before
// anything is sent.
func (d *Desk) gather(ctx context.Context, q recordings.Query) (*incident, error) {
	in := &incident{q: q, names: d.names(), made: d.o.Now().UTC()}
	var bytes int64
	list := q
	list.Limit = recordings.MaxLimit
	for {
		page, next := d.o.Shelf.List(list)
		in.entries = append(in.entries, page...)
		for _, e := range page {
			bytes += e.Bytes + e.IMBEBytes
		}
		switch {
		case len(in.entries) > maxExportFiles:
			return nil, invalid("to", fmt.Sprintf("The incident has more than %d recordings; export a shorter time or fewer channels", maxExportFiles))
		case bytes > maxExportBytes:
			return nil, invalid("to", fmt.Sprintf("The incident has more than %d MB of voice; export a shorter time or fewer channels", maxExportBytes>>20))
		}
		if next == "" {
			break
		}
		list.Before = next
	}
	slices.Reverse(in.entries)
	if d.o.Timeline == nil {
		return in, nil
	}
	if err := d.past(ctx, in); err != nil {
		return nil, err
	}
	slices.SortFunc(in.past, func(a, b wire.TimelineEntry) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq)) })
	return in, nil
}

// ofIncidents are the kinds of entries that an incident has. It may go to outsiders: who
// signed in to the service, and who failed to, is none of their business.
var ofIncidents = slices.DeleteFunc(slices.Clone(core.MomentKinds), func(kind string) bool {
	return kind == core.MomentLogin || kind == core.MomentLogout || kind == core.MomentLoginRefused
})

// past adds what the timeline has. It looks through it once, whatever channels are asked for.
func (d *Desk) past(ctx context.Context, in *incident) error {
	q := timeline.Query{From: in.q.From, To: in.q.To, Among: in.q.Frequencies, Unit: in.q.Unit, Limit: wire.MaxTimelinePage, Kinds: ofIncidents}
	for range maxPages {
		page, err := d.o.Timeline.Page(ctx, q)
		if err != nil {
			return err
		}
		in.past = append(in.past, page.Entries...)
		if len(in.past) > maxExportEntries {
			return invalid("to", fmt.Sprintf("The incident has more than %d entries of the timeline; export a shorter time or fewer channels", maxExportEntries))
		}
		if page.Next == nil {
			return nil
		}
		q.Before = *page.Next
	}
	return invalid("from", "The time has too many entries of other channels or units to look through; export a shorter one")
}

//go:embed README.txt
var readme string

// pack writes the zip.
func (d *Desk) pack(ctx context.Context, out *zip.Writer, in *incident) error {
	if err := text(out, "README.txt", in.made, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.NewReplacer("{from}", stamp(in.q.From), "{to}", stamp(in.q.To), "{channels}", channelsOf(in), "{unit}", cmp.Or(in.q.Unit, "all"),
			"{recordings}", strconv.Itoa(len(in.entries)), "{entries}", strconv.Itoa(len(in.past)), "\n", "\r\n").Replace(readme))
		return err
	}); err != nil {
		return err
	}
	past := retold(in.past, in.names)
	if err := text(out, "timeline.json", in.made, func(w io.Writer) error { return jsonList(w, "entries", past) }); err != nil {
		return err
	}
	if err := text(out, "timeline.csv", in.made, func(w io.Writer) error { return table(w, past) }); err != nil {
		return err
	}
	var all []exported
	for i := range in.entries {
		x, err := d.packVoice(ctx, out, &in.entries[i], in.names)
		if err != nil {
			return err
		}
		all = append(all, x)
	}
	if err := text(out, "recordings.json", in.made, func(w io.Writer) error { return jsonList(w, "recordings", all) }); err != nil {
		return err
	}
	return out.Close()
}

// text writes a file that is worth packing.
func text(out *zip.Writer, name string, made time.Time, write func(io.Writer) error) error {
	w, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: made})
	if err != nil {
		return err
	}
	return write(w)
}

// packVoice writes the files of a recording. One that was deleted meanwhile is named in
// recordings.json all the same.
func (d *Desk) packVoice(ctx context.Context, out *zip.Writer, e *recordings.Entry, names map[core.Frequency]string) (exported, error) {
	x := exported{Recording: recordingOf(e, names), Files: []string{}}
	for _, kind := range kindsOf(e) {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		voice, err := d.o.Shelf.Open(e.ID, kind)
		if err != nil {
			x.Problem = "." + kind + ": " + refused(err).Error()
			continue
		}
		name := "voice/" + nameOfFile(e, names, kind)
		w, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.UnixMilli(e.Start).UTC()})
		if err == nil {
			_, err = io.Copy(w, voice)
		}
		_ = voice.Close() // it was only read
		if err != nil {
			return x, err
		}
		x.Files = append(x.Files, name)
	}
	return x, nil
}

// jsonList writes {"name": […]}, one entry a line.
func jsonList[T any](w io.Writer, name string, all []T) error {
	if _, err := fmt.Fprintf(w, "{%q: [", name); err != nil {
		return err
	}
	for i := range all {
		data, err := json.Marshal(all[i])
		if err != nil {
			return err
		}
		comma := ","
		if i == 0 {
			comma = ""
		}
		if _, err := fmt.Fprintf(w, "%s\n%s", comma, data); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n]}\n")
	return err
}

func channelsOf(in *incident) string {
	var all []string
	for _, f := range in.q.Frequencies {
		all = append(all, strings.TrimSpace(f.String()+" "+in.names[f]))
	}
	return cmp.Or(strings.Join(all, ", "), "all")
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
