package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
	sfu "squelch/sfu/client"
)

// answerTime bounds one signalling exchange.
const answerTime = 20 * time.Second

// station connects the load's clients to one kind of server.
type station interface {
	// listen connects a WebRTC listener of a channel.
	listen(ctx context.Context, id core.UserID, channel int, heard func(sfu.Received)) (close func(), err error)
	// listenLegacy connects a Socket.IO listener.
	listenLegacy(ctx context.Context, id core.UserID, channel int, heard func()) (close func(), err error)
	// talk connects a WebRTC talker.
	talk(ctx context.Context, id core.UserID, channel int) (talker, error)
}

// talker sends voice; key presses and releases PTT, if the server knows one.
type talker struct {
	send  func([]byte) error
	key   func(down bool) error
	close func()
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
			return "", errors.New("the offer was refused: " + answer.Error)
		}
		return answer.SDP, nil
	}
}

func (r radio) listen(ctx context.Context, id core.UserID, channel int, heard func(sfu.Received)) (func(), error) {
	c, err := r.connect(ctx, id, func(sio.Event) {})
	if err != nil {
		return nil, err
	}
	if _, err := c.Call(ctx, "setSpeakerChannel", frequency(channel)); err != nil {
		c.Close()
		return nil, err
	}
	p, err := sfu.Dial(ctx, sfu.Options{ID: id, Heard: heard, Loopback: true}, signal(c))
	if err != nil {
		c.Close()
		return nil, err
	}
	return func() { p.Close(); c.Close() }, nil
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

func (r radio) talk(ctx context.Context, id core.UserID, channel int) (talker, error) {
	c, err := r.connect(ctx, id, func(sio.Event) {})
	if err != nil {
		return talker{}, err
	}
	p, err := sfu.Dial(ctx, sfu.Options{ID: id, Loopback: true}, signal(c))
	if err != nil {
		c.Close()
		return talker{}, err
	}
	return talker{
		send: p.Send,
		key: func(down bool) error {
			return c.Emit("setTalking", map[string]any{"state": down, "frequency": frequency(channel)})
		},
		close: func() { p.Close(); c.Close() },
	}, nil
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

func (p plain) listen(ctx context.Context, _ core.UserID, channel int, heard func(sfu.Received)) (func(), error) {
	c, err := p.dial(ctx, sfu.Options{Heard: heard, Loopback: true}, channel, "")
	if err != nil {
		return nil, err
	}
	return c.Close, nil
}

func (p plain) listenLegacy(context.Context, core.UserID, int, func()) (func(), error) {
	return nil, errors.New("the plain SFU has no Socket.IO")
}

func (p plain) talk(ctx context.Context, _ core.UserID, channel int) (talker, error) {
	c, err := p.dial(ctx, sfu.Options{Loopback: true}, channel, "yes")
	if err != nil {
		return talker{}, err
	}
	return talker{send: c.Send, key: func(bool) error { return nil }, close: c.Close}, nil
}
