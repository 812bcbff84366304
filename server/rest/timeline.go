package rest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/timeline"
)

// Timeline is what was said and done; *timeline.Timeline is one.
type Timeline interface {
	Page(ctx context.Context, q timeline.Query) (wire.TimelinePage, error)
}

// timeline answers with a page of the timeline.
func (h *Handler) timeline(w http.ResponseWriter, r *http.Request, by caller) error {
	q, err := looking(r.URL.RawQuery)
	if err != nil {
		return err
	}
	q.NoVoice = by.key.ID != "" && !slices.Contains(by.key.Scopes, string(wire.ScopeRecordings))
	page, err := h.look(r.Context(), q)
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, page)
	return nil
}

// look gives a page of the timeline, as soon as there is a place to look.
func (h *Handler) look(ctx context.Context, q timeline.Query) (page wire.TimelinePage, err error) {
	leave, err := h.looks.Take(ctx, lookWait, errLooks)
	if err != nil {
		return page, err
	}
	defer leave()
	return h.o.Timeline.Page(ctx, q)
}

// timelineQuery are the parameters of the timeline.
var timelineQuery = func() []string {
	for _, route := range wire.Routes {
		if route.Path == "/api/timeline" {
			return route.Parameters()
		}
	}
	return nil
}()

// looking reads the query of a call for the timeline.
func looking(query string) (q timeline.Query, err error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return q, invalid("", "The query is malformed")
	}
	if err := reply.OnlyParameters(v, timelineQuery...); err != nil {
		return q, err
	}
	number := func(name, what string, least, most int64) (n int64) {
		text := v.Get(name)
		if text == "" || err != nil {
			return 0
		}
		if n, err = strconv.ParseInt(text, 10, 64); err != nil || n < least || n > most {
			err = invalid(name, name+" must be "+what)
		}
		return n
	}
	const moment = "a moment in ms since the epoch"
	q = timeline.Query{
		Before: uint64(number("before", "the next of an earlier answer", 1, maxNumber)),
		Limit:  int(number("limit", "an integer from 1 to "+strconv.Itoa(wire.MaxTimelinePage), 1, wire.MaxTimelinePage)),
		From:   number("from", moment, 0, maxNumber), To: number("to", moment, 0, maxNumber),
		Unit: v.Get("unit"), Text: v.Get("text"),
	}
	switch {
	case err != nil:
		return q, err
	case q.To != 0 && q.To < q.From:
		return q, invalid("to", "to must not be before from")
	case len(q.Unit) > maxSearch:
		return q, invalid("unit", "unit must have at most "+strconv.Itoa(maxSearch)+" bytes")
	case len(q.Text) > maxSearch:
		return q, invalid("text", "text must have at most "+strconv.Itoa(maxSearch)+" bytes")
	}
	if text := v.Get("frequency"); text != "" {
		if q.Frequency, err = core.ParseFrequency(text); err != nil {
			return q, invalid("frequency", "frequency must be a frequency, such as 154.755")
		}
	}
	if text := v.Get("kind"); text != "" {
		for _, kind := range strings.Split(text, ",") {
			if !slices.Contains(core.MomentKinds, kind) {
				return q, invalid("kind", "kind must be of "+strings.Join(core.MomentKinds, ", ")+", not "+strconv.Quote(kind))
			}
			q.Kinds = append(q.Kinds, kind)
		}
	}
	return q, nil
}

// noTimeline is a service that remembers nothing.
type noTimeline struct{}

func (noTimeline) Page(context.Context, timeline.Query) (wire.TimelinePage, error) {
	return wire.TimelinePage{Entries: []wire.TimelineEntry{}}, nil
}
