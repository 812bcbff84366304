package rest_test

import (
	"context"
	"reflect"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/timeline"
)

// asked is a timeline that remembers what it was asked.
type asked struct{ q timeline.Query }

func (a *asked) Page(_ context.Context, q timeline.Query) (wire.TimelinePage, error) {
	a.q = q
	return wire.TimelinePage{Entries: []wire.TimelineEntry{}, Next: new(uint64(7)), From: q.From}, nil
}

// TestWhatIsAskedOfTheTimeline: every parameter arrives; without any, nothing is asked for.
func TestWhatIsAskedOfTheTimeline(t *testing.T) {
	s, a := onAir(t), &asked{}
	s.use(t, func(o *rest.Options) { o.Timeline = a })
	ana := s.logIn("ANA")
	for query, want := range map[string]timeline.Query{
		"": {},
		"?before=12&limit=500&from=1000&to=2000&kind=alert,panic&frequency=154.7550&unit=2-adam&text=shots%20fired": {Before: 12, Limit: 500, From: 1000, To: 2000,
			Kinds: []string{"alert", "panic"}, Frequency: frequency("154.755"), Unit: "2-adam", Text: "shots fired"},
		"?kind=" + core.MomentKinds[0] + "&from=0": {Kinds: core.MomentKinds[:1]},
	} {
		if got := s.send("GET", "/api/timeline"+query, ana, nil); got.status != 200 || got.json(t)["next"] != 7.0 || !reflect.DeepEqual(a.q, want) {
			t.Errorf("%s: %d %s asks for %+v, want %+v", query, got.status, got.body, a.q, want)
		}
	}
}

// TestAKeyWithoutRecordingsHearsNothing: it gets neither recordings nor transcripts, and
// cannot find out what was said by searching for it.
func TestAKeyWithoutRecordingsHearsNothing(t *testing.T) {
	s, a := onAir(t), &asked{}
	s.use(t, func(o *rest.Options) { o.Timeline = a })
	reader, _ := s.apiKey("cad", wire.ScopeRead)
	listener, _ := s.apiKey("archive", wire.ScopeRead, wire.ScopeRecordings)
	for hidden, who := range map[bool]credentials{true: reader, false: listener} {
		if got := s.send("GET", "/api/timeline?text=shots", who, nil); got.status != 200 || a.q.NoVoice != hidden {
			t.Errorf("without voice %t, want %t: %d %s", a.q.NoVoice, hidden, got.status, got.body)
		}
	}
	if s.send("GET", "/api/timeline", s.logIn("ANA"), nil); a.q.NoVoice {
		t.Error("a dispatcher gets no voice")
	}
}
