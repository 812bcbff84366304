package sfu

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// timeline records where in the talker's time a listener hears what.
type timeline struct {
	begins  []uint32
	lengths []int
	packets [][]byte
}

func (l *timeline) Send(m *Message) {
	l.begins = append(l.begins, m.timestamp)
	l.lengths = append(l.lengths, m.Samples())
	l.packets = append(l.packets, bytes.Clone(m.Bytes()))
}

// A talker's packets on a digital channel come out of order and with gaps. What is missing
// is made up in its own place, so that the talk has no hole and does not get longer.
func TestWhatIsLostOnTheWayToADigitalChannelIsConcealedInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, p25, _ := digitalRadio(t, nil)
		plain := &timeline{}
		r.tune(-4, digital1)
		r.sfu.Attach(-4, plain)
		u := newUplink(r.sfu, -1, 111)
		packets := opusSpeech(t)[:100]
		var order []int
		for n := range packets {
			switch n {
			case 30, 50, 51, 52: // never come
			case 40:
				order = append(order, 41, 40)
			case 41:
			default:
				order = append(order, n)
			}
		}
		time.Sleep(time.Second) // an uplink affords packets as time passes
		for _, n := range order {
			u.push(rtpPacket(t, n+1, packets[n]))
			time.Sleep(20 * time.Millisecond)
		}
		if len(plain.begins) == 0 {
			t.Fatal("nothing was heard")
		}
		blocks, next := 0, uint32(frameSamples)
		for i, at := range plain.begins {
			if at != next {
				t.Fatalf("packet %d begins at %d, want %d: after %v", i, at, next, plain.lengths[:i])
			}
			next += uint32(plain.lengths[i])
			blocks += plain.lengths[i] / frameSamples
		}
		imbeBlocks := 0
		for _, f := range p25.frames {
			imbeBlocks += len(f) / imbeFrame
		}
		if blocks != len(packets) || imbeBlocks != len(packets) {
			t.Errorf("%d packets became %d Opus frames and %d IMBE frames", len(packets), blocks, imbeBlocks)
		}
		if len(plain.begins) != len(order) {
			t.Errorf("%d packets came, %d went out", len(order), len(plain.begins))
		}
	})
}
