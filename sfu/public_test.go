package sfu

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"squelch/sfu/client"
)

// told is which addresses a client is told, each once, in order.
func (r *radio) told(c *city, ip string) string {
	r.t.Helper()
	var sdp string
	_, err := client.Dial(context.Background(), client.Options{Net: c.attach(ip)}, func(ctx context.Context, offer string) (string, error) {
		var err error
		sdp, err = r.sfu.Answer(ctx, -1, offer, PeerEvents{})
		return "", errors.Join(errNoAnswer, err)
	})
	if !errors.Is(err, errNoAnswer) {
		r.t.Fatal(err)
	}
	r.sfu.ClosePeer(-1)
	var all []string
	for l := range strings.Lines(sdp) {
		if f := strings.Fields(l); strings.HasPrefix(l, "a=candidate:") && f[1] == "1" && (len(all) == 0 || all[len(all)-1] != f[4]) {
			all = append(all, f[4])
		}
	}
	return fmt.Sprint(all)
}

func TestClientsAreToldEveryPublicAddressAndTheNewestOfAName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCity(t)
		defer c.close()
		r := onAir(t, Options{})
		defer r.sfu.Close()
		var home atomic.Pointer[string]
		home.Store(new("203.0.113.5"))
		n := c.server()
		n.PublicAddresses = []string{"radio.example.org", "192.168.1.10"}
		n.lookup = func(_ context.Context, _, name string) ([]netip.Addr, error) {
			if at := *home.Load(); name == "radio.example.org" && at != "" {
				return []netip.Addr{netip.MustParseAddr(at), netip.MustParseAddr("203.0.113.99")}, nil
			}
			return nil, errors.New("no such host")
		}
		r.listenOn(n)
		for _, step := range []struct{ says, at, want string }{
			{"at the start", "203.0.113.5", "[203.0.113.5 192.168.1.10]"},
			{"the line has a new address", "203.0.113.6", "[203.0.113.6 192.168.1.10]"},
			{"the name server is gone", "", "[203.0.113.6 192.168.1.10]"},
			{"and comes back", "203.0.113.7", "[203.0.113.7 192.168.1.10]"},
		} {
			home.Store(&step.at)
			time.Sleep(resolveEvery + time.Second)
			if got := r.told(c, "10.0.1.1"); got != step.want {
				t.Errorf("%s: told %s, want %s", step.says, got, step.want)
			}
		}
	})
}
