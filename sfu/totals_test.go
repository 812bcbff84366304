package sfu

import "testing"

// counted is a listener that takes everything.
type counted struct{}

func (counted) Send(*Message) {}

// TestTotalsNeverFall: what a user has counted stays when the user has gone, and is there
// once, however often it comes back.
func TestTotalsNeverFall(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	for round := range uint64(3) {
		ear := &counted{}
		s.Attach(7, ear)
		v := (*s.users.Load())[7].talker
		v.packets.Add(5)
		v.unrouted.Add(2)
		v.encoded.Add(1)
		s.Publish(&Frame{Talker: 8, Encoding: Opus, Payload: []byte{0}}) // a stranger
		for _, when := range []string{"before", "after"} {
			want := Totals{In: 5 * (round + 1), Unrouted: 2 * (round + 1), Encoded: round + 1, Strangers: round + 1}
			if got := s.Totals(); got != want {
				t.Errorf("round %d, %s the user left: %+v, want %+v", round, when, got, want)
			}
			s.Detach(7, ear)
		}
	}
}
