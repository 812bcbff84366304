package recdesk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/recordings"
	"squelch/server/reply"
)

// remove deletes recordings. What it has begun it finishes, also when its caller goes.
func (d *Desk) remove(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	in, err := form(w, r)
	if err != nil {
		return err
	}
	q := recordings.Query{UnitID: string(in.UnitID), Name: string(in.Name), User: in.ServerID.User}
	if in.From != nil {
		q.From = *in.From
	}
	if in.To != nil {
		q.To = *in.To
	}
	if in.Preview {
		return d.preview(w, r, in, q)
	}
	leave, err := d.deletes.Take(r.Context(), placeWait, errDelete)
	if err != nil {
		return err
	}
	defer leave()
	ids := d.meant(in, q)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), deleteTime)
	defer cancel()
	done := wire.RecordingsDeleted{Success: true}
	if done.Deleted, done.Bytes, err = d.o.Shelf.Delete(ctx, ids...); err != nil {
		err = refused(err)
	}
	detail := conditions(in)
	detail["deleted"], detail["bytes"], detail["recordings"] = done.Deleted, done.Bytes, ids[:min(len(ids), maxNotedIDs)]
	if err != nil {
		detail["problem"] = err.Error()
	}
	d.note(askerOf(r, by), "recording.delete", "", string(in.UnitID), detail)()
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, done)
	return nil
}

// preview says what would be deleted.
func (d *Desk) preview(w http.ResponseWriter, r *http.Request, in *wire.RecordingsDelete, q recordings.Query) error {
	leave, err := d.looks.Take(r.Context(), placeWait, errLooks)
	if err != nil {
		return err
	}
	defer leave()
	all := wire.RecordingsDeleted{Success: true}
	for _, id := range d.meant(in, q) {
		if e, there := d.o.Shelf.Get(id); there {
			all.Deleted, all.Bytes = all.Deleted+1, all.Bytes+e.Bytes+e.IMBEBytes
		}
	}
	reply.JSON(w, http.StatusOK, all)
	return nil
}

// form reads and checks the body.
func form(w http.ResponseWriter, r *http.Request) (in *wire.RecordingsDelete, err error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, err
	case err != nil:
		return nil, errShort
	}
	in = &wire.RecordingsDelete{}
	if err := reply.OnlyFields(data, in); err != nil { // a misspelt preview must not delete
		return nil, err
	}
	if err := wire.Decode(data, in); err != nil {
		return nil, err
	}
	return in, in.Check()
}

// meant are the recordings that meet all conditions.
func (d *Desk) meant(in *wire.RecordingsDelete, q recordings.Query) []string {
	if len(in.IDs) == 0 {
		return d.o.Shelf.Match(q)
	}
	others := in.UnitID != "" || in.Name != "" || in.ServerID.Given || in.From != nil || in.To != nil
	met := map[string]bool{}
	if others {
		for _, id := range d.o.Shelf.Match(q) {
			met[id] = true
		}
	}
	var ids []string
	for _, id := range in.IDs {
		if !slices.Contains(ids, id) && (!others || met[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// conditions are those of a deletion, for the audit log.
func conditions(in *wire.RecordingsDelete) map[string]any {
	detail := map[string]any{}
	for name, text := range map[string]wire.Text{"unitId": in.UnitID, "name": in.Name} {
		if text != "" {
			detail[name] = string(text)
		}
	}
	if in.ServerID.Given {
		detail["serverId"] = int(in.ServerID.User)
	}
	for name, at := range map[string]*int64{"from": in.From, "to": in.To} {
		if at != nil {
			detail[name] = *at
		}
	}
	if len(in.IDs) > 0 {
		detail["ids"] = len(in.IDs)
	}
	return detail
}
