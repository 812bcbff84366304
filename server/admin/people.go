package admin

import (
	"context"
	"errors"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// owners returns which login owns which users.
func (h *Handler) owners(r *http.Request) (map[string][]core.UserID, map[core.UserID]string, error) {
	var byOwner map[string][]core.UserID
	byUser := map[core.UserID]string{}
	err := h.o.Engine.View(r.Context(), func(v core.View) { byOwner = v.Owners() })
	for owner, users := range byOwner {
		for _, id := range users {
			byUser[id] = owner
		}
	}
	return byOwner, byUser, err
}

func (h *Handler) sessions(w http.ResponseWriter, r *http.Request) error {
	byOwner, _, err := h.owners(r)
	if err != nil {
		return err
	}
	out := wire.AdminSessionList{Sessions: rows(h.o.Sessions.List())}
	for i, row := range out.Sessions {
		out.Sessions[i].Users = append([]core.UserID{}, byOwner[row.Key]...)
		delete(byOwner, row.Key)
	}
	// A socket outlives its session: these are users whose sessions have expired.
	for _, owner := range wire.SortedKeys(byOwner) {
		if session.IsLineage(owner) {
			out.Sessions = append(out.Sessions, wire.AdminSessionRow{Key: owner, Users: byOwner[owner]})
		}
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// rows makes one row of all sessions of one login: they are one dispatcher, and end
// together. The callsign is that of the newest.
func rows(all []session.Session) []wire.AdminSessionRow {
	out, at := []wire.AdminSessionRow{}, map[string]int{}
	for _, s := range all { // oldest first
		i, known := at[s.Lineage]
		if !known {
			i, at[s.Lineage] = len(out), len(out)
			out = append(out, wire.AdminSessionRow{Key: s.Lineage, Name: s.Name, Via: string(s.Via), Created: s.Created.UnixMilli()})
		}
		row := &out[i]
		row.Callsign = s.Callsign
		row.Expires = max(row.Expires, s.Expires.UnixMilli())
		row.LastUsed = max(row.LastUsed, s.LastUsed.UnixMilli())
	}
	return out
}

func (h *Handler) users(w http.ResponseWriter, r *http.Request) error {
	_, owner, err := h.owners(r)
	if err != nil {
		return err
	}
	out := wire.AdminUserList{Users: []wire.AdminUser{}}
	err = h.o.Engine.View(r.Context(), func(v core.View) {
		for _, u := range v.Users() {
			row := wire.AdminUser{ServerID: u.ID, Name: u.Name, Callsign: u.Callsign, UnitID: u.Unit, NacID: u.Nac, Current: u.Current,
				Scanning: append([]core.Frequency{}, u.Scans...), IsTalking: u.Talking, Link: "none"}
			switch {
			case u.Lost:
				row.Link = "lost"
			case u.Linked:
				row.Link = "up"
			}
			if session.IsLineage(owner[u.ID]) { // an owner may also be the master token or a key
				row.Session = owner[u.ID]
			}
			out.Users = append(out.Users, row)
		}
	})
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// revoke ends all sessions of a dispatcher's login, and then their sockets: a
// reconnect finds no session any more.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return err
	}
	var in wire.AdminRevoke
	if err := wire.Decode(b, &in); err != nil {
		return err
	}
	key, callsign := string(in.Key), ""
	for _, s := range h.o.Sessions.List() {
		if s.Key == key || s.Lineage == key {
			key, callsign = s.Lineage, s.Callsign
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	defer cancel()
	ended := h.o.Sessions.Revoke(ctx, key)
	over := errors.Is(ended, session.ErrUnknown)
	if over && !session.IsLineage(key) {
		return ended
	}
	// Even if the disk fails, the session is refused from now on. An expired one may
	// still have a socket that was opened before.
	closed, err := h.o.Sockets.EndSession(ctx, key)
	if over {
		if ended = nil; err == nil && len(closed) == 0 {
			return session.ErrUnknown
		}
	}
	h.noteDone(r, "admin.session.revoke", callsign, map[string]any{"session": key, "users": closed})
	if err := errors.Join(ended, err); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.AdminRevoked{Success: true, Closed: append([]core.UserID{}, closed...)})
	return nil
}
