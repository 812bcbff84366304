package offer

import (
	"slices"
	"strings"
	"testing"
)

const session = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=fingerprint:sha-256 AA:BB\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n"

func audio(mid, direction string) string {
	return "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:" + mid + "\r\na=" + direction + "\r\na=rtpmap:111 opus/48000/2\r\n"
}

func TestAConsolesOffer(t *testing.T) {
	o, err := Read(session + audio("0", "sendonly") + audio("1", "recvonly") + audio("2", "recvonly"))
	if err != nil || o.Uplink != "0" || o.Opus != 111 || !slices.Equal(o.Slots, []string{"1", "2"}) {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = Read(session + audio("a", "recvonly"))
	if err != nil || o.Uplink != "" || o.Opus != 111 || !slices.Equal(o.Slots, []string{"a"}) {
		t.Errorf("a listener without a microphone: %+v, %v", o, err)
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
		"the service is ICE-lite itself": session + "a=ice-lite\r\n" + good,
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, have %v", want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(session + audio("0", "sendonly") + audio("1", "recvonly"))
	f.Add(session + "a=inactive\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=rtpmap:111 OPUS/48000/2\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Read(text)
		if err == nil && (len(o.Slots) == 0 || len(o.Slots) > maxSections) {
			t.Fatalf("%+v", o)
		}
	})
}
