package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
)

const day = 24 * time.Hour

// fakeClock is set by tests. Time passes with both hands, a jump moves only the wall's.
type fakeClock struct {
	wall   int64
	steady time.Duration
}

func (c *fakeClock) hands() hands {
	return hands{wall: func() int64 { return c.wall }, steady: func() time.Duration { return c.steady }}
}

func (c *fakeClock) pass(d time.Duration) {
	c.wall += d.Milliseconds()
	c.steady += d
}

func (c *fakeClock) jump(d time.Duration) { c.wall += d.Milliseconds() }

// openBy opens a shelf whose time is that of the clock.
func openBy(t *testing.T, dir string, o Options, c *fakeClock) *Shelf {
	t.Helper()
	o.Logf = t.Logf
	s, err := open(dir, o, c.hands())
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// numbers lists the recordings by their numbers, the oldest first.
func numbers(s *Shelf) (list []int) {
	for _, id := range s.Match(Query{}) {
		k, _ := parseID(id)
		list = append(list, k.number)
	}
	slices.Reverse(list)
	return list
}

func want(t *testing.T, s *Shelf, says string, list ...int) {
	t.Helper()
	if got := numbers(s); !slices.Equal(got, list) {
		t.Errorf("%s: there are %v, want %v", says, got, list)
	}
}

func TestAgeAndSizeOfEachChannelAreLimited(t *testing.T) {
	const police, fire, event core.Frequency = 154_755_000, 460_250_000, 462_000_000
	c := &fakeClock{wall: noon}
	dir := t.TempDir()
	var size int64
	s := openBy(t, dir, Options{Limits: func(f core.Frequency) Limits {
		switch f {
		case fire:
			return Limits{Age: 7 * day}
		case event:
			return Limits{Bytes: 2*size + size/2}
		}
		return Limits{Age: 30 * day}
	}}, c)
	number := 0
	say := func(f core.Frequency) {
		number++
		e := entry(number, c.wall)
		e.Frequency = f
		if b := tape(t, s, e, 50).Bytes; f == event {
			size = b
		}
		c.pass(time.Second)
	}
	say(police) // 1
	say(fire)   // 2
	for range 4 {
		say(event) // 3-6
	}
	must(t, s.retain())
	want(t, s, "the size of one channel", 1, 2, 5, 6)
	c.pass(7*day - time.Minute)
	must(t, s.retain())
	want(t, s, "before the age", 1, 2, 5, 6)
	c.pass(time.Minute)
	must(t, s.retain())
	want(t, s, "the age of one channel", 1, 5, 6)
	say(fire) // 7
	c.pass(30 * day)
	must(t, s.retain())
	want(t, s, "the age of all others", 5, 6)
	if st := s.State(); st.Bytes != 2*size || st.Recordings != 2 || st.Oldest >= c.wall {
		t.Errorf("the state is %+v", st)
	}
	must(t, s.Close())
	want(t, openBy(t, dir, Options{}, c), "after a restart", 5, 6)
	if files := strings.Join(tree(t, dir), " "); strings.Count(files, ".ogg") != 2 || strings.Count(files, "2027-") != 4 {
		t.Errorf("the folder has %v", files)
	}
}

func TestTheQuotaTakesTheOldestAndNeverABurstOnTheAir(t *testing.T) {
	c := &fakeClock{wall: noon}
	dir := t.TempDir()
	s := openBy(t, dir, Options{}, c)
	live, err := s.Create(entry(1, noon))
	must(t, err)
	for _, p := range slices.Concat(voice, voice, voice) {
		must(t, live.WriteOpus(p, 0))
	}
	var size int64
	for i := range 6 {
		size = tape(t, s, entry(i+2, noon+int64(i)*1000), 50).Bytes
	}
	s.o.Quota = 3*size + size/2
	must(t, s.retain())
	want(t, s, "the quota", 5, 6, 7)
	if e, ok := s.Get(entry(1, noon).ID); !ok || e.Packets != 150 {
		t.Errorf("the burst on the air is %+v", e)
	}
	// It counts when it is done, and is the oldest then.
	e := entry(1, noon)
	e.End = noon + 3000
	must(t, live.Done(e))
	select {
	case <-s.full:
	default:
		t.Error("nobody is told that there is too much")
	}
	must(t, s.retain())
	want(t, s, "the quota after the burst", 5, 6, 7)
	if files := strings.Join(tree(t, dir), " "); strings.Count(files, ".ogg") != 3 {
		t.Errorf("the folder has %v", files)
	}
}

func TestTheNumberOfRecordingsIsLimited(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{})
	s.most = 3
	for i := range 5 {
		tape(t, s, entry(i, noon+int64(i)), 20)
	}
	select {
	case <-s.full:
	default:
		t.Error("nobody is told that there are too many")
	}
	must(t, s.retain())
	want(t, s, "the newest", 2, 3, 4)
}

