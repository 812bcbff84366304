package sfu

import (
	"bytes"
	"encoding/base64"
	"testing"
)

func TestATextIsRelayedAsItCameAndReadOnlyOnDemand(t *testing.T) {
	packet := append([]byte{31 << 3}, bytes.Repeat([]byte{9}, 70)...)
	padded := base64.StdEncoding.EncodeToString(packet)
	bare := base64.RawStdEncoding.EncodeToString(packet)
	if padded == bare {
		t.Fatal("the case needs padding")
	}
	for _, text := range []string{padded, bare} {
		f := Frame{Text: text}
		if f.Base64() != text || f.Payload != nil {
			t.Error("relaying read the text")
		}
		if !bytes.Equal(f.Bytes(), packet) || f.Opaque() || f.Samples() != 960 || f.Base64() != text {
			t.Errorf("%q: %d samples, opaque %v", text, f.Samples(), f.Opaque())
		}
	}
	f := Frame{Payload: packet}
	if f.Base64() != padded || f.Samples() != 960 {
		t.Error("a packet's text is wrong")
	}
}

func TestWhatIsNoVoicePacketIsOpaque(t *testing.T) {
	webm := append([]byte{0x1a, 0x45, 0xdf, 0xa3}, make([]byte, 900)...)
	for says, f := range map[string]Frame{
		"no base64":                 {Text: "%%%"},
		"nothing":                   {},
		"white space":               {Text: "\n\n"},
		"WebM":                      {Payload: webm},
		"WebM as text":              {Text: base64.StdEncoding.EncodeToString(webm)},
		"half an IMBE frame":        {Payload: make([]byte, 5), Encoding: IMBE},
		"IMBE of more than 120 ms":  {Payload: make([]byte, 7*11), Encoding: IMBE},
		"an Opus packet of seconds": {Payload: append([]byte{3<<3 | 3, 48}, make([]byte, 48)...)},
	} {
		if !f.Opaque() || f.Samples() != 0 {
			t.Errorf("%s passes as voice of %d samples", says, f.Samples())
		}
	}
	imbe := Frame{Payload: make([]byte, 22), Encoding: IMBE}
	if imbe.Opaque() || imbe.Samples() != 1920 {
		t.Errorf("two IMBE frames: %d samples", imbe.Samples())
	}
}

func TestAFrameIsUsedAgainWithoutMemoryOfTheLastOne(t *testing.T) {
	f := Frame{Text: base64.StdEncoding.EncodeToString([]byte{31 << 3, 1, 2, 3})}
	f.Bytes()
	f.Reset()
	f.Text = base64.StdEncoding.EncodeToString([]byte{0x18, 9})
	if !bytes.Equal(f.Bytes(), []byte{0x18, 9}) {
		t.Errorf("%x", f.Bytes())
	}
}

func FuzzFrameText(f *testing.F) {
	f.Add("b25l", false)
	f.Add("AAAAAAAAAAAAAAA", true)
	f.Fuzz(func(t *testing.T, text string, imbe bool) {
		fr := Frame{Text: text}
		if imbe {
			fr.Encoding = IMBE
		}
		if fr.Base64() != text && text != "" {
			t.Fatal("the text changed")
		}
		if !fr.Opaque() && (fr.Samples() <= 0 || fr.Samples() > 5760) {
			t.Fatalf("%d samples", fr.Samples())
		}
	})
}
