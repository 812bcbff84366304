package line

import "time"

// The limits of connections, whoever carries them.
const (
	// ReceiveMTU is the longest datagram that is read, in bytes: the MTU of Ethernet.
	// Browsers' handshakes are longer than voice: Firefox's first flight is one
	// datagram of 1408 bytes, and if that is cut off, it never connects.
	ReceiveMTU = 1500
	// MaxPacket is the longest datagram that is sent, in bytes.
	MaxPacket = 1200
	// MaxStreams is how many RTP and RTCP streams one connection may open, four
	// slots and an uplink included. A browser opens under ten.
	MaxStreams = 64
	// SocketBuffer is the buffer that is requested for the UDP socket, in bytes:
	// about 100 ms of 2000 peers at 50 packets a second. The kernel counts a packet
	// of 200 bytes as 512.
	SocketBuffer = 4 << 20

	// PathSuspect and ConsentTimeout: without a valid consent check for 5 s a
	// connection counts as interrupted, for 30 s as lost (RFC 7675 section 5.1).
	PathSuspect    = 5 * time.Second
	ConsentTimeout = 30 * time.Second
	// AddressPatience is how long a client's chosen address must have been silent
	// before another one counts: browsers check at least every 2.5 s.
	AddressPatience = 4 * time.Second
	// ConnectTimeout is how long a connection may take to be established.
	ConnectTimeout = 30 * time.Second
	// AnswerTimeout is how long an answer may take to make. It takes milliseconds,
	// unless the system cannot list its addresses.
	AnswerTimeout = 5 * time.Second
	// OfferSpacing and OfferBunch bound the offers of one user: one a second in the long run,
	// and so many at once. A console makes one at the start and one whenever its network
	// changes.
	OfferSpacing = time.Second
	OfferBunch   = 20
	// OffersAtOnce is how many offers are answered at the same time; others wait. It takes
	// only CPU, which voice needs too, when everybody comes back at once.
	OffersAtOnce = 4
	// TCPPackets and TCPBuffer bound what waits on a client's ICE-TCP connection:
	// packets that were read, and bytes to write (1 s of four talkers).
	TCPPackets = 64
	TCPBuffer  = 64 << 10

	// MaxMessage is the longest message that is taken on a data channel, in bytes: what
	// every endpoint can send (RFC 8841 section 6.1). It is announced in the answer, so
	// browsers refuse to send more.
	MaxMessage = 64 << 10
	// MessageWindow is how much of what a client sends may wait in SCTP, in bytes: two
	// longest messages. More is not acknowledged, so the client keeps it.
	MessageWindow = 2 * MaxMessage
)
