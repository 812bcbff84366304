package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/nearest"
	"squelch/server/reply"
	"squelch/server/session"
)

// maxKeyName is the longest name of an API key, in characters: it is also the name of
// the key's dispatchers, and the core accepts names of 128.
const maxKeyName = 64

func (h *Handler) keys(w http.ResponseWriter, r *http.Request) error {
	byOwner, _, err := h.owners(r)
	if err != nil {
		return err
	}
	out := wire.AdminKeyList{Keys: []wire.AdminKey{}}
	for _, k := range h.o.Sessions.Keys().List() {
		row := adminKey(k)
		row.Users = append(row.Users, byOwner[k.Owner()]...)
		out.Keys = append(out.Keys, row)
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

func adminKey(k session.Key) wire.AdminKey {
	row := wire.AdminKey{ID: k.ID, Name: k.Name, Scopes: wire.ScopeSetOf(k.Scopes...).List(), Created: k.Created.UnixMilli(), Users: []core.UserID{}}
	if !k.LastUsed.IsZero() {
		row.LastUsed = k.LastUsed.UnixMilli()
	}
	return row
}

// makeKey returns a new key. A key that cannot be audited does not stay.
func (h *Handler) makeKey(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return err
	}
	var in wire.AdminKeyCreate
	if err := wire.Decode(b, &in); err != nil {
		return err
	}
	name, err := core.Line("name", string(in.Name), 1, maxKeyName)
	if err != nil {
		return err
	}
	scopes, err := keyScopes(in.Scopes)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	defer cancel()
	secret, key, err := h.o.Sessions.Keys().Create(ctx, name, scopes)
	if err != nil {
		return err
	}
	if err := h.noteAbout(r, "admin.key.create", key.Name, map[string]any{"key": key.ID, "scopes": key.Scopes}); err != nil {
		_, _ = h.o.Sessions.Keys().Revoke(ctx, key.ID) // nobody has seen it
		return err
	}
	reply.JSON(w, http.StatusCreated, wire.AdminKeyCreated{Success: true, Key: secret, AdminKey: adminKey(key)})
	return nil
}

// keyScopes returns the requested scopes, each once and in their order.
func keyScopes(asked []wire.Scope) ([]string, error) {
	wrong := func(field, message string) ([]string, error) {
		return nil, &core.Error{Kind: core.Invalid, Field: field, Message: message}
	}
	var known []string
	for _, s := range wire.Scopes {
		known = append(known, string(s))
	}
	for i, s := range asked {
		if slices.Contains(wire.Scopes, s) {
			continue
		}
		field := fmt.Sprintf("scopes[%d]", i+1)
		if near := nearest.Name(string(s), known); near != "" {
			return wrong(field, field+" is unknown; did you mean "+near+"?")
		}
		return wrong(field, field+" must be one of "+strings.Join(known, ", "))
	}
	if len(asked) == 0 {
		return wrong("scopes", "scopes must not be empty; it takes "+strings.Join(known, ", "))
	}
	var scopes []string
	for _, s := range wire.ScopeSetOf(asked...).List() {
		scopes = append(scopes, string(s))
	}
	return scopes, nil
}

// revokeKey ends a key, and then its sockets: a reconnect finds no key any more.
func (h *Handler) revokeKey(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return err
	}
	var in wire.AdminKeyRevoke
	if err := wire.Decode(b, &in); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	defer cancel()
	key, ended := h.o.Sessions.Keys().Revoke(ctx, string(in.ID))
	if errors.Is(ended, session.ErrNoKey) {
		return ended
	}
	// Even if the disk fails, the key is refused from now on.
	closed, err := h.o.Sockets.EndSession(ctx, key.Owner())
	h.noteDone(r, "admin.key.revoke", key.Name, map[string]any{"key": string(in.ID), "users": closed})
	if err := errors.Join(ended, err); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.AdminRevoked{Success: true, Closed: append([]core.UserID{}, closed...)})
	return nil
}

// keyAsked says whether a request without a login carries an API key.
func keyAsked(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && session.KeyForm(strings.TrimSpace(token))
}
