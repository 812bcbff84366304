package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
	sfu "squelch/sfu/client"
)

// answerTime bounds one signalling exchange.
const answerTime = 20 * time.Second

// asBrowsers is the pace of Chromium's connectivity checks.
const asBrowsers = 2500 * time.Millisecond

// station connects the load's clients to one kind of server: first what they need besides
// voice, so that the cost of the voice connections shows by itself.
type station interface {
	// sit brings a client to a channel; it hears nothing yet.
	sit(ctx context.Context, id core.UserID, channel int) (seat, error)
	// listenLegacy connects a Socket.IO listener.
	listenLegacy(ctx context.Context, id core.UserID, channel int, heard func()) (close func(), err error)
}

// seat is a client of a channel.
type seat interface {
	// listen opens its voice connection.
	listen(ctx context.Context, heard func(sfu.Received)) error
	// talk opens its voice connection and returns what a talker needs.
	talk(ctx context.Context) (talker, error)
	close()
}

// talker sends voice. keyUp presses PTT, if the server knows one, and waits for the grant if
// told to; release ends the burst and waits for nothing.
type talker struct {
	send    func([]byte) error
	keyUp   func(ctx context.Context, wait bool) error
	release func() error
}

// radio is a Squelch service.
type radio struct{ url, token string }

func (r radio) connect(ctx context.Context, id core.UserID, event func(sio.Event)) (*sio.Client, error) {
	up := make(chan error, 1)
	c, err := sio.New(sio.Options{URL: r.url, NoReconnect: true,
		Auth:           func() any { return map[string]any{"authToken": r.token, "serverId": id} },
		OnConnect:      func(bool) { up <- nil },
		OnConnectError: func(err error) { up <- err },
		OnEvent:        event,
	})
	if err != nil {
		return nil, err
	}
	select {
	case err = <-up:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

var (
	errRefused = errors.New("the offer was refused")
	errNoFloor = errors.New("the floor was not granted")
)

// signal sends an offer over the client's socket.
func signal(c *sio.Client) func(context.Context, string) (string, error) {
	return func(ctx context.Context, offer string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		args, err := c.Call(ctx, "webrtc:offer", wire.WebRTCOffer{SDP: offer})
		if err != nil {
			return "", err
		}
		var answer struct{ SDP, Error string }
		if len(args) == 0 || json.Unmarshal(args[0], &answer) != nil || answer.SDP == "" {
			return "", fmt.Errorf("%w: %s", errRefused, answer.Error)
		}
		return answer.SDP, nil
	}
}

// desk is a client of a Squelch service.
type desk struct {
	socket  *sio.Client
	voice   *sfu.Client
	id      core.UserID
	channel int
	talks   atomic.Bool
	granted chan struct{} // has one when the floor was granted
}

func (r radio) sit(ctx context.Context, id core.UserID, channel int) (seat, error) {
	d := &desk{id: id, channel: channel, granted: make(chan struct{}, 1)}
	c, err := r.connect(ctx, id, d.event)
	if err != nil {
		return nil, err
	}
	d.socket = c
	if _, err := c.Call(ctx, "setSpeakerChannel", frequency(channel)); err != nil {
		c.Close()
		return nil, err
	}
	return d, nil
}

// event takes what the service says to a talker of its floor. A listener's decodes nothing,
// because it is part of the load.
func (d *desk) event(e sio.Event) {
	if e.Name != "talkingState" || len(e.Args) == 0 || !d.talks.Load() {
		return
	}
	var said wire.TalkingState
	if json.Unmarshal(e.Args[0], &said) == nil && said.State && said.ServerID == d.id {
		select {
		case d.granted <- struct{}{}:
		default:
		}
	}
}

func (d *desk) listen(ctx context.Context, heard func(sfu.Received)) (err error) {
	d.voice, err = sfu.Dial(ctx, sfu.Options{ID: d.id, Heard: heard, Loopback: true, CheckEvery: asBrowsers}, signal(d.socket))
	return err
}

func (d *desk) talk(ctx context.Context) (talker, error) {
	if err := d.listen(ctx, nil); err != nil {
		return talker{}, err
	}
	d.talks.Store(true)
	return talker{send: d.voice.Send, keyUp: d.keyUp, release: func() error { return d.setTalking(false) }}, nil
}

func (d *desk) setTalking(state bool) error {
	return d.socket.Emit("setTalking", map[string]any{"state": state, "frequency": frequency(d.channel)})
}

// keyUp waits as the console does: for the event, not for the answer to setTalking.
func (d *desk) keyUp(ctx context.Context, wait bool) error {
	select {
	case <-d.granted: // of an earlier key-up
	default:
	}
	if err := d.setTalking(true); err != nil || !wait {
		return err
	}
	select {
	case <-d.granted:
		return nil
	case <-time.After(answerTime):
		return errNoFloor
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *desk) close() {
	if d.voice != nil {
		d.voice.Close()
	}
	d.socket.Close()
}

func (r radio) listenLegacy(ctx context.Context, id core.UserID, channel int, heard func()) (func(), error) {
	c, err := r.connect(ctx, id, func(e sio.Event) {
		if e.Name == "voice" {
			heard()
		}
	})
	if err != nil {
		return nil, err
	}
	if _, err := c.Call(ctx, "addListeningChannel", frequency(channel)); err != nil {
		c.Close()
		return nil, err
	}
	return c.Close, nil
}

// plain is the plain SFU.
type plain struct{ url string }

func (p plain) dial(ctx context.Context, o sfu.Options, channel int, talk string) (*sfu.Client, error) {
	return sfu.Dial(ctx, o, func(ctx context.Context, offer string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/offer?channel=%d&talk=%s", p.url, channel, talk), strings.NewReader(offer))
		if err != nil {
			return "", err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return "", err
		}
		if resp.StatusCode != http.StatusOK {
			return "", fmt.Errorf("the plain SFU answers %s: %s", resp.Status, body)
		}
		var answer struct{ SDP string }
		if err := json.Unmarshal(body, &answer); err != nil {
			return "", err
		}
		return answer.SDP, nil
	})
}

// chair is a client of the plain SFU, which knows no more than the voice connection.
type chair struct {
	plain
	channel int
	voice   *sfu.Client
}

func (p plain) sit(_ context.Context, _ core.UserID, channel int) (seat, error) {
	return &chair{plain: p, channel: channel}, nil
}

func (c *chair) listen(ctx context.Context, heard func(sfu.Received)) (err error) {
	c.voice, err = c.dial(ctx, sfu.Options{Heard: heard, Loopback: true, CheckEvery: asBrowsers}, c.channel, "")
	return err
}

func (c *chair) talk(ctx context.Context) (t talker, err error) {
	if c.voice, err = c.dial(ctx, sfu.Options{Loopback: true, CheckEvery: asBrowsers}, c.channel, "yes"); err != nil {
		return talker{}, err
	}
	return talker{
		send:    c.voice.Send,
		keyUp:   func(context.Context, bool) error { return nil },
		release: func() error { return nil },
	}, nil
}

func (c *chair) close() {
	if c.voice != nil {
		c.voice.Close()
	}
}

func (p plain) listenLegacy(context.Context, core.UserID, int, func()) (func(), error) {
	return nil, errors.New("the plain SFU has no Socket.IO")
}
