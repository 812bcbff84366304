package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/server/ogg/demo"
)

const (
	// replayChannels is how many units talk at once while recordings are made.
	replayChannels = 8
	// betweenBursts is how long a unit is silent, longer than the recorder waits for voice
	// that comes late.
	betweenBursts = 400 * time.Millisecond
	// firstVoice is how much of a file has been read when its first voice has come, in
	// bytes: the two headers of Ogg Opus and the beginning of a page.
	firstVoice = 600
)

func replayConfig() string {
	text := benchConfig(replayChannels, "")
	return strings.Replace(text, "limits = {", "recording = { all = true, freeBytes = 1 },\nlimits = { restPerSecond = 1000000, restBurst = 1000000,", 1)
}

// record has units talk until there are enough bursts.
func (f *replayFlags) record(ctx context.Context, r radio, note func(string, ...any)) error {
	packets, err := speaking()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var begun, done atomic.Int64
	var units sync.WaitGroup
	for channel := range replayChannels {
		units.Go(func() {
			err := f.talk(ctx, r, channel, packets, func() bool { return begun.Add(1) <= int64(f.bursts) }, func() {
				note("recording: %d of %d bursts", done.Add(1), f.bursts)
			})
			if err != nil {
				cancel(fmt.Errorf("unit %d: %w", channel+1, err))
			}
		})
	}
	units.Wait()
	return context.Cause(ctx)
}

// talk is one unit.
func (f *replayFlags) talk(ctx context.Context, r radio, channel int, packets [][]byte, more func() bool, said func()) error {
	s, err := r.sit(ctx, core.UserID(-1-channel), channel)
	if err != nil {
		return err
	}
	defer s.close()
	t, err := s.talk(ctx)
	if err != nil {
		return err
	}
	for n := 0; more(); {
		if err := t.keyUp(ctx, true); err != nil {
			return err
		}
		tick := time.NewTicker(20 * time.Millisecond)
		for range f.length / (20 * time.Millisecond) {
			if err = t.send(packets[n%len(packets)]); err != nil {
				break
			}
			n++
			select {
			case <-tick.C:
			case <-ctx.Done():
				err = ctx.Err()
			}
			if err != nil {
				break
			}
		}
		tick.Stop()
		if err = errors.Join(err, t.release()); err != nil {
			return err
		}
		said()
		if err := pause(ctx, betweenBursts); err != nil {
			return err
		}
	}
	return nil
}

// speaking are the packets of what units say.
func speaking() (packets [][]byte, err error) {
	r, err := ogg.NewReader(bytes.NewReader(demo.Speech))
	if err != nil {
		return nil, err
	}
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return packets, nil
		}
		if err != nil {
			return nil, err
		}
		packets = append(packets, slices.Clone(p))
	}
}

// library fetches recordings.
type library struct {
	url, folder    string
	session, token string
	all            []wire.Recording
}

func (l *library) logIn(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+"/radio/dispatch/auth", strings.NewReader(`{"nacId":"bench","callsign":"BENCH"}`))
	if err != nil {
		return err
	}
	var in wire.AuthReply
	if err := l.json(r, &in); err != nil {
		return err
	}
	l.session, l.token = in.SessionID, in.AuthToken
	return nil
}

func (l *library) json(r *http.Request, into any) error {
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = got.Body.Close() }()
	data, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	if got.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s %s", r.Method, r.URL.Path, got.Status, data)
	}
	return json.Unmarshal(data, into)
}

func (l *library) get(ctx context.Context, path string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+path, nil)
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+l.token)
		r.Header.Set("X-Session-Id", l.session)
	}
	return r, err
}

// wait waits until all bursts are on the shelf.
func (l *library) wait(ctx context.Context, bursts int) error {
	for until := time.Now().Add(answerTime); ; {
		l.all = nil
		for before := ""; ; {
			r, err := l.get(ctx, "/api/recordings?limit=500&before="+before)
			if err != nil {
				return err
			}
			var page wire.RecordingPage
			if err := l.json(r, &page); err != nil {
				return err
			}
			if l.all = append(l.all, page.Recordings...); page.Next == nil {
				break
			}
			before = *page.Next
		}
		if len(l.all) >= bursts {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("%d of %d bursts are on the shelf", len(l.all), bursts)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// measure fetches one recording after the other, from the service and from a static file
// server in turn.
func (l *library) measure(ctx context.Context, requests int, note func(string, ...any)) (r replayResult, err error) {
	r = replayResult{Recordings: len(l.all), Requests: requests, Target: float64(replayTarget.Milliseconds())}
	for _, x := range l.all {
		r.Bytes, r.VoiceMs = r.Bytes+x.Recording.Bytes, r.VoiceMs+x.Recording.DurationMs
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return r, err
	}
	static := &http.Server{Handler: http.FileServer(http.Dir(l.folder)), ReadHeaderTimeout: answerTime}
	go func() { _ = static.Serve(listen) }()
	defer func() { _ = static.Close() }()
	var own, plain []float64
	for n := range requests {
		x := l.all[n%len(l.all)]
		if n%50 == 0 {
			note("measuring: request %d of %d", n, requests)
		}
		mine, err := l.get(ctx, "/api/recordings/"+x.ID+".ogg")
		if err != nil {
			return r, err
		}
		file := filepath.ToSlash(time.UnixMilli(x.StartedAt).UTC().Format("2006-01-02/15/")) + x.ID + ".ogg"
		theirs, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listen.Addr().String()+"/"+file, nil)
		if err != nil {
			return r, err
		}
		for _, one := range []struct {
			r  *http.Request
			to *[]float64
		}{{mine, &own}, {theirs, &plain}} {
			took, err := first(one.r)
			if err != nil {
				return r, err
			}
			*one.to = append(*one.to, took.Seconds()*1000)
		}
	}
	r.Service, r.Static = waitsOf(own), waitsOf(plain)
	r.Ratio, r.Met = r.Service.P50/r.Static.P50, r.Service.P99 < r.Target
	return r, nil
}

// first is how long it takes until a file's first voice is here. The rest is read too.
func first(r *http.Request) (time.Duration, error) {
	began := time.Now()
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = got.Body.Close() }()
	var voice [firstVoice]byte
	n, err := io.ReadFull(got.Body, voice[:])
	took := time.Since(began)
	switch {
	case got.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("%s: %s %s", r.URL.Path, got.Status, voice[:n])
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return 0, err
	case !bytes.HasPrefix(voice[:n], []byte("OggS")):
		return 0, fmt.Errorf("%s is no Ogg file", r.URL.Path)
	}
	_, err = io.Copy(io.Discard, got.Body)
	return took, err
}

func waitsOf(all []float64) waits {
	slices.Sort(all)
	return waits{P50: all[len(all)/2], P99: all[min(len(all)-1, len(all)*99/100)], Max: all[len(all)-1]}
}
