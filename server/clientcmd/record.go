package clientcmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// recorder writes what is heard, packet for packet, as it came. One talker at a time:
// the first one heard has the file until the burst ends; packets of others are
// counted and left out meanwhile, because an Opus stream is one voice. The pauses
// between bursts are kept.
type recorder struct {
	mu      sync.Mutex
	file    *os.File
	buf     *bufio.Writer
	ogg     *ogg.Writer
	talker  core.UserID // whose burst is being written; 0: nobody's
	began   time.Time   // of the first burst
	last    time.Time
	written int
	left    map[core.UserID]int // packets of others that were left out
}

func newRecorder(path string) (*recorder, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	r := &recorder{file: f, buf: bufio.NewWriter(f), left: map[core.UserID]int{}}
	r.ogg, err = ogg.NewWriter(r.buf, 1, ogg.Head{Channels: 1, InputRate: packet.Rate}, ogg.Tags{Vendor: "squelch client"})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

func (r *recorder) write(talker core.UserID, p []byte) error {
	if packet.Samples(p) == 0 {
		return nil // a container, or something else that is not a packet
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	lapsed := now.Sub(r.last) >= burstPause
	if r.talker != 0 && r.talker != talker && !lapsed {
		if _, known := r.left[talker]; known || len(r.left) < maxUsers {
			r.left[talker]++
		}
		return nil
	}
	if r.talker != talker || lapsed {
		if err := r.pause(now); err != nil {
			return err
		}
	}
	r.talker, r.last = talker, now
	r.written++
	return r.ogg.WritePacket(p)
}

// pause moves the recording on to now, where a burst begins.
func (r *recorder) pause(now time.Time) error {
	if r.began.IsZero() {
		r.began = now
		return nil
	}
	at := int64(now.Sub(r.began) / time.Millisecond * packet.Rate / 1000)
	if silence := at - int64(r.ogg.Granule()); silence > 0 {
		return r.ogg.Gap(uint64(silence))
	}
	return nil
}

// burstEnded frees the file for the next talker.
func (r *recorder) burstEnded(talker core.UserID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.talker == talker {
		r.talker = 0
	}
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.ogg.Close(), r.buf.Flush(), r.file.Close())
}

// finishRecording closes the file and reports what is in it and what is not.
func (s *session) finishRecording() error {
	err := s.recorder.close()
	r := s.recorder
	if s.json {
		s.out.status("recorded", map[string]any{"file": s.record, "packets": r.written, "leftOut": r.left})
		return err
	}
	var others []string
	for _, id := range wire.SortedKeys(r.left) {
		others = append(others, fmt.Sprintf("%d packets of user %s", r.left[id], id))
	}
	fmt.Fprintf(s.note, "recorded %d packets in %s\n", r.written, s.record)
	if len(others) > 0 {
		fmt.Fprintf(s.note, "left out because another talker was being recorded: %s\n", strings.Join(others, ", "))
	}
	return err
}
