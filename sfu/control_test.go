package sfu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v4"

	"squelch/core"
	"squelch/sfu/client"
	"squelch/sfu/line"
)

// live runs a story on a simulated network, in real time: pion holds a mutex while it
// waits for the end of an SCTP association, and simulated time stands still when
// anybody waits for a mutex.
func live(t *testing.T, story func(t *testing.T, c *city, r *radio)) {
	t.Helper()
	c := newCity(t)
	defer c.close()
	r := onAir(t, Options{})
	defer r.sfu.Close()
	r.listenOn(c.server())
	story(t, c, r)
}

// until waits for something that takes a moment.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// ends collects why peers have ended.
type ends struct {
	mu  sync.Mutex
	all []error
}

func (e *ends) add(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, err)
}

func (e *ends) are(want ...error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.EqualFunc(e.all, want, errors.Is)
}

// controlled is a peer with a data channel and what both ends have got.
type controlled struct {
	*client.Client
	line *access
	end  *Control // ours

	mu      sync.Mutex
	texts   []string    // at the client
	events  []string    // here
	failed  error       // of Receive
	dropped atomic.Bool // the client has noticed the end
}

func (c *controlled) got() (texts, events []string, failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.texts...), append([]string(nil), c.events...), c.failed
}

// controlled connects a player with a data channel.
func (c *city) controlled(r *radio, id core.UserID, events PeerEvents) *controlled {
	c.t.Helper()
	k := &controlled{line: c.line("10.0.1." + id.String())}
	opened := make(chan *Control, 1)
	handle := events.Control
	events.Control = func(end *Control) {
		opened <- end
		if handle != nil {
			handle(end)
			return
		}
		for {
			b, err := end.Receive()
			k.mu.Lock()
			if k.failed = err; err == nil {
				k.events = append(k.events, string(b))
			}
			k.mu.Unlock()
			if err != nil {
				return
			}
		}
	}
	var err error
	k.Client, err = client.Dial(c.t.Context(), client.Options{Net: k.line,
		Control: func(text []byte) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.texts = append(k.texts, string(text))
		},
		Gone: func() { k.dropped.Store(true) },
	}, answering(r, id, events))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(k.Close)
	k.end = <-opened
	return k
}

// answering hands offers to the media plane.
func answering(r *radio, id core.UserID, events PeerEvents) func(context.Context, string) (string, error) {
	return func(ctx context.Context, offer string) (string, error) { return r.sfu.Answer(ctx, id, offer, events) }
}

// foreign connects a client that opens a data channel of its own making, and does not
// know how long messages may be.
func (c *city) foreign(r *radio, id core.UserID, events PeerEvents, label string, init *webrtc.DataChannelInit) (*webrtc.PeerConnection, chan *webrtc.DataChannel) {
	c.t.Helper()
	var e webrtc.SettingEngine
	e.LoggerFactory = logging.NewDefaultLoggerFactory()
	e.SetNet(c.line("10.0.1." + id.String()))
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(e)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		c.t.Fatal(err)
	}
	dc, err := pc.CreateDataChannel(label, init)
	if err != nil {
		c.t.Fatal(err)
	}
	opened := make(chan *webrtc.DataChannel, 2)
	dc.OnOpen(func() { opened <- dc })
	if _, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
		c.t.Fatal(err)
	}
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(offer); err != nil {
		c.t.Fatal(err)
	}
	<-gathered
	answer, err := r.sfu.Answer(c.t.Context(), id, pc.LocalDescription().SDP, events)
	if err != nil {
		c.t.Fatal(err)
	}
	if !strings.Contains(answer, fmt.Sprint("a=max-message-size:", line.MaxMessage)) {
		c.t.Errorf("the answer does not say how long messages may be:\n%s", answer)
	}
	answer = strings.ReplaceAll(answer, fmt.Sprint("a=max-message-size:", line.MaxMessage), "a=max-message-size:10000000")
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		c.t.Fatal(err)
	}
	return pc, opened
}

func TestTextsGoBothWaysBesideTheVoice(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		r.do(core.Register{User: 7})
		k := c.controlled(r, 7, PeerEvents{})
		r.do(core.Connect{Want: 7, Owner: "7"}, core.JoinAsSpeaker{User: 7, Frequency: patrol})
		r.tune(-1, patrol)
		desk := r.listen(-1)
		long := strings.Repeat("x", line.MaxMessage)
		for n := range 20 {
			if !k.end.Send(fmt.Appendf(nil, "to you %d", n)) {
				t.Fatal("not accepted")
			}
			k.SendControl(fmt.Sprint("to us ", n))
		}
		k.SendControl(long)
		k.SendControl("")
		r.key(7, patrol)
		for n := range 50 {
			k.Send(word(1, n))
			time.Sleep(5 * time.Millisecond)
		}
		until(t, "everything arrives", func() bool {
			texts, events, _ := k.got()
			return len(texts) == 20 && len(events) == 22 && desk.count() == 50
		})
		if texts, events, _ := k.got(); texts[19] != "to you 19" || events[0] != "to us 0" || events[20] != long || events[21] != "" {
			t.Errorf("the client got %q, we got %.40q", texts, events)
		}
		if k.end.MaxMessage() != 256<<10 || !k.end.Current() {
			t.Errorf("messages of %d bytes", k.end.MaxMessage())
		}
	})
}

