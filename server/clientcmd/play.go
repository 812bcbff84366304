package clientcmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	sio "squelch/server/sio/client"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// say keys up, plays, releases the key whatever happens, and reports how it went.
func (s *session) say(ctx context.Context, packets [][]byte) error {
	if err := s.keyUp(ctx); err != nil {
		return err
	}
	sent, dropped, err := s.playPackets(ctx, packets)
	if up := s.keyDown(ctx); err == nil {
		err = up
	}
	if s.json {
		s.out.status("played", map[string]any{"frequency": s.speak, "packets": sent, "dropped": dropped})
	} else {
		fmt.Fprintf(s.note, "played %d packets on %s; %d were dropped while the connection was lost\n", sent, s.speak, dropped)
	}
	return err
}

// playPackets sends the packets when they are due. The schedule is absolute, so that
// delays never add up; what cannot be sent at once is dropped, because late voice is
// worthless.
func (s *session) playPackets(ctx context.Context, packets [][]byte) (sent, dropped int, err error) {
	bar := s.progress(len(packets) * s.repeat)
	defer bar.end()
	began, due := time.Now(), time.Duration(0)
	for range s.repeat {
		for _, p := range packets {
			if s.send(p) == nil {
				sent++
			} else {
				dropped++
			}
			bar.step()
			due += time.Duration(packet.Samples(p)) * time.Second / packet.Rate
			if err := s.sleep(ctx, time.Until(began.Add(due))); err != nil {
				return sent, dropped, err
			}
		}
	}
	return sent, dropped, s.sleep(ctx, tail)
}

func (s *session) send(p []byte) error { return s.sendOn(s.speak, p) }

// sendOn sends one packet. The JSON is written by hand: frequencies and base64 need no
// escaping.
func (s *session) sendOn(frequency string, p []byte) error {
	if s.mute() {
		return sio.ErrNotConnected
	}
	if s.webrtc {
		s.mu.Lock()
		m := s.media
		s.mu.Unlock()
		if m == nil {
			return sio.ErrNotConnected
		}
		return m.Send(p)
	}
	b := make([]byte, 0, base64.StdEncoding.EncodedLen(len(p))+48)
	b = append(b, `{"data":"`...)
	b = base64.StdEncoding.AppendEncode(b, p)
	b = append(b, `","frequency":"`...)
	b = append(b, frequency...)
	b = append(b, `"}`...)
	return s.socket.EmitVolatile("voice", b)
}

// readPackets reads a whole Ogg Opus file.
func readPackets(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	r, err := ogg.NewReader(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var packets [][]byte
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if packet.Samples(p) == 0 {
			return nil, fmt.Errorf("%s: packet %d is not an Opus packet", path, len(packets)+1)
		}
		packets = append(packets, bytes.Clone(p))
	}
	if len(packets) == 0 {
		return nil, fmt.Errorf("%s contains no voice", path)
	}
	return packets, nil
}
