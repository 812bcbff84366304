package recordings

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"squelch/core"
)

func ids(page []Entry) (list []string) {
	for _, e := range page {
		list = append(list, e.ID)
	}
	return list
}

func TestEveryPartOfAQuery(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{Label: func(f core.Frequency) string {
		if f == 460_250_000 {
			return "Fire Tac 1"
		}
		return "Dispatch"
	}})
	add := func(number int, after int64, change func(*Entry)) string {
		e := entry(number, noon+after)
		change(&e)
		return tape(t, s, e, 50).ID // one second
	}
	jane := add(1, 0, func(*Entry) {})
	fire := add(2, 10_000, func(e *Entry) {
		e.Frequency, e.Control, e.Name, e.Unit, e.User = 460_250_000, 460_000_000, "Óscar Núñez", "Engine 12", 77
	})
	desk := add(3, 20_000, func(e *Entry) { e.Name, e.Unit, e.User = "Dispatch 1", "", -4 })
	must(t, s.SetText(fire, "Structure fire, second FLOOR"))
	all := []string{desk, fire, jane}
	for says, c := range map[string]struct {
		q    Query
		want []string
	}{
		"nothing":                             {Query{}, all},
		"from the second one":                 {Query{From: noon + 10_000}, all[:2]},
		"from within the first one":           {Query{From: noon + 999}, all},
		"from the end of the first one":       {Query{From: noon + 1000}, all[:2]},
		"before the third one":                {Query{To: noon + 20_000}, all[1:]},
		"one span":                            {Query{From: noon + 10_500, To: noon + 10_600}, all[1:2]},
		"a span without voice":                {Query{From: noon + 5000, To: noon + 6000}, nil},
		"a channel":                           {Query{Frequencies: []core.Frequency{154_755_000}}, []string{desk, jane}},
		"a control channel":                   {Query{Frequencies: []core.Frequency{460_000_000}}, all[1:2]},
		"two channels":                        {Query{Frequencies: []core.Frequency{154_755_000, 460_250_000}}, all},
		"no talkgroup":                        {Query{Frequencies: []core.Frequency{1}}, nil},
		"part of a unit":                      {Query{Unit: "adam"}, all[2:]},
		"part of a name":                      {Query{Unit: "NÚÑEZ"}, all[1:2]},
		"the server id":                       {Query{Unit: "77"}, all[1:2]},
		"only part of a server id":            {Query{Unit: "7 "}, all[2:]},
		"a dispatcher's id":                   {Query{Unit: "-4"}, all[:1]},
		"both units":                          {Query{Unit: "12"}, all[1:]},
		"words of the transcript":             {Query{Text: "floor structure"}, all[1:2]},
		"words of transcript and name":        {Query{Text: "second óscar"}, all[1:2]},
		"a word that is nowhere":              {Query{Text: "floor elephant"}, nil},
		"the channel's name":                  {Query{Text: "tac"}, all[1:2]},
		"the frequency":                       {Query{Text: "154.755"}, []string{desk, jane}},
		"word of name, and of label":          {Query{Text: "dispatch"}, []string{desk, jane}},
		"exactly a name":                      {Query{Name: "jane doe"}, all[2:]},
		"exactly a name, which is a part":     {Query{Name: "jane"}, nil},
		"exactly a unit id":                   {Query{UnitID: "engine 12"}, all[1:2]},
		"exactly a unit id, which is a part":  {Query{UnitID: "12"}, nil},
		"exactly a user":                      {Query{User: 7}, all[2:]},
		"something with everything":           {Query{From: noon, To: noon + 99_000, Unit: "engine", Text: "fire", User: 77, Frequencies: []core.Frequency{460_250_000}}, all[1:2]},
		"after the second one":                {Query{Before: fire}, all[2:]},
		"after one that is not there":         {Query{Before: "tx-9-1800000015000"}, all[1:]},
		"after something that is no id":       {Query{Before: "5"}, nil},
		"after the last one":                  {Query{Before: jane}, nil},
		"before the third, after the second":  {Query{To: noon + 20_000, Before: fire}, all[2:]},
		"before the second, after the third":  {Query{To: noon + 10_000, Before: desk}, all[2:]},
		"text of capital letters and accents": {Query{Text: "ÓSCAR"}, all[1:2]},
	} {
		page, next := s.List(c.q)
		if !slices.Equal(ids(page), c.want) || next != "" {
			t.Errorf("%s: %v, want %v (next %q)", says, ids(page), c.want, next)
		}
		if c.q.Before == "" && !slices.Equal(s.Match(c.q), c.want) {
			t.Errorf("%s matches %v, want %v", says, s.Match(c.q), c.want)
		}
	}
}

