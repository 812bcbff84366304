package rest_test

import (
	"io"
	"maps"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/rest"
)

// tapes is a desk of recordings that has one, tx-1-1.
type tapes struct{ broken bool }

func (d tapes) Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error {
	q := r.URL.Query()
	switch {
	case by.Surface != core.ByREST || by.Name == "":
		return &reply.Refusal{Status: 500, Message: "nobody asks"}
	case q.Get("from") == "x":
		return &core.Error{Kind: core.Invalid, Field: "from", Message: "from must be a time"}
	case q.Get("frequency") == "155.999":
		return &core.Error{Kind: core.NotFound, Field: "frequency", Message: "Channel not found"}
	}
	switch name {
	case "GET ":
		reply.JSON(w, 200, wire.RecordingPage{Recordings: []wire.Recording{}})
	case "GET /{file}":
		if r.URL.Path != "/api/recordings/tx-1-1.ogg" {
			return &core.Error{Kind: core.NotFound, Message: "There is no such recording"}
		}
		w.Header().Set("Content-Type", wire.OggOpus)
	case "GET /mix", "GET /export":
		w.Header().Set("Content-Type", "application/octet-stream")
	case "POST /delete":
		return d.remove(w, r)
	}
	return nil
}

func (d tapes) remove(w http.ResponseWriter, r *http.Request) error {
	body := http.MaxBytesReader(w, r.Body, 64<<10)
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var in wire.RecordingsDelete
	if err := wire.Decode(data, &in); err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	if d.broken {
		return core.ErrStorage("the disk is full")
	}
	reply.JSON(w, 200, wire.RecordingsDeleted{Success: true})
	return nil
}

func recordingSamples() map[string]sample {
	off := func(path string) refusal {
		return refusal{status: 404, body: `{"unitId":"7"}`, path: path, text: "Config.recording", prepare: func(s *station) {
			s.use(s.t, func(o *rest.Options) { o.Recordings = nil })
		}}
	}
	reading := func(path string) sample {
		return sample{path: path, refusals: []refusal{off(path), {status: 400, path: path + "?from=x", text: "from"}, {status: 404, path: path + "?frequency=155.999", text: "Channel"}}}
	}
	return map[string]sample{
		"GET /api/recordings":        reading("/api/recordings"),
		"GET /api/recordings/mix":    reading("/api/recordings/mix"),
		"GET /api/recordings/export": reading("/api/recordings/export"),
		"GET /api/recordings/{file}": reading("/api/recordings/tx-1-1.ogg"),
		"POST /api/recordings/delete": {body: `{"unitId":"2-ADAM-7"}`, refusals: []refusal{off(""),
			{status: 400, body: `{"from":2,"to":1}`, text: "to must not be before from"},
			{status: 503, body: `{"unitId":"7"}`, text: "the disk is full", prepare: func(s *station) {
				s.use(s.t, func(o *rest.Options) { o.Recordings = tapes{broken: true} })
			}}}},
	}
}

func init() { maps.Copy(samples, recordingSamples()) }
