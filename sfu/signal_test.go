package sfu

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"squelch/core"
)

// peersOf is how many peers are counted.
func (s *SFU) peersOf() int {
	s.control.Lock()
	defer s.control.Unlock()
	return s.peers
}

// The service is full. A client whose network has changed makes a new offer, long before its
// old connection is found dead.
func TestWhoComesBackFindsItsPlace(t *testing.T) {
	r := onAir(t, Options{})
	sdp := anOffer(t)
	r.listenOn(Network{UDP: "127.0.0.1:0", Peers: 2})
	offers := func(user core.UserID) error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_, err := r.sfu.Answer(ctx, user, sdp, PeerEvents{})
		return err
	}
	for _, user := range []core.UserID{-1, -2, -1, -2, -1} {
		if err := offers(user); err != nil {
			t.Fatalf("%d: %v", user, err)
		}
	}
	if err := offers(-3); !errors.Is(err, ErrFull) {
		t.Errorf("the third of two: %v", err)
	}
	var all sync.WaitGroup
	for range 3 { // both at once, again and again
		for _, user := range []core.UserID{-1, -2} {
			all.Go(func() {
				if err := offers(user); err != nil {
					t.Errorf("%d comes back at the same time: %v", user, err)
				}
			})
		}
	}
	all.Wait()
	if n := r.sfu.peersOf(); n != 2 {
		t.Errorf("%d peers are counted of 2", n)
	}
	r.sfu.ClosePeer(-1)
	if err := offers(-3); err != nil {
		t.Errorf("a place was free: %v", err)
	}
	if err := offers(-1); !errors.Is(err, ErrFull) {
		t.Errorf("the place is given away: %v", err)
	}
	if n := r.sfu.peersOf(); n != 2 {
		t.Errorf("%d peers are counted of 2", n)
	}
}

// The old connection ends while the new offer is answered, and somebody else takes the place.
func TestAPlaceThatIsGivenAwayIsNotTakenTwice(t *testing.T) {
	r := onAir(t, Options{})
	sdp := anOffer(t)
	r.listenOn(Network{UDP: "127.0.0.1:0", Peers: 1})
	if _, err := r.sfu.Answer(context.Background(), -1, sdp, PeerEvents{}); err != nil {
		t.Fatal(err)
	}
	ports, counted, err := r.sfu.reserve(-1)
	if err != nil || counted {
		t.Fatalf("who comes back is counted: %v, %v", counted, err)
	}
	r.sfu.ClosePeer(-1)
	if _, err := r.sfu.Answer(context.Background(), -2, sdp, PeerEvents{}); err != nil {
		t.Fatal(err)
	}
	if err := r.sfu.admit(&peer{s: r.sfu, user: -1}, ports, counted); !errors.Is(err, ErrFull) {
		t.Errorf("it is admitted too: %v", err)
	}
	if n := r.sfu.peersOf(); n != 1 {
		t.Errorf("%d peers are counted of 1", n)
	}
}
