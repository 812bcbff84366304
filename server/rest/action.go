package rest

import (
	"context"
	"io"
	"net/http"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/reply"
)

// ask serves a route that the front door decides alone.
func (h *Handler) ask(route wire.Route) endpoint {
	return func(w http.ResponseWriter, r *http.Request, by caller) error {
		ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
		defer cancel()
		step, err := h.decide(ctx, w, r, route.Method+" "+route.Path, by)
		if err != nil {
			return err
		}
		return h.do(ctx, w, step)
	}
}

// decide reads the body, of at most MaxBody bytes or more where the route allows it, and
// asks the front door. A refusal by the front door is the error.
func (h *Handler) decide(ctx context.Context, w http.ResponseWriter, r *http.Request, route string, by caller) (door.Step, error) {
	var body []byte
	if r.Method == http.MethodPost {
		var err error
		if body, err = h.body(w, r, route); err != nil {
			return door.Step{}, err
		}
	}
	look := func(read func(core.View)) error { return h.o.Engine.View(ctx, read) }
	step, err := h.door.Ask(look, door.Request{At: h.o.Now().UnixMilli(), By: by.asking(), Route: route, Payload: body})
	if err != nil {
		return step, err
	}
	if step.Command == nil && step.Job == "" {
		return step, step.Answer(core.Output{}, nil).Err
	}
	return step, nil
}

// do applies a step's command, if it has one, and writes the reply.
func (h *Handler) do(ctx context.Context, w http.ResponseWriter, step door.Step) error {
	var out core.Output
	var err error
	if step.Command != nil {
		out, err = h.o.Engine.Do(ctx, step.By, step.Command)
	}
	answer := step.Answer(out, err)
	if answer.Err != nil {
		return answer.Err
	}
	reply.JSON(w, answer.Status, answer.Body)
	return nil
}

func (h *Handler) body(w http.ResponseWriter, r *http.Request, route string) ([]byte, error) {
	most := max(h.o.MaxBody, h.large[route])
	if r.ContentLength > most {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		return nil, &http.MaxBytesError{Limit: most}
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		return data, nil
	}
	if large := (*http.MaxBytesError)(nil); asError(err, &large) {
		return nil, err
	}
	return nil, invalid("", "The body could not be read")
}
