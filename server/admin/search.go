package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/reply"
)

// auditQuery is what is asked for of the audit log.
type auditQuery struct {
	before   uint64 // 0: from the newest on
	limit    int
	from, to int64 // ms since the epoch; 0: no bound
	actions  []string
	words    []string // in lower case
}

// filters says whether the query has to look at entries that it does not return.
func (q *auditQuery) filters() bool { return len(q.actions) > 0 || len(q.words) > 0 }

func parseAuditQuery(v url.Values) (auditQuery, error) {
	q := auditQuery{limit: auditPage}
	wrong := func(field, message string) (auditQuery, error) {
		return q, &core.Error{Kind: core.Invalid, Field: field, Message: field + " " + message}
	}
	for _, field := range []string{"before", "limit", "from", "to"} {
		text := v.Get(field)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return wrong(field, "must be a whole number that is not negative")
		}
		switch field {
		case "before":
			q.before = uint64(n)
		case "limit":
			q.limit = int(n)
		case "from":
			q.from = n
		case "to":
			q.to = n
		}
	}
	if q.limit < 1 || q.limit > wire.MaxAuditPage {
		return wrong("limit", fmt.Sprintf("must be 1 to %d", wire.MaxAuditPage))
	}
	for _, field := range []string{"actions", "text"} {
		if len(v.Get(field)) > 4*maxSearchText || field == "text" && len(v.Get(field)) > maxSearchText {
			return wrong(field, "is too long")
		}
	}
	if actions := v.Get("actions"); actions != "" {
		q.actions = strings.Split(actions, ",")
	}
	q.words = strings.Fields(strings.ToLower(v.Get("text")))
	return q, nil
}

// auditPage answers with a page of the audit log.
func (h *Handler) auditPage(w http.ResponseWriter, r *http.Request) error {
	q, err := parseAuditQuery(r.URL.Query())
	if err != nil {
		return err
	}
	if q.filters() { // such a request may read much
		leave, err := h.reader()
		if err != nil {
			return err
		}
		defer leave()
	}
	var called map[string]string
	if len(q.words) > 0 {
		if called, err = h.called(r.Context()); err != nil {
			return err
		}
	}
	entries, before, err := search(r.Context(), h.o.Audit, q, called)
	if err != nil {
		return brokenAudit(err)
	}
	out := wire.AdminAuditPage{Entries: []wire.AdminAuditEntry{}, Before: before}
	for _, e := range entries {
		out.Entries = append(out.Entries, wire.AdminAuditEntry{Seq: e.Seq, Time: e.Time, Actor: wire.AdminAuditActor(e.Actor),
			Surface: string(e.Surface), Action: e.Action, Frequency: e.Frequency, Target: e.Target, Detail: e.Detail})
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// called is what frequencies and ids are called now.
func (h *Handler) called(ctx context.Context) (map[string]string, error) {
	called := map[string]string{}
	err := h.o.Engine.View(ctx, func(v core.View) {
		for _, z := range v.Config().Zones {
			for _, c := range z.Channels {
				called[c.Frequency.String()] = c.Name
			}
		}
		for _, u := range v.Users() {
			called[u.ID.String()] = u.Name + " " + u.Callsign
		}
	})
	return called, err
}

// search goes back through the log. It returns the newest entries that fit, oldest
// first, and the number before which the next page begins; 0: there is none.
func search(ctx context.Context, log Audit, q auditQuery, called map[string]string) (found []audit.Entry, before uint64, err error) {
	end, first, err := bounds(ctx, log, q)
	if err != nil {
		return nil, 0, err
	}
	for looked := 0; end > first; {
		if looked >= maxSearch {
			return ordered(found), end, nil
		}
		start := max(first, end-min(end, auditBatch))
		batch, err := log.Read(ctx, start, int(end-start))
		if err != nil {
			return nil, 0, err
		}
		for _, e := range slices.Backward(batch) {
			if e.Seq >= end { // older ones have been removed just now
				continue
			}
			if e.Time < q.from {
				return ordered(found), 0, nil
			}
			if q.fits(&e, called) {
				found = append(found, e)
			}
			if len(found) == q.limit {
				return ordered(found), next(e.Seq, first), nil
			}
		}
		looked += len(batch)
		end = start
	}
	return ordered(found), 0, nil
}

func next(seq, first uint64) uint64 {
	if seq <= first {
		return 0
	}
	return seq
}

func ordered(found []audit.Entry) []audit.Entry {
	slices.Reverse(found)
	return found
}

// bounds are the numbers between which a query looks: from first on, below end.
func bounds(ctx context.Context, log Audit, q auditQuery) (end, first uint64, err error) {
	newest, err := log.Tail(ctx, 1)
	if err != nil || len(newest) == 0 {
		return 0, 0, err
	}
	oldest, err := log.Read(ctx, 1, 1)
	if err != nil || len(oldest) == 0 {
		return 0, 0, err
	}
	end, first = newest[0].Seq+1, oldest[0].Seq
	if q.before > 0 {
		end = min(end, q.before)
	}
	if q.to == 0 || end <= first {
		return end, first, nil
	}
	// Entries are in the order of time, but for a clock that was set back.
	low, high := first, end
	for low < high {
		middle := low + (high-low)/2
		at, err := log.Read(ctx, middle, 1)
		if err != nil {
			return 0, 0, err
		}
		if len(at) == 0 || at[0].Time > q.to {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, first, nil
}

func (q *auditQuery) fits(e *audit.Entry, called map[string]string) bool {
	if q.to > 0 && e.Time > q.to || len(q.actions) > 0 && !slices.Contains(q.actions, e.Action) {
		return false
	}
	if len(q.words) == 0 {
		return true
	}
	text := haystack(e, called)
	for _, word := range q.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// haystack is everything that an entry can be found by, in lower case.
func haystack(e *audit.Entry, called map[string]string) string {
	var b strings.Builder
	add := func(texts ...string) {
		for _, text := range texts {
			b.WriteString(text)
			b.WriteByte(' ')
		}
	}
	id := strconv.Itoa(e.Actor.ID)
	add(e.Actor.Name, id, called[id], string(e.Surface), e.Action, e.Frequency, called[e.Frequency], e.Target, called[e.Target])
	detail := json.NewEncoder(&b)
	detail.SetEscapeHTML(false)                    // "Fire & Rescue" is found as it is written
	_ = detail.Encode(e.Detail)                    // a strings.Builder takes everything
	if text, ok := e.Detail["text"].(string); ok { // frequencies of patches, and from where a unit was moved
		for _, word := range strings.Fields(text) {
			if name := called[word]; name != "" && strings.ContainsRune(word, '.') {
				add(name)
			}
		}
	}
	return strings.ToLower(b.String())
}
