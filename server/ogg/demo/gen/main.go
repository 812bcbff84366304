// Command gen encodes the demo speech from the vocoder's test material.
package main

import (
	"bytes"
	"encoding/binary"
	"log"
	"os"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
)

const (
	rate  = 8000 // Hz of the material
	frame = rate / 50
)

func main() {
	raw, err := os.ReadFile("../../../sfu/imbe/testdata/speech_a.pcm")
	if err != nil {
		log.Fatal(err)
	}
	file, err := encode(raw)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("speech.ogg", file, 0o644); err != nil {
		log.Fatal(err)
	}
}

// encode reads 16-bit little-endian samples.
func encode(raw []byte) ([]byte, error) {
	// The settings that carry 8 kHz speech best for their CPU (RATIONALE,
	// "Which Opus encoder follows the vocoder?").
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: rate, Channels: 1, Bitrate: 24_000, ConstrainedVBR: true, Complexity: 2})
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	w, err := ogg.NewWriter(&file, 1, ogg.Head{Channels: 1, PreSkip: uint16(enc.PreSkip()), InputRate: rate},
		ogg.Tags{Vendor: "squelch", Comments: []string{"TITLE=Demo speech"}})
	if err != nil {
		return nil, err
	}
	pcm := make([]int16, frame)
	packet := make([]byte, 1500)
	for ; len(raw) >= 2*frame; raw = raw[2*frame:] {
		for i := range pcm {
			pcm[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		n, err := enc.Encode(pcm, packet)
		if err != nil {
			return nil, err
		}
		if err := w.WritePacket(packet[:n]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}
