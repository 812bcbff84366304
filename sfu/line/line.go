// Package line is the border between the media plane and what carries its packets. A
// Line is one client's WebRTC connection; an Engine makes lines on open ports. Above
// the border is what is decided about voice, below it are ICE, DTLS and SRTP.
package line

import (
	"context"
	"errors"
	"net"
	"net/netip"

	"github.com/pion/rtp"
	"github.com/pion/transport/v4"

	"squelch/sfu/offer"
)

// Ports are the open sockets that an engine takes over, and what it tells clients about
// them.
type Ports struct {
	UDP net.PacketConn
	TCP net.Listener // for ICE-TCP (RFC 6544), passive; nil: none
	// Public gives the addresses that clients are told instead of the local ones; nil or
	// an empty result: clients can reach the local ones.
	Public func() []netip.Addr
	// Net is a simulated network; nil: the machine's.
	Net transport.Net
}

// Engine carries the lines of one media plane.
type Engine interface {
	// Open makes a line for an offer that offer.Read has accepted, with the first slots of
	// o.Slots, and gives the answer with all addresses in it. Errors may be shown to the
	// client.
	Open(ctx context.Context, o offer.Offer, slots int, up Owner) (Line, string, error)
	// Candidates is how many addresses a client would be told; 0: nobody could connect.
	Candidates(ctx context.Context) (int, error)
	// Batch makes a batch for the fan-outs of one goroutine.
	Batch() Batch
	// Close ends all lines and closes the ports. It waits until no goroutine is left.
	Close()
}

// Batch collects the packets of one fan-out, to any lines of its engine. One goroutine
// at a time uses it.
type Batch interface {
	// Flush sends what has been collected.
	Flush()
}

// Line is one client's connection. Its methods may be called from any goroutine, except
// that calls of WriteRTP for the same slot come one at a time.
type Line interface {
	// SSRC is that of a slot's stream, 0-based; 0: it is not known yet.
	SSRC(slot int) uint32
	// WriteRTP encrypts a packet of a slot and adds it to the batch, which is sent by its
	// Flush. The line sets the version and the SSRC; nothing of the header or the payload
	// is kept. It fails if the line is not connected. A packet may come up to 64 places
	// late, but no sequence number comes twice in 2^16 packets.
	WriteRTP(b Batch, slot int, h *rtp.Header, payload []byte) error
	// WriteRTCP encrypts and sends a compound packet at once. Nothing of it is kept.
	WriteRTCP(compound []byte) error
	// Close ends the line and waits until it calls its owner no more. The owner must not
	// call it while it is being called.
	Close()
}

// Owner is told what comes up a line, and never before the client has the answer. RTP
// and RTCP are called by one goroutine at a time. The others may wait for control code,
// so no goroutine that carries packets of several lines calls them.
type Owner interface {
	// RTP takes a decrypted packet of the client's stream; it is valid during the call.
	RTP(packet []byte)
	// RTCP takes a decrypted compound packet; it is valid during the call.
	RTCP(packet []byte)
	// Connected is called once, when voice can flow.
	Connected()
	// Ended is called at most once, with one of the errors below, unless the line was
	// closed. The owner still has to close it.
	Ended(reason error)
	// Opening asks whether a data channel that the client opens is wanted. Otherwise it is
	// closed.
	Opening(label string, reliable bool) bool
	// Opened hands over a channel that was wanted. It must not block.
	Opened(c Channel)
}

// Why a line has ended.
var (
	// ErrLost: no valid consent check came for ConsentTimeout.
	ErrLost = errors.New("connection lost")
	// ErrLeft: the client has closed the connection.
	ErrLeft = errors.New("the client closed the connection")
	// ErrFailed: the handshake has failed.
	ErrFailed = errors.New("connection never established")
	// ErrStreams: the client has opened MaxStreams streams.
	ErrStreams = errors.New("the client opened too many streams")
)

// Channel is an open data channel (RFC 8831), reliable and ordered.
type Channel interface {
	// ReadDataChannel waits for a message. A message that is longer than b fails with
	// io.ErrShortBuffer and stays.
	ReadDataChannel(b []byte) (n int, text bool, err error)
	WriteDataChannel(b []byte, text bool) (int, error)
	// BufferedAmount is how many bytes the client has not acknowledged.
	BufferedAmount() uint64
	// Close closes the channel when the client has got everything.
	Close() error
}