// A full shelf is not looked through for each burst: a hundredth is made free at a time.
func TestAFullShelfIsLookedThroughNowAndThen(t *testing.T) {
	for _, byNumber := range []bool{false, true} {
		s := openAt(t, t.TempDir(), Options{})
		const many = 400
		for i := range many {
			tape(t, s, entry(i, noon+int64(i)), 2)
		}
		full := s.State()
		if byNumber {
			s.most = many
		} else {
			s.o.Quota = full.Bytes
		}
		must(t, s.retain())
		if st := s.State(); st.Recordings != many {
			t.Fatalf("%d recordings are left of what is allowed", st.Recordings)
		}
		looks := 0
		for i := range many {
			tape(t, s, entry(many+i, noon+int64(many+i)), 2)
			select {
			case <-s.full:
				looks++
				must(t, s.retain())
				if st := s.State(); st.Recordings < many*98/100 || st.Recordings > many*99/100+1 {
					t.Fatalf("%d recordings are left of %d", st.Recordings, many)
				}
			default:
			}
		}
		if st := s.State(); looks < many/10 || looks > many/3 || st.Recordings > many+1 || st.Bytes > full.Bytes+full.Bytes/many {
			t.Errorf("by number %t: %d looks for %d bursts, and %+v", byNumber, looks, many, st)
		}
	}
}

func TestWatchRemovesWhatIsTooMuch(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{Quota: 1})
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		s.Watch(quit)
		close(ended)
	}()
	b, err := s.Create(entry(1, noon))
	must(t, err)
	must(t, b.WriteOpus(voice[0], 0))
	must(t, b.Done(entry(1, noon)))
	for end := time.Now().Add(10 * time.Second); len(numbers(s)) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it stays")
		}
	}
	close(quit)
	<-ended
}

func TestAClockThatJumpsForwardDeletesNothingEarly(t *testing.T) {
	limits := Options{Limits: func(core.Frequency) Limits { return Limits{Age: 30 * day} }}
	for _, by := range []time.Duration{time.Hour, 20 * 365 * day} {
		c := &fakeClock{wall: noon}
		dir := t.TempDir()
		s := openBy(t, dir, limits, c)
		tape(t, s, entry(1, c.wall), 50)
		c.pass(30*day - 30*time.Minute) // half an hour is left
		tape(t, s, entry(2, c.wall), 50)
		must(t, s.retain())
		c.jump(by)
		tape(t, s, entry(3, c.wall), 50) // recording goes on
		for range 12 {
			must(t, s.retain())
			want(t, s, fmt.Sprintf("the clock jumps by %v", by), 1, 2, 3)
			c.pass(time.Minute)
		}
		// Neither does a restart believe it.
		must(t, s.Close())
		s = openBy(t, dir, limits, c)
		must(t, s.retain())
		want(t, s, "after a restart", 1, 2, 3)
		// It is put right, and ages are as before.
		c.jump(-by)
		must(t, s.retain())
		c.pass(17 * time.Minute)
		must(t, s.retain())
		want(t, s, "a minute before its age", 1, 2, 3)
		c.pass(2 * time.Minute)
		must(t, s.retain())
		want(t, s, "at its age", 2, 3)
		// What was recorded under the wrong clock does not stay for 20 years.
		c.pass(31 * day)
		must(t, s.retain())
		want(t, s, "a month later")
	}
}

