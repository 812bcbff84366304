package sfu

import (
	"sync"
	"time"

	"github.com/pion/rtcp"

	"squelch/core"
)

const (
	// lossCap is the most loss that a talker's encoder is told of, as a fraction. In-band FEC
	// takes its bits from the voice itself, and above this nothing is gained.
	lossCap = 0.20
	// lossRise and lossFall smooth what is measured: it counts half at once when it gets
	// worse, and an eighth when it gets better, so that a calm second between two bad ones
	// changes nothing.
	lossRise, lossFall = 0.5, 0.125
	// lossFloor is the loss below which nothing is repeated: concealment is not heard.
	lossFloor = 0.01
	// lossMemory is how long packets are repeated after the last loss, and how long what is
	// known of a line counts when nothing new comes: it is another line by then.
	lossMemory = 30 * time.Second
)

// SlotReport is what a client has counted on one slot since its connection began, as
// RTCInboundRtpStreamStats has it.
type SlotReport struct {
	Mid       string
	Received  uint64 // packets
	Lost      uint64 // packets
	Concealed uint64 // samples at 48 kHz that were made up while somebody spoke
	Events    uint64 // how often that began
}

// Counts are the packets of one connection so far, as this side has them.
type Counts struct {
	Received uint64 // of the user's own voice
	Slots    []SlotSent
}

// SlotSent is how many packets a slot was sent.
type SlotSent struct {
	Mid  string
	Sent uint64
}

// Report takes a client's counts. From them the SFU finds out how many packets in a row
// its line loses, which receiver reports do not tell, and how many earlier frames each
// packet has to repeat (RFC 2198). Slots that the user does not have are left out. The
// answer is what was sent and received here; false: the user has no connection.
func (s *SFU) Report(user core.UserID, reports []SlotReport) (Counts, bool) {
	u := (*s.users.Load())[user]
	if u == nil || u.peer == nil {
		return Counts{}, false
	}
	now := s.clock()
	for _, r := range reports {
		for _, slot := range u.peer.slots {
			if slot.mid == r.Mid {
				slot.generations.Store(int32(slot.hearing.counted(r, slot.skipped(), now)))
				slot.hearing.behind(slot.places(), now)
			}
		}
	}
	return u.peer.counts(), true
}

// counts are those of the connection now.
func (p *peer) counts() Counts {
	var c Counts
	if p.up != nil {
		c.Received = p.up.in.Stats().Packets
	}
	for _, s := range p.slots {
		c.Slots = append(c.Slots, SlotSent{Mid: s.mid, Sent: s.stats().Packets})
	}
	return c
}

// hearing is how a slot arrives at its listener. Control code and the peer's own goroutine
// use it, the hot path does not.
type hearing struct {
	mu      sync.Mutex
	loss    float64 // smoothed, of all that the talker sent
	heardAt int64   // when that was last told, ns
	last    SlotReport
	skipped uint64  // packets of the last report that were never sent, because they did not come here
	owed    float64 // of these, what the client may count as lost only in its next report

	generations int   // how many earlier frames are repeated
	lossyAt     int64 // when the line last lost packets, ns

	deafAt int64 // when the client last reported that unheardLeast packets or more are missing, ns; 0: it has them
}

// received takes a receiver report.
func (h *hearing) received(r rtcp.ReceptionReport, now int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.smooth(float64(r.FractionLost)/256, now)
}

func (h *hearing) smooth(loss float64, now int64) {
	h.age(now)
	h.heardAt = now
	if loss > h.loss {
		h.loss += (loss - h.loss) * lossRise
	} else {
		h.loss += (loss - h.loss) * lossFall
	}
}

// age forgets what is no longer known.
func (h *hearing) age(now int64) {
	if now-h.heardAt > int64(lossMemory) {
		h.loss = 0
	}
}

// lossNow is the smoothed loss.
func (h *hearing) lossNow(now int64) float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age(now)
	return h.loss
}

// counted takes the client's own counts and says how many earlier frames to repeat.
// skipped is how many packets were never sent to it.
func (h *hearing) counted(r SlotReport, skipped uint64, now int64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	since := func(now, before uint64) float64 { return float64(max(now, before) - before) }
	received, lost := since(r.Received, h.last.Received), since(r.Lost, h.last.Lost)
	concealed, events := since(r.Concealed, h.last.Concealed)/frameSamples, since(r.Events, h.last.Events)
	// The client took its counts a little earlier than skipped.
	onLine := lost - since(skipped, h.skipped)
	onLine, h.owed = max(0, onLine-h.owed), max(0, -onLine)
	h.last, h.skipped = r, skipped
	if received+lost == 0 {
		return h.generations
	}
	h.smooth(lost/(received+lost), now)
	if onLine/(received+lost) < lossFloor {
		return h.generations
	}
	h.lossyAt = now
	enough := 1
	if h.generations > 0 && concealed/(received+lost) >= lossFloor {
		enough = h.generations + 1 // what is repeated now does not suffice
	}
	if events > 0 {
		enough = max(enough, int(concealed/events+0.5)) // as long as the gaps that were heard
	}
	h.generations = min(max(h.generations, enough), maxGenerations)
	return h.generations
}

// behind notes whether the client's last report lacks the newest of the packets so far.
func (h *hearing) behind(places uint64, now int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deafAt = 0; places >= h.last.Received+h.last.Lost+unheardLeast {
		h.deafAt = now
	}
}

// missing is how many packets have gone out since the last one that the client has
// received, if its line is dead, and 0 otherwise.
func (h *hearing) missing(places uint64, now int64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := h.last.Received + h.last.Lost; h.deafAt != 0 && now-h.deafAt <= int64(unheardReport) && places > got {
		return int(min(places-got, pastFrames))
	}
	return 0
}

// calm says whether repeating can end, and ends it.
func (h *hearing) calm(now int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.generations == 0 || now-h.lossyAt < int64(lossMemory) {
		return false
	}
	h.generations = 0
	return true
}

// worstLoss is, for each talker, the loss at the listener who hears the talk worst, at most
// lossCap. Whoever hears it through the vocoder does not count: what the talker's encoder
// adds against loss does not get there.
func worstLoss(users map[core.UserID]*listener, now int64) map[core.UserID]float64 {
	worst := map[core.UserID]float64{}
	for _, u := range users {
		if u.peer == nil {
			continue
		}
		for _, s := range u.peer.slots {
			if use := s.use.Load(); use != nil && !use.digital {
				worst[use.talker] = max(worst[use.talker], min(s.hearing.lossNow(now), lossCap))
			}
		}
	}
	return worst
}
