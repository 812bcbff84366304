package transcribe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// recorded is a tone of 440 Hz in packets of 20 ms, with a pause in the middle, as the
// recorder writes it.
func recorded(t testing.TB, packets int, pause uint64) []byte {
	t.Helper()
	encoder, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: packet.Rate, Channels: 1, Bitrate: 32_000})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := ogg.NewWriter(&file, 7, ogg.Head{Channels: 1, PreSkip: uint16(encoder.PreSkip()), InputRate: packet.Rate}, ogg.Tags{Vendor: "squelch"})
	if err != nil {
		t.Fatal(err)
	}
	pcm, out := make([]int16, 960), make([]byte, 1500)
	for i := range packets {
		for j := range pcm {
			pcm[j] = int16(10_000 * math.Sin(2*math.Pi*440*float64(i*960+j)/packet.Rate))
		}
		n, err := encoder.Encode(pcm, out)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WritePacket(out[:n]); err != nil {
			t.Fatal(err)
		}
		if i == packets/2 && pause > 0 {
			if err := w.Gap(pause); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// tone counts the waves in samples, and their level.
func tone(wav []byte) (waves int, level float64) {
	var sum float64
	last := int16(0)
	for at := wavHeader; at+1 < len(wav); at += 2 {
		s := int16(binary.LittleEndian.Uint16(wav[at:]))
		if last < 0 && s >= 0 {
			waves++
		}
		last = s
		sum += float64(s) * float64(s)
	}
	return waves, math.Sqrt(sum / float64(len(wav)/2))
}

func TestAWaveIsTheVoiceThatWasRecorded(t *testing.T) {
	file := recorded(t, 100, 0)
	wav, err := wave(bytes.NewReader(file), maxVoice)
	if err != nil {
		t.Fatal(err)
	}
	skip := int(binary.LittleEndian.Uint16(file[bytes.Index(file, []byte("OpusHead"))+10:])) / 3
	if want := wavHeader + 2*(100*320-skip); len(wav) != want || binary.LittleEndian.Uint32(wav[40:]) != uint32(want-wavHeader) || binary.LittleEndian.Uint32(wav[4:]) != uint32(want-8) {
		t.Errorf("%d bytes, want %d", len(wav), want)
	}
	if waves, level := tone(wav); waves < 860 || waves > 900 || level < 6000 || level > 8000 {
		t.Errorf("%d waves in 2 s, level %.0f", waves, level)
	}
	paused, err := wave(bytes.NewReader(recorded(t, 100, packet.Rate)), maxVoice)
	if err != nil || len(paused) != len(wav)+2*wavRate {
		t.Errorf("with a pause of a second: %d bytes more, %v", len(paused)-len(wav), err)
	}
}

// TestACutRecordingIsDecodedUpToThere: what a killed process has written.
func TestACutRecordingIsDecodedUpToThere(t *testing.T) {
	file := recorded(t, 100, 0)
	wav, err := wave(bytes.NewReader(file[:len(file)*3/4]), maxVoice)
	if n := (len(wav) - wavHeader) / 2; err != nil || n < wavRate/2 || n > 2*wavRate {
		t.Errorf("%d samples, %v", n, err)
	}
}

func TestWhatIsNoRecording(t *testing.T) {
	refusal := (*Refusal)(nil)
	for name, file := range map[string][]byte{"nothing": nil, "WebM": []byte("\x1aE\xdf\xa3 and so on, for some bytes more than a header"), "more than a second": recorded(t, 51, 0)} {
		if wav, err := wave(bytes.NewReader(file), packet.Rate); !errors.As(err, &refusal) || wav != nil {
			t.Errorf("%s: %d bytes, %v", name, len(wav), err)
		}
	}
}

func FuzzWave(f *testing.F) {
	f.Add(recorded(f, 5, 0))
	f.Add(recorded(f, 5, 4800))
	f.Fuzz(func(t *testing.T, file []byte) {
		wav, err := wave(bytes.NewReader(file), packet.Rate)
		if err == nil && (len(wav) < wavHeader || int(binary.LittleEndian.Uint32(wav[40:])) != len(wav)-wavHeader || len(wav) > wavHeader+2*wavRate) {
			t.Errorf("%d bytes, %d in its header", len(wav), binary.LittleEndian.Uint32(wav[40:]))
		}
	})
}
