package rest

import (
	"context"
	"io"
	"net/http"
	"reflect"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// action serves a route whose body is one command of the radio; nil when it is
// none.
func (h *Handler) action(route wire.Route) endpoint {
	if route.Body == nil || route.Auth != wire.Session {
		return nil
	}
	shape := reflect.TypeOf(route.Body)
	if !reflect.PointerTo(shape).Implements(reflect.TypeFor[wire.Commanding]()) {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request, by caller) error {
		if _, err := h.command(w, r, by, reflect.New(shape).Interface().(wire.Commanding)); err != nil {
			return err
		}
		reply.JSON(w, route.Status, wire.Success{Success: true})
		return nil
	}
}

// createPatch replies with what was made.
func (h *Handler) createPatch(w http.ResponseWriter, r *http.Request, by caller) error {
	out, err := h.command(w, r, by, &wire.PatchCreate{})
	if err != nil {
		return err
	}
	made, _ := core.First[core.PatchCreated](out)
	reply.JSON(w, http.StatusCreated, wire.PatchCreated{Success: true, Patch: wire.PatchOf(made.Patch)})
	return nil
}

// command decodes a body and does what it says, on behalf of the caller.
func (h *Handler) command(w http.ResponseWriter, r *http.Request, by caller, body wire.Commanding) (core.Output, error) {
	if err := h.decode(w, r, body); err != nil {
		return core.Output{}, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	actor := core.Actor{Surface: core.ByREST, Name: by.name()}
	var cmd core.Command
	var refused error
	err := h.o.Engine.View(ctx, func(v core.View) {
		actor.User = v.DispatcherID(by.owner())
		cmd, refused = command(v, by.owner(), actor.User, body)
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return core.Output{}, err
	}
	return h.o.Engine.Do(ctx, actor, cmd)
}

// command reads ids as the caller means them.
func command(v core.View, owner string, by core.UserID, body wire.Commanding) (core.Command, error) {
	err := wire.ResolveIDs(body, func(id core.UserID) core.UserID { return v.Alias(owner, id) })
	if err != nil {
		return nil, err
	}
	if _, ok := body.(*wire.UpdateCallsign); ok {
		by = v.MeantDispatcher(by)
	}
	return body.Command(by)
}

// decode reads a body of at most MaxBody bytes.
func (h *Handler) decode(w http.ResponseWriter, r *http.Request, into any) error {
	data, err := h.body(w, r)
	if err != nil {
		return err
	}
	return wire.Decode(data, into)
}

func (h *Handler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > h.o.MaxBody {
		w.Header().Set("Connection", "close") // the rest is not read
		return nil, &http.MaxBytesError{Limit: h.o.MaxBody}
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	if err == nil {
		return data, nil
	}
	if large := (*http.MaxBytesError)(nil); asError(err, &large) {
		return nil, err
	}
	return nil, invalid("", "The body could not be read")
}
