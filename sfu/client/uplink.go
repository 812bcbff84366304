package client

import (
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

// burstGap is the pause after which a packet begins a new burst.
const burstGap = 200 * time.Millisecond

// uplink is the client's own voice. It is a webrtc.TrackLocal.
type uplink struct {
	mu        sync.Mutex
	writer    webrtc.TrackLocalWriter
	codec     webrtc.PayloadType
	ssrc      webrtc.SSRC
	sequence  uint16
	timestamp uint32
	samples   uint32
	last      time.Time
	sent      [echoes]echo
	next      int
}

// echoes is how many sent packets are remembered: 5 s, the longest round trip
// that a self-test can measure.
const echoes = 250

type echo struct {
	hash uint64
	at   time.Time
}

var seed = maphash.MakeSeed()

// roundTrip is how long ago a packet was sent that has just come back; 0: it is not
// one of ours.
func (u *uplink) roundTrip(opus []byte, now time.Time) time.Duration {
	hash := maphash.Bytes(seed, opus)
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.sent {
		if e := &u.sent[(u.next+echoes-1-i)%echoes]; e.hash == hash && !e.at.IsZero() {
			return now.Sub(e.at)
		}
	}
	return 0
}

func (u *uplink) send(opus []byte, samples uint32, now time.Time) error {
	u.mu.Lock()
	step, marker := u.samples, u.last.IsZero() // browsers mark only the first packet of all
	if gap := now.Sub(u.last); gap > burstGap && !marker {
		step = uint32(gap/(20*time.Millisecond)) * 960
	}
	u.sequence++
	u.timestamp += step
	u.samples, u.last = samples, now
	u.sent[u.next] = echo{maphash.Bytes(seed, opus), now}
	u.next = (u.next + 1) % echoes
	h := rtp.Header{SequenceNumber: u.sequence, Timestamp: u.timestamp, Marker: marker}
	u.mu.Unlock()
	return u.write(h, opus)
}

func (u *uplink) write(h rtp.Header, payload []byte) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.writer == nil {
		return errors.New("webrtc: not connected")
	}
	h.Version, h.PayloadType = 2, uint8(u.codec)
	if h.SSRC == 0 {
		h.SSRC = uint32(u.ssrc)
	}
	_, err := u.writer.WriteRTP(&h, payload)
	return err
}

func (u *uplink) Bind(c webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	for _, codec := range c.CodecParameters() {
		if codec.MimeType == webrtc.MimeTypeOpus {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.writer, u.codec, u.ssrc = c.WriteStream(), codec.PayloadType, c.SSRC()
			return codec, nil
		}
	}
	return webrtc.RTPCodecParameters{}, errors.New("webrtc: the server does not take Opus")
}

func (u *uplink) Unbind(webrtc.TrackLocalContext) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.writer = nil
	return nil
}

func (u *uplink) ID() string                { return "voice" }
func (u *uplink) RID() string               { return "" }
func (u *uplink) StreamID() string          { return "microphone" }
func (u *uplink) Kind() webrtc.RTPCodecType { return webrtc.RTPCodecTypeAudio }
