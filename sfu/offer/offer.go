// Package offer reads a client's WebRTC offer before a connection is made for it:
// what the client sends, what it can receive, and what is wrong with the offer.
package offer

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pion/sdp/v3"
)

const (
	// maxBytes is the longest offer, in bytes. A browser's offer of five audio
	// sections is about 8 KiB.
	maxBytes = 64 << 10
	// maxSections is the most media sections of an offer. The console makes 5.
	maxSections = 16
	// usualData is the longest message, in bytes, of a client that names none (RFC 8841
	// section 6.1), leastData what every client must take, and mostData the most that
	// is of use: Chromium takes that much.
	usualData, leastData, mostData = 64 << 10, 4 << 10, 256 << 10
)

// Offer says what the sections of an offer are for.
type Offer struct {
	SDP    string   // the text that was read
	Uplink string   // mid of the section on which the client sends; "": it only listens
	Slots  []string // mids of the sections on which it only receives, in order
	Opus   uint8    // payload type of Opus, one for all sections
	// Red is the payload type under which every slot takes redundant Opus (RFC 2198); 0:
	// some slot does not.
	Red  uint8
	Data string // mid of the section of data channels; "": there is none
	// DataMost is the longest message that the client takes on them, in bytes, at most
	// mostData.
	DataMost int

	Sections []Section
	// User and Password are those of ICE (RFC 8839 section 5.4).
	User, Password string
	// Fingerprints are of the certificates that the client may have (RFC 8122 section 5).
	Fingerprints []Fingerprint
}

// Section is one of an offer, in its place.
type Section struct {
	Mid   string
	Media string // such as "audio"
	Proto string // such as "UDP/TLS/RTP/SAVPF"
	Use   Use
}

// Use is what a section is for.
type Use uint8

// The uses of sections.
const (
	Unused Use = iota
	Uplink
	Slot
	Data
)

// Fingerprint is a hash of a certificate.
type Fingerprint struct {
	Hash crypto.Hash
	Sum  []byte
}

// Read checks an offer. With data, it must have a section for data channels, otherwise
// it must have none. Its errors say what is wrong and may be shown to the client.
func Read(text string, data bool) (Offer, error) {
	if text == "" {
		return Offer{}, errors.New("sdp is missing")
	}
	if len(text) > maxBytes {
		return Offer{}, fmt.Errorf("sdp is %d bytes long, the limit is %d", len(text), maxBytes)
	}
	var d sdp.SessionDescription
	if err := d.UnmarshalString(text); err != nil {
		return Offer{}, fmt.Errorf("sdp cannot be read: %w", err)
	}
	if len(d.MediaDescriptions) > maxSections {
		return Offer{}, fmt.Errorf("sdp has %d media sections, the limit is %d", len(d.MediaDescriptions), maxSections)
	}
	o := Offer{SDP: text}
	mids := map[string]bool{}
	opusOf := ""
	for i, m := range d.MediaDescriptions {
		mid, _ := m.Attribute("mid")
		if mid == "" || mids[mid] {
			return Offer{}, fmt.Errorf("sdp media section %d has no mid of its own", i+1)
		}
		mids[mid] = true
		o.Sections = append(o.Sections, Section{Mid: mid, Media: m.MediaName.Media, Proto: strings.Join(m.MediaName.Protos, "/")})
		use := &o.Sections[i].Use
		if m.MediaName.Media == "application" {
			if err := o.takeData(mid, m, data); err != nil {
				return Offer{}, err
			}
			*use = Data
			continue
		}
		if m.MediaName.Media != "audio" {
			continue
		}
		opus, ok := payloadType(m)
		if !ok {
			return Offer{}, fmt.Errorf("sdp audio section %q does not offer opus/48000/2", mid)
		}
		if opusOf != "" && opus != o.Opus {
			return Offer{}, fmt.Errorf("sdp numbers Opus %d on %q and %d on %q; it needs one payload type on all sections", o.Opus, opusOf, opus, mid)
		}
		o.Opus, opusOf = opus, mid
		switch direction(&d, m) {
		case "recvonly":
			if red := redundant(m, opus); len(o.Slots) == 0 {
				o.Red = red
			} else if red != o.Red {
				o.Red = 0
			}
			o.Slots = append(o.Slots, mid)
			*use = Slot
		case "sendonly", "sendrecv":
			if o.Uplink != "" {
				return Offer{}, fmt.Errorf("sdp sends audio on %q and %q; only one section may send (the slots must be recvonly)", o.Uplink, mid)
			}
			o.Uplink = mid
			*use = Uplink
		}
	}
	if data && o.Data == "" {
		return Offer{}, errors.New("sdp has no section for the data channel (create it before the offer)")
	}
	if len(o.Slots) == 0 {
		return Offer{}, errors.New("sdp has no recvonly audio section, so nothing could be heard")
	}
	return o, o.takeTransport(&d)
}

