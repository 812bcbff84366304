package bench

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// voiceBytes is one 20 ms Opus packet at 32 kbit/s.
const voiceBytes = 80

// wireTime is how long a client waits for an answer while connecting.
const wireTime = 5 * time.Second

// wireClient is a very light Socket.IO client, so that 500 of them measure the server
// and not themselves.
type wireClient struct {
	c          *websocket.Conn
	mu         sync.Mutex // writes
	heard      atomic.Int64
	disorder   atomic.Int64
	next       uint32
	closed     atomic.Bool
	done       chan struct{}
	prefix     []byte
	dataMarker []byte
}

// dialTries is how often a client tries to connect: zishang520's server now and
// then never answers a CONNECT, or drops the connection.
const dialTries = 4

func dialWire(ctx context.Context, url string, id int, events ...string) (w *wireClient, err error) {
	for range dialTries {
		w, err = tryWire(ctx, url, id, events...)
		if err == nil || ctx.Err() != nil {
			return w, err
		}
	}
	return nil, err
}

func tryWire(ctx context.Context, url string, id int, events ...string) (*wireClient, error) {
	c, _, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(url, "http")+"/socket.io/?EIO=4&transport=websocket", nil)
	if err != nil {
		return nil, err
	}
	w := &wireClient{c: c, done: make(chan struct{}), prefix: []byte(`42["voice"`), dataMarker: []byte(`"data":"`)}
	auth, err := json.Marshal(map[string]any{"authToken": benchToken, "serverId": id})
	if err != nil {
		return nil, err
	}
	err = w.expect("0")
	if err == nil {
		err = w.send("40" + string(auth))
	}
	if err == nil {
		err = w.expect("40")
	}
	for _, e := range events {
		if err == nil {
			err = w.send("420" + e)
		}
		if err == nil {
			err = w.expect("430")
		}
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	go w.read()
	return w, nil
}

// expect reads until a packet begins with prefix; a refusal is an error.
func (w *wireClient) expect(prefix string) error {
	_ = w.c.SetReadDeadline(time.Now().Add(wireTime))
	defer func() { _ = w.c.SetReadDeadline(time.Time{}) }()
	for {
		_, b, err := w.c.ReadMessage()
		switch {
		case err != nil:
			return err
		case bytes.HasPrefix(b, []byte(prefix)):
			return nil
		case bytes.HasPrefix(b, []byte("44")):
			return fmt.Errorf("refused: %s", b)
		case string(b) == "2":
			if err := w.send("3"); err != nil {
				return err
			}
		}
	}
}

func (w *wireClient) send(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.c.WriteMessage(websocket.TextMessage, []byte(text))
}

func (w *wireClient) read() {
	defer close(w.done)
	buf := make([]byte, 4096)
	for {
		_, r, err := w.c.NextReader()
		if err != nil {
			return
		}
		n := 0
		for n < len(buf) {
			k, err := r.Read(buf[n:])
			n += k
			if err != nil {
				break
			}
		}
		switch b := buf[:n]; {
		case len(b) == 1 && b[0] == '2':
			if w.send("3") != nil {
				return
			}
		case bytes.HasPrefix(b, w.prefix):
			w.voice(b)
		}
	}
}

// voice counts a packet and checks its number, which is in its first bytes.
func (w *wireClient) voice(b []byte) {
	w.heard.Add(1)
	at := bytes.Index(b, w.dataMarker)
	if at < 0 || len(b) < at+len(w.dataMarker)+8 {
		w.disorder.Add(1)
		return
	}
	var raw [6]byte
	if _, err := base64.StdEncoding.Decode(raw[:], b[at+len(w.dataMarker):][:8]); err != nil {
		w.disorder.Add(1)
		return
	}
	number := binary.BigEndian.Uint32(raw[:])
	if w.next != 0 && number != w.next {
		w.disorder.Add(1)
	}
	w.next = number + 1
}

func (w *wireClient) close() {
	if w.closed.CompareAndSwap(false, true) {
		_ = w.c.Close()
		<-w.done
	}
}

