package onesocket

import (
	"fmt"
	"strings"
	"time"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

// answer is the SDP answer to an offer (RFC 8829 section 5.3): every section in its place,
// all in one bundle, with every candidate.
func (e *engine) answer(o offer.Offer, p *peer, candidates []string) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	w("v=0")
	w("o=- %d 1 IN IP4 0.0.0.0", time.Now().UnixNano()>>1)
	w("s=-")
	w("t=0 0")
	slots := 0
	var bundle []string
	uses := make([]offer.Use, len(o.Sections))
	for i, s := range o.Sections {
		uses[i] = s.Use
		if s.Use == offer.Slot {
			if slots++; slots > len(p.ssrcs) {
				uses[i] = offer.Unused
			}
		}
		if uses[i] != offer.Unused {
			bundle = append(bundle, s.Mid)
		}
	}
	w("a=group:BUNDLE %s", strings.Join(bundle, " "))
	w("a=msid-semantic: WMS *")
	w("a=ice-lite")
	w("a=fingerprint:%s", e.fingerprint)
	slot := 0
	for i, s := range o.Sections {
		switch uses[i] {
		case offer.Unused:
			w("m=%s 0 %s 0", s.Media, s.Proto)
			w("c=IN IP4 0.0.0.0")
			w("a=mid:%s", s.Mid)
			w("a=inactive")
			continue
		case offer.Data:
			w("m=application 9 %s webrtc-datachannel", s.Proto)
		case offer.Slot:
			formats := fmt.Sprint(o.Opus)
			if o.Red != 0 {
				formats += fmt.Sprint(" ", o.Red)
			}
			w("m=audio 9 %s %s", s.Proto, formats)
		default:
			w("m=audio 9 %s %d", s.Proto, o.Opus)
		}
		w("c=IN IP4 0.0.0.0")
		w("a=mid:%s", s.Mid)
		w("a=ice-ufrag:%s", p.user)
		w("a=ice-pwd:%s", p.password)
		w("a=setup:passive")
		switch uses[i] {
		case offer.Data:
			w("a=sctp-port:5000")
			w("a=max-message-size:%d", line.MaxMessage)
		case offer.Uplink:
			opus(w, o.Opus)
			w("a=recvonly")
		case offer.Slot:
			opus(w, o.Opus)
			if o.Red != 0 {
				w("a=rtpmap:%d red/48000/2", o.Red)
				w("a=fmtp:%d %d/%d", o.Red, o.Opus, o.Opus)
			}
			w("a=sendonly")
			w("a=msid:squelch slot%s", s.Mid)
			w("a=ssrc:%d cname:squelch", p.ssrcs[slot])
			w("a=ssrc:%d msid:squelch slot%s", p.ssrcs[slot], s.Mid)
			slot++
		}
		for _, c := range candidates {
			w("a=candidate:%s", c)
		}
		if candidates != nil {
			w("a=end-of-candidates")
			candidates = nil // one bundle, one transport
		}
	}
	return b.String()
}

// opus are the lines for Opus with in-band FEC (RFC 7587 section 7). No RTCP feedback is
// taken, so clients ask for no retransmission or pacing.
func opus(w func(string, ...any), payloadType uint8) {
	w("a=rtcp-mux")
	w("a=rtcp-rsize")
	w("a=rtpmap:%d opus/48000/2", payloadType)
	w("a=fmtp:%d minptime=10;useinbandfec=1", payloadType)
}
