package admin

import (
	"context"
	"net/http"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/reply"
)

func (h *Handler) config(w http.ResponseWriter, r *http.Request) error {
	out, err := h.o.Editor.Show(r.Context(), h.o.Engine)
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// edit replaces the parts that are in the body.
func (h *Handler) edit(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r, maxBody)
	if err != nil {
		return err
	}
	var in wire.AdminEdit
	if err := wire.DecodeEdit(b, &in); err != nil {
		return err
	}
	var given []string
	return h.change(w, r, Change{
		Revision: in.Revision,
		Make: func(o config.Overlay) (config.Overlay, error) {
			fresh, err := over(config.Overlay{}, in.Config)
			if err != nil {
				return o, err
			}
			if given = fresh.Parts(); len(given) == 0 {
				return o, invalid("config", "must have at least one part")
			}
			return over(o, in.Config)
		},
		Approve: func(revision string, changes []Difference, more int) error {
			return h.note(r, "admin.config.edit", editDetail(given, revision, changes, more))
		},
	})
}

// reset sets parts back to the file.
func (h *Handler) reset(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return err
	}
	var in wire.AdminReset
	if err := wire.DecodeEdit(b, &in); err != nil {
		return err
	}
	parts := in.Parts
	if len(parts) == 0 {
		parts = partNames
	}
	return h.change(w, r, Change{
		Revision: in.Revision,
		Make:     func(o config.Overlay) (config.Overlay, error) { return without(o, parts) },
		Approve: func(revision string, changes []Difference, more int) error {
			return h.note(r, "admin.config.reset", editDetail(parts, revision, changes, more))
		},
	})
}

// editDetail is what the audit log keeps of an edit.
func editDetail(parts []string, revision string, changes []Difference, more int) map[string]any {
	detail := map[string]any{"parts": parts, "revision": revision, "changes": changes}
	if more > 0 {
		detail["moreChanges"] = more
	}
	return detail
}

// change completes an edit even if its author goes away.
func (h *Handler) change(w http.ResponseWriter, r *http.Request, c Change) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	defer cancel()
	out, err := h.o.Editor.Apply(ctx, h.o.Engine, c)
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}
