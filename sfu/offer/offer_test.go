package offer

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// sum is the SHA-256 of nothing.
const sum = "E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55"

const session = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=fingerprint:sha-256 " + sum + "\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n"

func audio(mid, direction string) string {
	return "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:" + mid + "\r\na=" + direction + "\r\na=rtpmap:111 opus/48000/2\r\n"
}

func TestAConsolesOffer(t *testing.T) {
	o, err := Read(session+audio("0", "sendonly")+audio("1", "recvonly")+audio("2", "recvonly"), false)
	if err != nil || o.Uplink != "0" || o.Opus != 111 || !slices.Equal(o.Slots, []string{"1", "2"}) {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = Read(session+audio("a", "recvonly"), false)
	if err != nil || o.Uplink != "" || o.Opus != 111 || !slices.Equal(o.Slots, []string{"a"}) {
		t.Errorf("a listener without a microphone: %+v, %v", o, err)
	}
}

func TestABrowsersOfferOfRedundantVoice(t *testing.T) {
	b, err := os.ReadFile("testdata/chromium.sdp") // of Chromium 154
	if err != nil {
		t.Fatal(err)
	}
	sdp := string(b)
	for says, c := range map[string]struct {
		sdp string
		red uint8
	}{
		"as it is":                    {sdp, 63},
		"under another number":        {strings.NewReplacer(":63 ", ":35 ", " 63 ", " 35 ").Replace(sdp), 35},
		"blocks of something else":    {strings.ReplaceAll(sdp, "111/111", "111/0"), 0},
		"no word about the blocks":    {strings.ReplaceAll(sdp, "a=fmtp:63 111/111\r\n", ""), 0},
		"not on the last of the four": {sdp[:strings.LastIndex(sdp, "a=rtpmap:63")] + sdp[strings.LastIndex(sdp, "a=rtpmap:9 "):], 0},
	} {
		o, err := Read(c.sdp, false)
		if err != nil || o.Red != c.red || len(o.Slots) != 4 {
			t.Errorf("%s: %d on %v, %v; want %d", says, o.Red, o.Slots, err, c.red)
		}
	}
}

func TestTheErrorSaysWhatIsWrong(t *testing.T) {
	good := audio("0", "sendrecv") + audio("1", "recvonly")
	for want, text := range map[string]string{
		"missing":                        "",
		"cannot be read":                 "hello",
		"bytes long":                     session + good + strings.Repeat("a=x\r\n", 20_000),
		"media sections":                 session + strings.Repeat("m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", 17),
		"no mid":                         session + audio("0", "sendonly") + audio("0", "recvonly"),
		"does not offer opus":            session + strings.ReplaceAll(good, "opus", "speex"),
		"numbers Opus 111 on":            session + audio("0", "sendonly") + strings.ReplaceAll(audio("1", "recvonly"), "111", "109"),
		"data channel":                   session + good + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:2\r\n",
		"only one section may send":      session + audio("0", "sendrecv") + audio("1", "sendrecv"),
		"nothing could be heard":         session + audio("0", "sendonly"),
		"no ice-ufrag":                   strings.Replace(session, "ice-ufrag", "x", 1) + good,
		"no ice-pwd":                     strings.Replace(session, "ice-pwd", "x", 1) + good,
		"no fingerprint":                 strings.Replace(session, "fingerprint", "x", 1) + good,
		"sha-256, sha-384 or":            strings.Replace(session, "sha-256", "sha-1", 1) + good,
		"with 32 bytes":                  strings.Replace(session, "E3:B0", "E3", 1) + good,
		"not acceptable":                 strings.Replace(session, "sha-256 ", "sha-256", 1) + good,
		"setup:actpass or active":        session + "a=setup:passive\r\n" + good,
		"the service is ICE-lite itself": session + "a=ice-lite\r\n" + good,
	} {
		if _, err := Read(text, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, have %v", want, err)
		}
	}
}

// data is the section that browsers make for data channels.
const data = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=mid:9\r\na=sctp-port:5000\r\na=max-message-size:262144\r\n"

func TestAnOfferWithADataChannelIsOnlyForThoseWhoTakeOne(t *testing.T) {
	good := session + audio("0", "sendonly") + audio("1", "recvonly")
	o, err := Read(good+data, true)
	if err != nil || o.Data != "9" || o.DataMost != 256<<10 || o.Uplink != "0" || !slices.Equal(o.Slots, []string{"1"}) {
		t.Errorf("%+v, %v", o, err)
	}
	for says, most := range map[string]int{"a=max-message-size:262144\r\n": 256 << 10, "": 64 << 10, "a=max-message-size:0\r\n": 64 << 10,
		"a=max-message-size:5000\r\n": 5000, "a=max-message-size:1073741823\r\n": 256 << 10} {
		o, err := Read(good+strings.Replace(data, "a=max-message-size:262144\r\n", says, 1), true)
		if err != nil || o.DataMost != most {
			t.Errorf("%q: messages of %d bytes, %v", says, o.DataMost, err)
		}
	}
	for want, text := range map[string]string{
		"no section for the data channel": good,
		`on "9" and "8"`:                  good + data + strings.Replace(data, "mid:9", "mid:8", 1),
		"switched off":                    good + strings.Replace(data, "application 9", "application 0", 1),
		"must be UDP/DTLS/SCTP":           good + strings.Replace(data, "DTLS/SCTP", "TLS/BFCP", 1),
		"webrtc-datachannel":              good + strings.Replace(data, "webrtc-datachannel", "5000", 1),
		"nothing could be heard":          session + audio("0", "sendonly") + data,
		"at least 4096":                   good + strings.Replace(data, "262144", "100", 1),
		`max-message-size "many"`:         good + strings.Replace(data, "262144", "many", 1),
	} {
		if _, err := Read(text, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, have %v", want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(session + audio("0", "sendonly") + audio("1", "recvonly"))
	f.Add(session + "a=inactive\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=rtpmap:111 OPUS/48000/2\r\n")
	f.Add(session + audio("0", "sendonly") + audio("1", "recvonly") + data)
	f.Fuzz(func(t *testing.T, text string) {
		for _, asked := range []bool{false, true} {
			o, err := Read(text, asked)
			if err == nil && (len(o.Slots) == 0 || len(o.Slots) > maxSections || (o.Data != "") != asked) {
				t.Fatalf("%+v", o)
			}
		}
	})
}
