package client

import (
	"testing"
	"time"

	"github.com/pion/rtp"
)

// wire records what would be sent.
type wire struct{ sent []rtp.Header }

func (w *wire) WriteRTP(h *rtp.Header, _ []byte) (int, error) {
	w.sent = append(w.sent, *h)
	return 0, nil
}
func (w *wire) Write([]byte) (int, error) { return 0, nil }

func TestHowAClientNumbersItsVoice(t *testing.T) {
	w := &wire{}
	u := &uplink{writer: w, codec: 111, ssrc: 7}
	now := time.Unix(1000, 0)
	for _, gap := range []time.Duration{0, 20 * time.Millisecond, 20 * time.Millisecond, time.Second, 20 * time.Millisecond} {
		now = now.Add(gap)
		if err := u.send([]byte{31 << 3, 1}, 960, now); err != nil {
			t.Fatal(err)
		}
	}
	marks := []bool{true, false, false, false, false} // as browsers do
	times := []uint32{0, 960, 1920, 1920 + 50*960, 1920 + 51*960}
	for i, h := range w.sent {
		if h.Marker != marks[i] || h.Timestamp != times[i] || h.SequenceNumber != uint16(i+1) || h.SSRC != 7 || h.PayloadType != 111 {
			t.Errorf("packet %d: %+v", i, h)
		}
	}
}

func TestAVoiceThatComesBackIsTimed(t *testing.T) {
	u := &uplink{writer: &wire{}}
	now := time.Unix(1000, 0)
	for n := range byte(200) {
		if err := u.send([]byte{31 << 3, n}, 960, now.Add(time.Duration(n)*20*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	later := now.Add(199*20*time.Millisecond + 75*time.Millisecond)
	if d := u.roundTrip([]byte{31 << 3, 199}, later); d != 75*time.Millisecond {
		t.Errorf("the last packet was away for %v", d)
	}
	if d := u.roundTrip([]byte{31 << 3, 250}, later); d != 0 {
		t.Errorf("somebody else's packet was away for %v", d)
	}
	if u := new(uplink); u.send([]byte{31 << 3}, 960, now) == nil {
		t.Error("sent without a connection")
	}
}
