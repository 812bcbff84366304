package client

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// floor is the right to talk, while Talk holds the key.
type floor struct {
	at   string     // the frequency that was granted; "": none yet
	lost chan error // has room for one
}

// Talk keys up on a frequency that the user is on, sends the Opus packets at their own pace
// and releases the key, whatever happens. A busy channel is a [*Refusal] for which [Busy] is
// true. If the floor or the connection is lost, Talk ends with an error: what is left would
// come too late. One Talk of a link waits for another.
func (l *Link) Talk(ctx context.Context, frequency wire.Frequency, packets [][]byte) error {
	select {
	case l.talking <- struct{}{}:
		defer func() { <-l.talking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f := &floor{lost: make(chan error, 1)}
	l.setFloor(f)
	defer l.setFloor(nil)
	if err := l.SetTalking(ctx, wire.SetTalking{State: true, Frequency: frequency}); err != nil {
		if ctx.Err() != nil { // it may have been granted
			_ = l.keyDown(ctx, frequency)
		}
		return err
	}
	err := l.play(ctx, frequency, packets, f.lost)
	l.setFloor(nil)
	if up := l.keyDown(ctx, frequency); err == nil {
		err = up
	}
	return err
}

// keyDown releases the key, even if ctx has ended.
func (l *Link) keyDown(ctx context.Context, frequency wire.Frequency) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), GoodbyeTime)
	defer cancel()
	return l.SetTalking(ctx, wire.SetTalking{Frequency: frequency})
}

// play sends the packets when they are due. The schedule is absolute, so that delays never
// add up.
func (l *Link) play(ctx context.Context, frequency wire.Frequency, packets [][]byte, lost <-chan error) error {
	began, due := time.Now(), time.Duration(0)
	for i, p := range packets {
		samples := packet.Samples(p)
		if samples == 0 {
			return fmt.Errorf("packets[%d] is not an Opus packet", i)
		}
		v := wire.ClientVoice{Data: base64.StdEncoding.EncodeToString(p), Frequency: frequency}
		if err := l.Voice(v); err != nil {
			return err
		}
		due += time.Duration(samples) * time.Second / packet.Rate
		if err := pause(ctx, time.Until(began.Add(due)), lost); err != nil {
			return err
		}
	}
	return pause(ctx, TailTime, lost)
}

// pause waits for d, or until the floor is lost.
func pause(ctx context.Context, d time.Duration, lost <-chan error) error {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case err := <-lost:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (l *Link) setFloor(f *floor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.floor = f
}

// followFloor notices the end of this user's own floor. What is heard elsewhere, as on a
// patched channel, says nothing about it.
func (l *Link) followFloor(t wire.TalkingState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.floor
	switch {
	case f == nil || t.ServerID != l.me:
	case t.State && f.at == "":
		f.at = t.Frequency
	case !t.State && (f.at == "" || f.at == t.Frequency):
		offer(f.lost, fmt.Errorf("the floor of %s was lost", t.Frequency))
	}
}

func (l *Link) loseFloor(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.floor != nil {
		offer(l.floor.lost, err)
	}
}

// ReadOgg reads the packets of an Ogg Opus file, for [Link.Talk].
func ReadOgg(from io.Reader) ([][]byte, error) {
	limited := &io.LimitedReader{R: from, N: MaxOgg + 1}
	r, err := ogg.NewReader(limited)
	if err != nil {
		return nil, err
	}
	var packets [][]byte
	for {
		p, err := r.Next()
		switch {
		case limited.N == 0:
			return nil, fmt.Errorf("the file has more than %d bytes", MaxOgg)
		case errors.Is(err, io.EOF) && len(packets) == 0:
			return nil, errors.New("the file has no voice in it")
		case errors.Is(err, io.EOF):
			return packets, nil
		case err != nil:
			return nil, err
		case packet.Samples(p) == 0:
			return nil, fmt.Errorf("packet %d of the file is not an Opus packet", len(packets)+1)
		}
		packets = append(packets, bytes.Clone(p))
	}
}