func TestOtherDataChannelsAreClosed(t *testing.T) {
	yes, no, some := true, false, uint16(3)
	for name, c := range map[string]struct {
		label string
		init  *webrtc.DataChannelInit
	}{
		"another label": {"chat", nil},
		"unordered":     {"control", &webrtc.DataChannelInit{Ordered: &no}},
		"unreliable":    {"control", &webrtc.DataChannelInit{Ordered: &yes, MaxRetransmits: &some}},
		"short lived":   {"control", &webrtc.DataChannelInit{MaxPacketLifeTime: &some}},
	} {
		t.Run(name, func(t *testing.T) {
			live(t, func(t *testing.T, city *city, r *radio) {
				var ended ends
				var late atomic.Int64 // moves the clock
				r.sfu.time = func() int64 { return int64(time.Since(r.sfu.began)) + 1 + late.Load() }
				pc, opened := city.foreign(r, 7, PeerEvents{Control: func(*Control) { t.Error("it was accepted") }, Closed: ended.add}, c.label, c.init)
				defer pc.GracefulClose()
				dc := <-opened
				until(t, "the channel closes", func() bool { return dc.ReadyState() == webrtc.DataChannelStateClosed })
				if !ended.are() {
					t.Errorf("the peer ended with %v", ended.all)
				}
				late.Store(int64(line.ConnectTimeout))
				until(t, "the peer ends, because it has no channel", func() bool { return ended.are(errNoControl) })
			})
		})
	}
}

func TestASecondControlChannelIsClosedAndManyEndTheConnection(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		var ended ends
		var taken atomic.Int32
		pc, opened := c.foreign(r, 7, PeerEvents{Control: func(end *Control) { taken.Add(1); end.Receive() }, Closed: ended.add}, "control", nil)
		defer pc.GracefulClose()
		<-opened
		for n := range maxDataChannels - 2 {
			dc, err := pc.CreateDataChannel("control", nil)
			if err != nil {
				t.Fatal(err)
			}
			until(t, "it is closed", func() bool { return dc.ReadyState() == webrtc.DataChannelStateClosed })
			if taken.Load() != 1 || !ended.are() {
				t.Fatalf("after %d more: %d accepted, ended with %v", n+1, taken.Load(), ended.all)
			}
		}
		if _, err := pc.CreateDataChannel("control", nil); err != nil {
			t.Fatal(err)
		}
		until(t, "the peer ends", func() bool { return ended.are(errChannels) })
		if taken.Load() != 1 {
			t.Errorf("%d channels were accepted", taken.Load())
		}
	})
}

func TestWhatIsNoTextOfReasonableLengthEndsTheConnection(t *testing.T) {
	for name, c := range map[string]struct {
		send func(*webrtc.DataChannel) error
		want error
	}{
		"too long":  {func(dc *webrtc.DataChannel) error { return dc.SendText(strings.Repeat("x", line.MaxMessage+1)) }, errLongMessage},
		"not text":  {func(dc *webrtc.DataChannel) error { return dc.Send([]byte{1}) }, errBinary},
		"a goodbye": {func(dc *webrtc.DataChannel) error { return dc.Close() }, line.ErrLeft},
	} {
		t.Run(name, func(t *testing.T) {
			live(t, func(t *testing.T, city *city, r *radio) {
				var ended ends
				pc, opened := city.foreign(r, 7, PeerEvents{Closed: ended.add, Control: func(end *Control) {
					if _, err := end.Receive(); err == nil {
						t.Error("it was received")
					}
				}}, "control", nil)
				defer pc.GracefulClose()
				if err := c.send(<-opened); err != nil {
					t.Fatal(err)
				}
				until(t, "the peer ends", func() bool { return ended.are(c.want) })
				if n := len(r.sfu.Stats().Peers); n != 0 {
					t.Errorf("%d peers are left", n)
				}
			})
		})
	}
}

