package rest

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"squelch/core/wire"
	"squelch/server/game"
	"squelch/server/reply"
)

// gameChanges tells the game server what has changed, and waits for a change if nothing
// has. The game's HTTP client gives up if it has not seen the beginning of a body after
// five seconds, so the answer begins with a space, which JSON allows, at once.
func (h *Handler) gameChanges(w http.ResponseWriter, r *http.Request, _ caller) error {
	q, err := question(r.URL.RawQuery)
	if err != nil {
		return err
	}
	leave, err := h.o.Mirror.Enter()
	if err != nil { // game.ErrBusy
		return reply.TooMany(pollRetry)
	}
	defer leave()
	hold(w, q.Wait+changesTimeout)
	reply.Private(w.Header(), "application/json; charset=utf-8")
	if h.o.Nodes != nil {
		if urls := h.o.Nodes().URLs(); len(urls) > 0 {
			w.Header().Set(nodesHeader, strings.Join(urls, " "))
		}
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := w.Write([]byte(" ")); err != nil {
		return nil // the caller has gone
	}
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	text, err := h.o.Mirror.Ask(r.Context(), q)
	if err != nil {
		if r.Context().Err() == nil {
			h.o.Logf("rest: the game server's call for changes failed: %v", err)
		}
		panic(http.ErrAbortHandler) // the answer has begun: only a broken connection says that it failed
	}
	_, _ = w.Write(append(text, '\n'))
	return nil
}

// nodesHeader names the other nodes of a cluster to the game server, with spaces between
// them: it goes to one of them when this one does not answer.
const nodesHeader = "Squelch-Nodes"

// question reads the query of a call for changes.
func question(query string) (game.Question, error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return game.Question{}, invalid("", "The query is malformed")
	}
	q := game.Question{Epoch: v.Get("epoch"), Given: v.Get("since") != ""}
	if q.Given {
		if q.Since, err = strconv.ParseUint(v.Get("since"), 10, 64); err != nil {
			return q, invalid("since", "since must be an integer: the next of an earlier answer")
		}
	}
	for _, p := range []struct {
		name string
		most int
		unit time.Duration
		to   *time.Duration
	}{{"wait", wire.MaxWait, time.Second, &q.Wait}, {"gather", wire.MaxGather, time.Millisecond, &q.Gather}} {
		text := v.Get(p.name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > p.most {
			return q, invalid(p.name, p.name+" must be an integer from 0 to "+strconv.Itoa(p.most))
		}
		*p.to = time.Duration(n) * p.unit
	}
	return q, nil
}