// relayRound measures one server once.
func relayRound(ctx context.Context, p *process, channels, listeners int, length time.Duration, note func(string, ...any)) (relayResult, error) {
	res := relayResult{Channels: channels, Listeners: listeners}
	room := &relayRoom{url: p.url}
	defer room.close()
	// The first clients bring what is there once, such as the code that serves them.
	few := max(listeners/10, 1)
	before, err := room.grow(ctx, p, channels, few, note)
	if err != nil {
		return res, err
	}
	connected, err := room.grow(ctx, p, channels, listeners, note)
	if err != nil {
		return res, err
	}
	talkers, ears := room.talkers, room.ears
	if more := channels * (listeners - few); more > 0 {
		res.ClientKB = float64(connected.rss-before.rss) / 1024 / float64(more)
	}
	if err := pause(ctx, settle); err != nil {
		return res, err
	}
	idle, err := p.usage()
	if err != nil {
		return res, err
	}
	idleRate := float64(idle.cpu-connected.cpu) / float64(settle)
	number := uint32(1)
	if err := relayTalk(ctx, talkers, 25, &number); err != nil { // warm up
		return res, err
	}
	if err := pause(ctx, pauseBetween); err != nil {
		return res, err
	}
	heard := func() (n, disorder int64) {
		for _, e := range ears {
			n, disorder = n+e.heard.Load(), disorder+e.disorder.Load()
		}
		return n, disorder
	}
	n0, _ := heard()
	from, err := p.usage()
	if err != nil {
		return res, err
	}
	began, frames := time.Now(), int(length/frameTime)
	note("%v of voice", length)
	if err := relayTalk(ctx, talkers, frames, &number); err != nil {
		return res, err
	}
	to, err := p.usage()
	if err != nil {
		return res, err
	}
	took := time.Since(began)
	if err := pause(ctx, pauseBetween); err != nil {
		return res, err
	}
	n1, disorder := heard()
	res.Delivered, res.Expected, res.OutOfOrder = n1-n0, int64(frames)*int64(len(ears)), disorder
	if res.Delivered == 0 {
		return res, errors.New("nothing was heard")
	}
	res.Memory = float64(to.rss) / (1 << 20)
	res.CPUPerPacket = (float64(to.cpu-from.cpu) - idleRate*float64(took)) / 1000 / float64(res.Delivered)
	return res, nil
}

// relayRoom is who is connected to a server: a talker and some listeners per channel.
type relayRoom struct {
	url           string
	id            int // of the last client, counted down
	talkers, ears []*wireClient
}

// grow connects clients until each channel has so many listeners, and gives what the
// server has used when it has come to rest.
func (r *relayRoom) grow(ctx context.Context, p *process, channels, listeners int, note func(string, ...any)) (usage, error) {
	each := len(r.ears) / channels
	for ch := range channels {
		f, _ := json.Marshal(frequency(ch))
		if len(r.talkers) <= ch {
			if err := r.dial(ctx, &r.talkers, `["setSpeakerChannel",`+string(f)+`]`, `["setTalking",true]`); err != nil {
				return usage{}, err
			}
		}
		for range listeners - each {
			if err := r.dial(ctx, &r.ears, `["addListeningChannel",`+string(f)+`]`); err != nil {
				return usage{}, err
			}
			if len(r.ears)%50 == 0 {
				note("%d clients connected", len(r.ears))
			}
		}
	}
	note("idle")
	if err := pause(ctx, settle); err != nil {
		return usage{}, err
	}
	return p.usage()
}

func (r *relayRoom) dial(ctx context.Context, into *[]*wireClient, events ...string) error {
	r.id--
	w, err := dialWire(ctx, r.url, r.id, events...)
	if err == nil {
		*into = append(*into, w)
	}
	return err
}

func (r *relayRoom) close() {
	for _, w := range slices.Concat(r.talkers, r.ears) {
		w.close()
	}
}

// relayTalk sends one burst from every talker, paced by an absolute schedule.
func relayTalk(ctx context.Context, talkers []*wireClient, frames int, number *uint32) error {
	began := time.Now()
	voice := make([]byte, voiceBytes)
	for n := range frames {
		binary.BigEndian.PutUint32(voice, *number)
		*number++
		data := base64.StdEncoding.EncodeToString(voice)
		for ch, t := range talkers {
			if err := t.send(`42["voice",{"data":"` + data + `","frequency":"` + frequency(ch) + `"}]`); err != nil {
				return err
			}
		}
		if err := pause(ctx, time.Until(began.Add(time.Duration(n+1)*frameTime))); err != nil {
			return err
		}
	}
	return nil
}