// Of a message of 1 MB only what fits the window is kept. It never becomes complete, so
// its sender is as one that says nothing more.
func TestAHugeMessageFillsNoMemory(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		received := make(chan []byte, 10)
		pc, opened := c.foreign(r, 7, PeerEvents{Control: func(end *Control) {
			for {
				b, err := end.Receive()
				if err != nil {
					return
				}
				received <- b
			}
		}}, "control", nil)
		defer pc.GracefulClose()
		dc := <-opened
		if err := dc.SendText("before"); err != nil {
			t.Fatal(err)
		}
		const huge = 1_000_000
		if err := dc.SendText(strings.Repeat("x", huge)); err != nil {
			t.Fatal(err)
		}
		until(t, "the window is full", func() bool { return dc.BufferedAmount() <= huge-line.MessageWindow })
		for range 500 { // for as long as it takes, no more is taken
			time.Sleep(time.Millisecond)
			if left := dc.BufferedAmount(); left < huge-line.MessageWindow-line.ReceiveMTU {
				t.Fatalf("all but %d bytes of it were taken", left)
			}
		}
		if b := <-received; string(b) != "before" || len(received) != 0 {
			t.Errorf("%.20q and %d more", b, len(received))
		}
	})
}

func TestAClientThatDoesNotReadIsPutOut(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		var ended ends
		k := c.controlled(r, 7, PeerEvents{Closed: ended.add})
		k.line.set(func(l *access) { l.cut = true })
		sent, piece := 0, make([]byte, 60<<10)
		for k.end.Send(piece) {
			sent += len(piece)
			if sent > 2*controlBacklog {
				t.Fatal("the backlog has no end")
			}
		}
		if sent < controlBacklog-2*len(piece) {
			t.Errorf("%d bytes are too many", sent)
		}
		until(t, "it is put out", func() bool {
			_, _, failed := k.got()
			return ended.are(errSlow) && failed != nil
		})
	})
}

func TestClosingDeliversWhatWasSent(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		k := c.controlled(r, 7, PeerEvents{})
		for n := range 100 {
			k.end.Send(fmt.Appendf(nil, "%4d %s", n, strings.Repeat("x", 5000)))
		}
		k.end.Close()
		k.end.Close()
		if k.end.Send([]byte("late")) {
			t.Error("sent after the end")
		}
		until(t, "both ends are over", func() bool {
			_, _, failed := k.got()
			return failed != nil && k.dropped.Load() && !k.end.Current()
		})
		if texts, _, _ := k.got(); len(texts) != 100 {
			t.Errorf("%d of 100 messages arrived", len(texts))
		}
	})
}

func TestAnotherOfferReplacesTheChannel(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		first := c.controlled(r, 7, PeerEvents{})
		first.SendControl("goodbye")
		until(t, "the goodbye arrives", func() bool { _, events, _ := first.got(); return len(events) == 1 })
		second := c.controlled(r, 7, PeerEvents{})
		until(t, "the first ends", func() bool { _, _, failed := first.got(); return failed != nil && !first.end.Current() })
		first.end.Close() // harms the second in no way
		first.end.Cut()
		if !second.end.Send([]byte("still here")) || !second.end.Current() {
			t.Error("the second has ended")
		}
		until(t, "the second hears", func() bool { texts, _, _ := second.got(); return len(texts) == 1 })
	})
}

func TestWhoDoesNotAskForADataChannelGetsNone(t *testing.T) {
	live(t, func(t *testing.T, c *city, r *radio) {
		answer := answering(r, -1, PeerEvents{})
		_, err := client.Dial(t.Context(), client.Options{Net: c.line("10.0.1.1"), Control: func([]byte) {}}, answer)
		if err == nil || !strings.Contains(err.Error(), "only audio is supported") {
			t.Errorf("an offer with one: %v", err)
		}
		answer = answering(r, 7, PeerEvents{Control: func(*Control) {}})
		_, err = client.Dial(t.Context(), client.Options{Net: c.line("10.0.1.2")}, answer)
		if err == nil || !strings.Contains(err.Error(), "no section for the data channel") {
			t.Errorf("an offer without one: %v", err)
		}
	})
}

// TestOnlyAConnectedClientCanLackTheChannel: a client that never connects has not opened
// the channel either, but what is wrong is its connection.
func TestOnlyAConnectedClientCanLackTheChannel(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		r.sfu.time = func() int64 { return 2 * int64(time.Since(r.sfu.began)) } // we give up before ICE does
		l := c.line("10.0.1.9")
		l.cut = true
		ended := make(chan error, 1)
		events := PeerEvents{Control: func(*Control) { t.Error("opened over a cut line") }, Closed: func(err error) { ended <- err }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := client.Dial(ctx, client.Options{Net: l, Control: func([]byte) {}}, answering(r, 7, events)); err == nil {
			t.Error("connected over a cut line")
		}
		if err := <-ended; err != errNeverConnected {
			t.Errorf("ended with %v", err)
		}
	})
}