// stock puts recordings on the shelf without files.
func stock(s *Shelf, n int, of func(i int) Entry) {
	s.disk.Lock()
	defer s.disk.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n {
		e := of(i)
		k, _ := parseID(e.ID)
		s.put(recordOf(k, &e, 0))
	}
}

// Between two pages recordings come, also with earlier starts, because the clock was put
// back, and the oldest and others go. Whoever reads sees all that were there throughout,
// once, in order.
func TestPagesStayStableWhileRecordingsComeAndGo(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{})
	of := func(number int, start int64) Entry {
		e := entry(number, start)
		e.Format, e.Bytes, e.End = Ogg, 100, start+500
		return e
	}
	const count = 3 * pageOfWork
	stock(s, count, func(i int) Entry { return of(i, noon+int64(i)*1000) })
	there := map[string]bool{}
	for _, id := range s.Match(Query{}) {
		there[id] = true
	}
	random := rand.New(rand.NewPCG(3, 4))
	number := count
	var seen []string
	for q := (Query{Limit: 97}); ; {
		page, next := s.List(q)
		seen = append(seen, ids(page)...)
		if next == "" {
			break
		}
		q.Before = next
		stock(s, 40, func(int) Entry {
			number++
			return of(number, noon+random.Int64N(2*count*1000))
		})
		all := s.Match(Query{})
		gone := []string{all[len(all)-1], all[random.IntN(len(all))], next}
		for _, id := range gone {
			there[id] = there[id] && slices.Contains(seen, id)
		}
		if n, _, err := s.Delete(t.Context(), gone...); err != nil || n < 2 {
			t.Fatalf("%d are deleted: %v", n, err)
		}
	}
	if !slices.IsSortedFunc(seen, func(a, b string) int {
		ka, _ := parseID(a)
		kb, _ := parseID(b)
		return kb.compare(ka)
	}) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
		t.Error("the pages are not in order, or repeat")
	}
	for id, throughout := range there {
		if throughout && !slices.Contains(seen, id) {
			t.Errorf("%s was there throughout and is on no page", id)
		}
	}
	if page, next := s.List(Query{Limit: 10_000}); len(page) != MaxLimit || next == "" {
		t.Errorf("a page of 10000 has %d", len(page))
	}
	if page, _ := s.List(Query{}); len(page) != DefaultLimit {
		t.Errorf("a page has %d", len(page))
	}
}

func TestOnlyTheIDsOfTransmissionsAreIDs(t *testing.T) {
	for _, id := range []string{
		"", "tx-", "tx-7", "tx-7-", "tx--1-5", "tx-1--5", "tx-+1-5", "tx-01-5", "tx-1-05", "tx-1-5 ", "7-5", "tx-1-5-6",
		"tx-1-253402300800000", "tx-99999999999999999999-1", "../tx-1-5", "tx-1-5/..", "tx-1-5.ogg",
	} {
		if k, ok := parseID(id); ok {
			t.Errorf("%q is read as %v", id, k)
		}
	}
	for _, k := range []key{{0, 0}, {noon, 7}, {lastStart, 1 << 40}} {
		if got, ok := parseID(k.id()); !ok || got != k {
			t.Errorf("%v is %q, and that is read as %v", k, k.id(), got)
		}
	}
	if got := (key{noon, 7}).file(Ogg); got != "2027-01-15/08/"+fmt.Sprintf("tx-7-%d.ogg", int64(noon)) {
		t.Errorf("the file is %s", got)
	}
}
