package onesocket

import (
	"slices"
	"testing"
	"time"

	"github.com/pion/datachannel"
	"github.com/pion/rtp"
	"github.com/pion/sctp"

	"squelch/sfu/line"
)

// unsigned is a record that nobody has signed. Its number is the highest, so that whoever
// takes it for the client's takes nothing of the client any more.
func unsigned(kind, epoch byte, content ...byte) []byte {
	return append([]byte{kind, 254, 253, 0, epoch, 127, 255, 255, 255, 255, 255, 0, byte(len(content))}, content...)
}

// aStorm is what an attacker sends from a client's address to end its line.
func aStorm() (storm [][]byte) {
	for _, b := range [][]byte{
		unsigned(line.AlertRecord, 0, 2, 40),     // fatal: the handshake has failed
		unsigned(line.AlertRecord, 0, 1, 0),      // goodbye
		unsigned(line.AlertRecord, 0, 1, 90),     // a warning
		unsigned(line.AlertRecord, 0, 1),         // cut off
		unsigned(line.AlertRecord, 1, 1, 0),      // goodbye, not encrypted
		unsigned(line.DataRecord, 0, 1, 2, 3),    //
		unsigned(line.DataRecord, 1, 1, 2, 3),    //
		unsigned(line.ChangeCipherRecord, 0, 9),  //
		unsigned(line.ChangeCipherRecord, 1, 9),  //
		unsigned(line.ChangeCipherRecord, 1, 1),  // well-formed, of the wrong epoch
		unsigned(24, 0, 1),                       // of no known type
		unsigned(25, 1, 1, 2, 3, 4),              //
		unsigned(line.HandshakeRecord, 1, 1)[:9], // cut off
	} {
		storm = append(storm, b, slices.Concat(b, b))
	}
	return storm
}

// behind are datagrams whose first record is one of a handshake, which is taken at any time.
func behind(storm [][]byte) (out [][]byte) {
	for n, b := range storm {
		out = append(out, append(piece(100+n, 0, 0, 10), b...))
	}
	return out
}

func TestNobodyElseEndsALineFromItsAddress(t *testing.T) {
	for when, c := range map[string]struct{ data, dropped bool }{
		"at once": {}, "when the session is forgotten": {dropped: true}, "with a data channel": {data: true},
	} {
		t.Run(when, func(t *testing.T) {
			e, d := still(t), newDesk()
			if c.data {
				d.channels = make(chan line.Channel, 1)
			}
			p, l := calls(t, e, d)
			defer p.session.Close()
			peer := e.peer([]byte(p.user))
			var control *datachannel.DataChannel
			if c.data {
				control = p.dials()
			}
			if c.dropped {
				p.send(p.talks(1, "hello"))
				until(t, "the talk arrives", func() bool { return d.heard() == "hello" })
				peer.sweep(e.clock())
				peer.working.Wait()
			}
			storm := aStorm()
			storm = append(storm, behind(storm)...)
			for range 3 {
				for _, b := range storm {
					peer.alerts.Store(0) // each one is looked at
					p.send(b)
				}
			}
			switch { // what comes after the storm is taken after it
			case c.data:
				if _, err := control.Write([]byte("on my way")); err != nil {
					t.Fatal(err)
				}
				select {
				case said := <-says(d):
					if said != "on my way" {
						t.Fatalf("over the data channel comes %q", said)
					}
				case reason := <-d.over:
					t.Fatalf("the line has ended: %v", reason)
				case <-time.After(20 * time.Second):
					t.Fatal("nothing comes over the data channel")
				}
			case c.dropped:
				p.send(p.talks(2, "there"))
				until(t, "the talk arrives", func() bool { return d.heard() == "hello there" })
				peer.working.Wait()
			default:
				if _, err := p.session.Write([]byte("nothing that there is a use for")); err != nil {
					t.Fatal(err)
				}
				before := p.repeats.Load()
				until(t, "the last flight is repeated", func() bool {
					p.send(piece(1000, 0, 0, 10))
					return p.repeats.Load() > before
				})
			}
			select {
			case reason := <-d.over:
				t.Fatalf("the line has ended: %v", reason)
			default:
			}
			b := e.Batch()
			if err := l.WriteRTP(b, 0, &rtp.Header{PayloadType: 111}, []byte("go ahead")); err != nil {
				t.Fatal(err)
			}
			b.Flush()
			if got := p.hears(); string(got.Payload) != "go ahead" {
				t.Errorf("heard %q", got.Payload)
			}
			peer.alerts.Store(0)
			_ = p.session.Close()
			select {
			case reason := <-d.over:
				if reason != line.ErrLeft {
					t.Errorf("the client has left: %v", reason)
				}
			case <-time.After(20 * time.Second):
				t.Error("the client has left, nobody is told")
			}
		})
	}
}

func TestNobodyElseEndsAHandshakeFromItsAddress(t *testing.T) {
	e, d := still(t), newDesk()
	p := newPhone(t, e)
	p.offers(e, d, 1)
	p.arrives()
	p.spoil = func() {
		for _, b := range aStorm() {
			p.send(b)
		}
	}
	if err := p.shakes(); err != nil {
		t.Fatal(err)
	}
	defer p.session.Close()
	p.connected(d)
	p.send(p.talks(1, "copy"))
	until(t, "the talk arrives", func() bool { return d.heard() == "copy" })
}

// dials opens a data channel.
func (p *phone) dials() *datachannel.DataChannel {
	p.t.Helper()
	a, err := sctp.ClientWithOptions(sctp.WithNetConn(p.session), sctp.WithLoggerFactory(quiet{}))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = a.Close() })
	c, err := datachannel.Dial(a, 1, &datachannel.Config{ChannelType: datachannel.ChannelTypeReliable, Label: "control", LoggerFactory: quiet{}})
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// says is what comes over the data channel next.
func says(d *desk) chan string {
	said := make(chan string, 1)
	go func() {
		var room [100]byte
		n, _, err := (<-d.channels).ReadDataChannel(room[:])
		if err != nil {
			said <- err.Error()
		} else {
			said <- string(room[:n])
		}
	}()
	return said
}
