package admin_test

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/audit"
)

// found asks for a page of the log.
func (b *browser) found(query url.Values) wire.AdminAuditPage {
	b.s.t.Helper()
	b.s.clock.Pass(time.Second) // below the rate limit
	var page wire.AdminAuditPage
	b.send("GET", "audit?"+query.Encode(), nil).ok(&page)
	return page
}

func TestTheLogComesPageByPage(t *testing.T) {
	s := onAir(t)
	s.written(700)
	b := s.logIn() // entry 701
	next, seen := uint64(0), 0
	for last := uint64(702); ; {
		q := url.Values{"limit": {"150"}}
		if next > 0 {
			q.Set("before", strconv.FormatUint(next, 10))
		}
		page := b.found(q)
		for i := len(page.Entries) - 1; i >= 0; i-- {
			if page.Entries[i].Seq != last-1 {
				t.Fatalf("entry %d follows %d", page.Entries[i].Seq, last)
			}
			last--
			seen++
		}
		if next = page.Before; next == 0 {
			break
		}
	}
	if seen != 701 {
		t.Fatalf("%d entries", seen)
	}
}

func TestTheLogIsSearched(t *testing.T) {
	s := onAir(t)
	add := func(action, frequency, text string) {
		s.clock.Pass(time.Minute)
		e := audit.Entry{Actor: audit.Actor{ID: -1, Name: "Desk"}, Surface: audit.REST, Action: action, Frequency: frequency, Detail: map[string]any{"text": text, "whom": "Ana Ruiz"}}
		if err := s.log.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	began := s.clock.Now()
	for i := range 300 {
		add("broadcast", "", fmt.Sprint("message ", i, "."))
	}
	zone := s.inForce().Zones[0].Channels[0]
	add("emergency acknowledged", zone.Frequency.String(), "e-1")
	add("move", "", zone.Frequency.String())
	b := s.logIn()
	at := func(minutes int) string {
		return strconv.FormatInt(began.Add(time.Duration(minutes)*time.Minute).UnixMilli(), 10)
	}
	for about, c := range map[string]struct {
		q    url.Values
		want int
	}{
		"words, in any order and case":           {url.Values{"text": {"RUIZ message 7."}}, 30},
		"a channel by its name":                  {url.Values{"text": {zone.Name}}, 2},
		"an action":                              {url.Values{"actions": {"move,patch"}}, 1},
		"a time":                                 {url.Values{"from": {at(10)}, "to": {at(19)}}, 10},
		"a time and a word":                      {url.Values{"from": {at(10)}, "to": {at(19)}, "text": {"message"}}, 10},
		"nothing":                                {url.Values{"text": {"nobody said this"}}, 0},
		"a time before there was anything":       {url.Values{"to": {"5"}}, 0},
		"a time after everything, and a channel": {url.Values{"from": {at(302)}, "text": {zone.Name}}, 1},
	} {
		if got := b.found(c.q); len(got.Entries) != c.want || got.Before != 0 {
			t.Errorf("%s: %d entries, more before %d", about, len(got.Entries), got.Before)
		}
	}
	s.clock.Pass(time.Minute)
	b.send("GET", "audit?limit=0", nil).refused(400, "limit", "limit must be 1 to 200")
	b.send("GET", "audit?from=x", nil).refused(400, "from", "from must be")
	b.send("GET", "audit?text="+url.QueryEscape(fmt.Sprintf("%0300d", 1)), nil).refused(400, "text", "is too long")
}

func TestTheLogSaysWhatAnEditChanged(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	var after wire.AdminConfig
	b.send("PUT", "config", edit(b.config().Revision, `{"volumes":{"voice":80,"sfx":50,"audio3d":50,"step":5}}`)).ok(&after)
	page := b.found(url.Values{"actions": {"admin.config.edit"}})
	if len(page.Entries) != 1 {
		t.Fatalf("%d entries", len(page.Entries))
	}
	got := fmt.Sprint(page.Entries[0].Detail["changes"])
	if got != "[map[from:50 kind:changed path:volumes.voice row:[] to:80]]" {
		t.Fatal(got)
	}
}