// takeData notes the section of data channels (RFC 8841).
func (o *Offer) takeData(mid string, m *sdp.MediaDescription, wanted bool) error {
	switch {
	case !wanted:
		return fmt.Errorf("sdp section %q is a data channel; only audio is supported", mid)
	case o.Data != "":
		return fmt.Errorf("sdp has data channels on %q and %q; one section carries them all", o.Data, mid)
	case m.MediaName.Port.Value == 0:
		return fmt.Errorf("sdp section %q of the data channel is switched off (port 0)", mid)
	case !slices.Contains(m.MediaName.Protos, "SCTP") || !slices.Contains(m.MediaName.Formats, "webrtc-datachannel"):
		return fmt.Errorf("sdp section %q must be UDP/DTLS/SCTP webrtc-datachannel", mid)
	}
	most := uint64(usualData)
	if says, ok := m.Attribute("max-message-size"); ok {
		n, err := strconv.ParseUint(strings.TrimSpace(says), 10, 32)
		if err != nil || n != 0 && n < leastData {
			return fmt.Errorf("sdp section %q has max-message-size %.20q; it must be 0 or at least %d", mid, says, leastData)
		}
		if n != 0 { // 0: any length, but then nobody has promised one
			most = min(n, mostData)
		}
	}
	o.Data, o.DataMost = mid, int(most)
	return nil
}

// takeTransport notes what a connection is made with, and checks that it can be made.
func (o *Offer) takeTransport(d *sdp.SessionDescription) error {
	for key, to := range map[string]*string{"ice-ufrag": &o.User, "ice-pwd": &o.Password} {
		if *to = strings.TrimSpace(first(d, key)); *to == "" {
			return fmt.Errorf("sdp has no %s", key)
		}
	}
	if _, lite := d.Attribute("ice-lite"); lite {
		return errors.New("sdp says ice-lite, but the service is ICE-lite itself")
	}
	if role := first(d, "setup"); role == "passive" || role == "holdconn" {
		return fmt.Errorf("sdp says setup:%s, but the service is the DTLS server (setup:actpass or active is needed)", role)
	}
	given := all(d, "fingerprint")
	if len(given) == 0 {
		return errors.New("sdp has no fingerprint")
	}
	for _, g := range given {
		f, err := fingerprint(g)
		if err != nil {
			return err
		}
		if f.Hash != 0 && !slices.ContainsFunc(o.Fingerprints, func(x Fingerprint) bool { return x.Hash == f.Hash && bytes.Equal(x.Sum, f.Sum) }) {
			o.Fingerprints = append(o.Fingerprints, f)
		}
	}
	if len(o.Fingerprints) == 0 {
		return fmt.Errorf("sdp has the fingerprint %.40q; sha-256, sha-384 or sha-512 is needed", given[0])
	}
	return nil
}

// hashes are those that are safe enough (RFC 8122 section 5).
var hashes = map[string]crypto.Hash{"sha-256": crypto.SHA256, "sha-384": crypto.SHA384, "sha-512": crypto.SHA512}

// fingerprint reads one; its Hash is 0 if it is not safe enough.
func fingerprint(s string) (Fingerprint, error) {
	name, text, _ := strings.Cut(strings.TrimSpace(s), " ")
	h, known := hashes[strings.ToLower(name)]
	if !known && strings.Contains(text, ":") {
		return Fingerprint{}, nil
	}
	sum, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(text), ":", ""))
	if err != nil || !known || len(sum) != h.Size() {
		return Fingerprint{}, fmt.Errorf("sdp is not acceptable: fingerprint %.100q is not of the form \"sha-256 AB:CD:…\", with 32 bytes", s)
	}
	return Fingerprint{h, sum}, nil
}

// all gives an attribute of the session, then those of the sections.
func all(d *sdp.SessionDescription, key string) (values []string) {
	take := func(attributes []sdp.Attribute) {
		for _, a := range attributes {
			if a.Key == key {
				values = append(values, a.Value)
			}
		}
	}
	take(d.Attributes)
	for _, m := range d.MediaDescriptions {
		take(m.Attributes)
	}
	return values
}

func first(d *sdp.SessionDescription, key string) string {
	if values := all(d, key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// direction is that of a section, else that of the session, else sendrecv (RFC 8866
// section 6.7).
func direction(d *sdp.SessionDescription, m *sdp.MediaDescription) string {
	for _, a := range append(append([]sdp.Attribute{}, m.Attributes...), d.Attributes...) {
		switch a.Key {
		case "sendrecv", "sendonly", "recvonly", "inactive":
			return a.Key
		}
	}
	return "sendrecv"
}

// payloadType is that of the first Opus that a section offers (RFC 7587 section 7).
func payloadType(m *sdp.MediaDescription) (uint8, bool) {
	for _, a := range m.Attributes {
		number, codec, _ := strings.Cut(a.Value, " ")
		if a.Key == "rtpmap" && strings.EqualFold(strings.TrimSpace(codec), "opus/48000/2") {
			n, err := strconv.ParseUint(number, 10, 7)
			return uint8(n), err == nil
		}
	}
	return 0, false
}

// redundant is the payload type of the first RED format of a section whose blocks are all
// Opus (RFC 2198 section 5); 0: there is none.
func redundant(m *sdp.MediaDescription, opus uint8) uint8 {
	for _, a := range m.Attributes {
		number, codec, _ := strings.Cut(a.Value, " ")
		if a.Key != "rtpmap" || !strings.EqualFold(strings.TrimSpace(codec), "red/48000/2") {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 7)
		if err != nil {
			continue
		}
		for _, f := range m.Attributes {
			format, blocks, _ := strings.Cut(f.Value, " ")
			if f.Key != "fmtp" || format != number {
				continue
			}
			all := strings.Split(strings.TrimSpace(blocks), "/")
			if !slices.ContainsFunc(all, func(b string) bool { return b != strconv.Itoa(int(opus)) }) {
				return uint8(n)
			}
		}
	}
	return 0
}
