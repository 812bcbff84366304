package check

import (
	"fmt"

	"squelch/core"
)

// Floors knows who holds which floor, and for how long it was so.
type Floors struct {
	// Block says that a busy channel is denied (core.Config.Bonking).
	Block bool

	held  map[core.Frequency]map[core.UserID]*span // by where a talk is heard
	spans map[talk][]*span
}

type talk struct {
	user  core.UserID
	keyed core.Frequency
}

// span is how long a talk was heard on a channel, ms since the epoch.
type span struct {
	talk
	from, to int64 // to 0: it goes on
}

// NewFloors starts with nobody on the air.
func NewFloors(block bool) *Floors {
	return &Floors{Block: block, held: map[core.Frequency]map[core.UserID]*span{}, spans: map[talk][]*span{}}
}

// Step takes what an order has done. The error says which rule it breaks.
func (f *Floors) Step(at int64, cmd core.Command, events []core.Event) error {
	for _, e := range events {
		switch fact := e.Fact.(type) {
		case core.FloorTaken:
			if err := f.taken(at, cmd, fact); err != nil {
				return err
			}
		case core.FloorReleased:
			f.released(at, fact.Frequency, fact.User)
		}
	}
	return nil
}

func (f *Floors) taken(at int64, cmd core.Command, t core.FloorTaken) error {
	on := f.held[t.Frequency]
	if on == nil {
		on = map[core.UserID]*span{}
		f.held[t.Frequency] = on
	}
	if on[t.User] != nil {
		return nil
	}
	key, keyed := cmd.(core.KeyUp)
	if keyed && key.User == t.User && f.Block && !t.Override && !t.HotMic {
		// Two talkgroups are both heard on their control channel; that is no clash.
		for other, s := range on {
			if t.Keyed != t.Frequency && s.keyed != t.Frequency {
				continue
			}
			return fmt.Errorf("%d was given the floor of %s, which %d holds", t.User, t.Frequency, other)
		}
	}
	f.begin(at, t.Frequency, talk{t.User, t.Keyed})
	return nil
}

func (f *Floors) begin(at int64, heard core.Frequency, t talk) {
	if f.held[heard] == nil {
		f.held[heard] = map[core.UserID]*span{}
	}
	s := &span{talk: t, from: at}
	f.held[heard][t.user] = s
	f.spans[t] = append(f.spans[t], s)
}

func (f *Floors) released(at int64, heard core.Frequency, user core.UserID) {
	if s := f.held[heard][user]; s != nil {
		s.to = at
		delete(f.held[heard], user)
	}
}

// Replace takes a radio that was replaced by a snapshot.
func (f *Floors) Replace(at int64, talks []core.Talk) {
	for heard, on := range f.held {
		for user := range on {
			f.released(at, heard, user)
		}
	}
	for _, t := range talks {
		for _, heard := range t.Heard {
			f.begin(at, heard, talk{t.User, t.Frequency})
		}
	}
}

// Frame judges a frame of a talker who has keyed a channel, that a listener got at a moment
// (ms since the epoch, by the radio's clock). slack is how much later than a talk's end, or
// earlier than its beginning, a frame may be: its way, in ms.
func (f *Floors) Frame(at int64, user core.UserID, keyed core.Frequency, slack int64) error {
	for _, s := range f.spans[talk{user, keyed}] {
		if at >= s.from-slack && (s.to == 0 || at <= s.to+slack) {
			return nil
		}
	}
	return fmt.Errorf("a frame of %d on %s at %d, and it held no floor then", user, keyed, at)
}