func TestAClockThatStandsIsBelieved(t *testing.T) {
	c := &fakeClock{wall: noon}
	s := openBy(t, t.TempDir(), Options{Limits: func(core.Frequency) Limits { return Limits{Age: day} }}, c)
	tape(t, s, entry(1, c.wall), 50)
	c.jump(2 * day) // as after the host was suspended
	for range int(standFor / time.Minute) {
		must(t, s.retain())
		want(t, s, "a clock that has just jumped", 1)
		c.pass(time.Minute)
	}
	must(t, s.retain())
	want(t, s, "a clock that has stood")
}

func TestAClockThatJumpsBackStopsNothing(t *testing.T) {
	c := &fakeClock{wall: noon}
	dir := t.TempDir()
	limits := Options{Limits: func(core.Frequency) Limits { return Limits{Age: day} }}
	s := openBy(t, dir, limits, c)
	tape(t, s, entry(1, c.wall), 50)
	b, err := s.Create(entry(2, c.wall))
	must(t, err)
	must(t, b.WriteOpus(voice[0], 0))
	c.jump(-time.Hour)
	e := entry(2, noon)
	e.End = c.wall // an hour before it began
	must(t, b.Done(e))
	if e, _ := s.Get(e.ID); e.End != e.Start+20 {
		t.Errorf("a burst over the jump is %+v", e)
	}
	c.pass(time.Second)
	tape(t, s, entry(3, c.wall), 50)
	want(t, s, "by the time that the clock had", 3, 1, 2)
	must(t, s.retain())
	want(t, s, "by the time that the clock had", 3, 1, 2)
	must(t, s.Close())
	s = openBy(t, dir, limits, c)
	want(t, s, "after a restart", 3, 1, 2)
	page, next := s.List(Query{Limit: 1})
	second, _ := s.List(Query{Limit: 2, Before: next})
	if got := ids(append(page, second...)); len(got) != 3 || got[2] != entry(3, noon-3599_000).ID {
		t.Errorf("the pages are %v", got)
	}
	c.pass(day + 2*time.Hour)
	must(t, s.retain())
	want(t, s, "a day later")
}

// Who listens hears all of it, although retention removes it meanwhile.
func TestRetentionWhileSomebodyListens(t *testing.T) {
	c := &fakeClock{wall: noon}
	s := openBy(t, t.TempDir(), Options{Limits: func(core.Frequency) Limits { return Limits{Age: day} }}, c)
	e := tape(t, s, entry(1, c.wall), 500)
	whole, err := os.ReadFile(filepath.Join(s.dir, key{e.Start, 1}.file(Ogg)))
	must(t, err)
	f, err := s.Open(e.ID, Ogg)
	must(t, err)
	heard := make([]byte, 100)
	_, err = io.ReadFull(f, heard)
	must(t, err)
	c.pass(2 * day)
	must(t, s.retain())
	want(t, s, "retention")
	if _, err := s.Open(e.ID, Ogg); !errors.Is(err, ErrNotFound) {
		t.Errorf("opening what is deleted: %v", err)
	}
	rest, err := io.ReadAll(f)
	must(t, err)
	if string(append(heard, rest...)) != string(whole) {
		t.Errorf("%d bytes of %d were read", len(heard)+len(rest), len(whole))
	}
	must(t, f.Close())
	if names := tree(t, s.dir); len(names) != 2 {
		t.Errorf("the folder has %v", names)
	}
}
