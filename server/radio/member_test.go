package radio_test

import (
	"net/http"
	"testing"
	"time"

	"squelch/server/internal/testradio"
)

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

// owner is the node that owns the radio, and the others.
func owner(t *testing.T, all []*testradio.Member) (is *testradio.Member, rest []*testradio.Member) {
	t.Helper()
	until(t, "somebody owns the radio", func() bool {
		is, rest = nil, nil
		for _, m := range all {
			if all[0].Node.Leases.Owner("default").Node == m.Node.Name() {
				is = m
			} else {
				rest = append(rest, m)
			}
		}
		return is != nil
	})
	return is, rest
}

// TestADispatcherOfEachNode: what one says is heard at the others, and the owner's end is not
// noticed by those elsewhere.
func TestADispatcherOfEachNode(t *testing.T) {
	all := testradio.Nodes(t, 3, func() testradio.Options { return named("token") })
	var desks []*desk
	for i, m := range all {
		d := open(t, m.URL, "token", -2-i)
		d.does(t, "addListeningChannel", channel)
		desks = append(desks, d)
	}
	desks[0].does(t, "setSpeakerChannel", channel)
	desks[0].does(t, "setTalking", true)
	for _, d := range desks[1:] {
		d.hears(t, `"state":true`)
	}
	desks[0].does(t, "setTalking", false)
	is, rest := owner(t, all)
	is.Stop()
	for _, m := range rest {
		if got := reauth(t, m.URL, "token"); got != http.StatusOK {
			t.Errorf("node %s answers %d", m.Node.Name(), got)
		}
	}
	talker := open(t, rest[0].URL, "token", -9)
	talker.does(t, "setSpeakerChannel", channel)
	until(t, "the others key up", func() bool {
		return talker.EmitAck("setTalking", patience, nil, true) == nil
	})
}
