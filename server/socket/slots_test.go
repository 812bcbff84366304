package socket

import (
	"testing"

	"squelch/core"
	"squelch/sfu"
)

func TestWhoHearsATalkAlikeIsToldWithOneEncodedEvent(t *testing.T) {
	s := newStation(t, 100)
	talk := func(id core.UserID) sfu.Slots {
		return sfu.Slots{Slots: []sfu.Slot{{Slot: 0, Mid: "1", Talker: id, Frequency: 154_755_000, Reason: core.AsSpeaker, Fade: 40}},
			Waiting: []sfu.Waiting{{Talker: 9, Frequency: 154_280_000}}}
	}
	var e slotsEvent
	first := e.event(s.Hub, talk(7))
	want := `["webrtc:slots",{"slots":[{"slot":0,"mid":"1","serverId":7,"frequency":"154.755","receiveType":"speaker","signal":60}],"waiting":[{"serverId":9,"frequency":"154.28"}]}]`
	if got := string(first.JSON()); got != want {
		t.Errorf("sent\n%s, want\n%s", got, want)
	}
	if e.event(s.Hub, talk(7)) != first {
		t.Error("the next listener's event is encoded again")
	}
	if other := e.event(s.Hub, talk(8)); other == first || string(other.JSON()) == want {
		t.Error("another talk is told as the first")
	}
	if free := e.event(s.Hub, sfu.Slots{}); string(free.JSON()) != `["webrtc:slots",{"slots":[],"waiting":[]}]` {
		t.Errorf("free slots are told as %s", free.JSON())
	}
}
