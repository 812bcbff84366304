package recdesk

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/nearest"
	"squelch/server/recordings"
	"squelch/server/reply"
)

// params are the parameters of a request, read one after the other; err is the first
// mistake.
type params struct {
	url.Values
	err error
}

func paramsOf(r *http.Request) *params {
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = invalid("", "The query is malformed")
	}
	return &params{v, err}
}

func (p *params) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// number reads a whole number; 0: it is not there.
func (p *params) number(name, what string, least, most int64) int64 {
	text := p.Get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		p.fail(invalid(name, name+" must be "+what+", not "+strconv.Quote(reply.Short(text))))
	}
	return n
}

func (p *params) moment(name string, least int64) int64 {
	return p.number(name, "a moment in ms since the epoch", least, maxMoment)
}

func (p *params) text(name string) string {
	text := p.Get(name)
	if len(text) > maxText {
		p.fail(invalid(name, name+" must have at most "+strconv.Itoa(maxText)+" bytes"))
	}
	return text
}

// span reads which recordings are meant.
func (d *Desk) span(p *params) recordings.Query {
	q := recordings.Query{From: p.moment("from", 0), To: p.moment("to", 1), Unit: p.text("unit")}
	if q.To != 0 && q.To < q.From {
		p.fail(invalid("to", "to must not be before from"))
	}
	named := 0
	for _, list := range p.Values["frequency"] {
		for text := range strings.SplitSeq(list, ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if named++; named > maxFrequencies {
				p.fail(invalid("frequency", "frequency must name at most "+strconv.Itoa(maxFrequencies)+" channels"))
				return q
			}
			f, err := d.channel(text)
			if err != nil {
				p.fail(err)
				return q
			}
			if !slices.Contains(q.Frequencies, f) {
				q.Frequencies = append(q.Frequencies, f)
			}
		}
	}
	return q
}

// channel finds a channel by its frequency or its name. One that is no more still has its
// recordings.
func (d *Desk) channel(text string) (core.Frequency, error) {
	all := d.o.Channels()
	f, err := core.ParseFrequency(text)
	for _, c := range all {
		if err == nil && c.Frequency == f || strings.EqualFold(c.Name, text) {
			return c.Frequency, nil
		}
	}
	if err == nil {
		if some, _ := d.o.Shelf.List(recordings.Query{Frequencies: []core.Frequency{f}, Limit: 1}); len(some) > 0 {
			return f, nil
		}
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		if err == nil {
			names = append(names, c.Frequency.String())
		}
	}
	message := "Channel not found: " + reply.Short(text)
	if near := nearest.Name(reply.Short(text), names); near != "" {
		message += "; did you mean " + near + "?"
	}
	return 0, missing("frequency", message)
}

// bounded asks for a span that has both ends and is at most so long.
func (p *params) bounded(q recordings.Query, most time.Duration) {
	switch {
	case p.Get("from") == "":
		p.fail(invalid("from", "from is missing"))
	case p.Get("to") == "":
		p.fail(invalid("to", "to is missing"))
	case q.To-q.From > most.Milliseconds():
		p.fail(invalid("to", "to must be at most "+hours(most)+" after from; ask for the parts one by one"))
	}
}

func hours(d time.Duration) string { return strconv.Itoa(int(d.Hours())) + " hours" }

// page reads which page of a list is meant.
func (p *params) page(q *recordings.Query) {
	q.Text = p.text("text")
	q.Limit = int(p.number("limit", "an integer from 1 to "+strconv.Itoa(wire.MaxRecordingPage), 1, wire.MaxRecordingPage))
	q.Before = p.Get("before")
	if q.Before != "" && !isID(q.Before) {
		p.fail(invalid("before", "before must be next of the previous page, not "+strconv.Quote(reply.Short(q.Before))))
	}
}

// isID says whether a text has the form of a recording's id.
func isID(text string) bool {
	rest, is := strings.CutPrefix(text, "tx-")
	number, start, both := strings.Cut(rest, "-")
	n, err := strconv.ParseUint(number, 10, 31)
	at, startErr := strconv.ParseInt(start, 10, 64)
	return is && both && err == nil && startErr == nil && at >= 0 && core.Transmission{Number: int(n), StartedAt: at}.ID() == text
}
