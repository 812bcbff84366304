package socket

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"golang.org/x/time/rate"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/sio"
)

// client is one connected socket. Its handlers run one after the other.
type client struct {
	hub   *Hub
	sock  *sio.Socket
	who   Identity
	token string
	want  core.UserID
	owner string       // guarded by hub.mu: other connections of the login ask
	held  []string     // the sessions that this socket keeps from ending
	from  *client      // the lost one that it goes on for, until it is bound
	id    atomic.Int32 // core.UserID; 0 before the radio has answered
	pace  *rate.Limiter
	imbe  atomic.Bool // wants or has sent IMBE
	// current is the speaker channel (core.Frequency), for voice that names none.
	current atomic.Int64
	sink    *legacySink
	voice   voiceIn
}

func (c *client) actor() core.Actor {
	return core.Actor{User: core.UserID(c.id.Load()), Surface: core.BySocket, Name: c.who.Name}
}

func (c *client) join(owner string, takeOver core.UserID) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	cmd := core.Connect{Want: c.want, Owner: owner, TakeOver: takeOver, Facts: c.hub.Facts(ctx, c.want, c.who)}
	by := core.Actor{User: c.want, Surface: core.BySocket, Name: c.who.Name}
	_, err := c.hub.Engine().Bind(ctx, by, cmd, c.given)
	return err
}

// keep puts the socket on these sessions, instead of those it was on; false:
// they have ended, and nothing has changed.
func (c *client) keep(sessions []string) bool {
	if !c.hub.Gate.Hold(sessions) {
		return false
	}
	c.hub.Gate.Release(c.held, false)
	c.held = sessions
	return true
}

// given learns the id before anybody is told, so that the welcome arrives.
func (c *client) given(out core.Output) {
	for _, e := range out.Events {
		f, ok := e.Fact.(core.UserConnected)
		if !ok || f.Wanted != c.want {
			continue
		}
		before, recovers := core.UserID(c.id.Load()), c.from != nil
		c.hub.bind(c, f.User)
		if before != f.User {
			c.hub.Media.Detach(before, c.sink)
			c.hub.Media.ClosePeer(before)
			if !recovers { // its voice was that of an older client
				c.hub.Media.ClosePeer(f.User)
			}
			c.hub.Media.Attach(f.User, c.sink)
			c.hub.Media.AcceptIMBE(f.User, c.imbe.Load())
		}
		if f.User != f.Wanted || (before != 0 && before != f.User) {
			_ = c.sock.Emit("identity", wire.Identity{ServerID: f.User})
		}
	}
}

// gone: the socket has ended. A goodbye ends membership at once; a lost link
// keeps it for the resume window.
func (c *client) gone(reason string) {
	id := core.UserID(c.id.Load())
	clean := reason == "client namespace disconnect" || reason == "server namespace disconnect"
	c.hub.Gate.Release(c.held, !clean)
	c.held = nil
	c.hub.Media.Detach(id, c.sink)
	leave := c.hub.lose
	if clean {
		leave = c.hub.unbind
	}
	if !leave(c) {
		return
	}
	// However long the radio takes: it would otherwise keep who has gone for ever.
	_, err := c.hub.Engine().Do(context.Background(), c.actor(), core.Unlink{User: id, Clean: clean})
	var refusal *core.Error
	if err != nil && !errors.As(err, &refusal) {
		c.hub.Logf("user %s could not be unlinked: %v", id, err)
	}
	if err != nil && !clean {
		c.hub.forsake(id) // the user has left at the same moment
	}
}

// event handles one event of the client. Unknown events are ignored.
func (c *client) event(name string, args []json.RawMessage, ack func(...any)) {
	arg := json.RawMessage("null")
	if len(args) > 0 {
		arg = args[0]
	}
	lacking := c.may(name)
	if name == "voice" && lacking == nil {
		c.hear(arg, ack)
		return
	}
	_ = c.pace.Wait(context.Background())
	switch {
	case lacking != nil:
		c.lacks(name, arg, lacking, ack)
	case name == "heartbeat":
		now := c.hub.Now().UnixMilli()
		_ = c.sock.Emit("heartbeat_response", now)
		answer(ack, nil)
	case name == "setDispatchSession":
		c.link(arg, ack)
	case name == "setVoiceEncoding":
		c.encoding(arg, ack)
	case name == "webrtc:offer":
		c.offer(arg, ack)
	case name == "webrtc:close":
		c.hub.Media.ClosePeer(core.UserID(c.id.Load()))
		answer(ack, nil)
	case wire.Decodes(name):
		c.command(name, arg, ack)
	}
}

// command carries an event that is one command of the radio.
func (c *client) command(name string, arg json.RawMessage, ack func(...any)) {
	me := core.UserID(c.id.Load())
	cmd, err := wire.DecodeEvent(name, me, arg)
	if err != nil {
		c.ignored(name, arg, err, ack)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	out, err := c.hub.Engine().Do(ctx, c.actor(), cmd)
	if err != nil {
		c.refuse(name, arg, err)
	}
	if ack != nil {
		ack(wire.AckOf(cmd, out, err))
	}
}

// ignored: a payload of the wrong type is counted; a frequency that cannot be
// found is refused aloud.
func (c *client) ignored(name string, arg json.RawMessage, err error, ack func(...any)) {
	var refusal *core.Error
	if errors.As(err, &refusal) && refusal.Kind == core.NotFound {
		c.refuse(name, arg, err)
	} else {
		c.hub.wrong.Add(1)
	}
	answer(ack, err)
}

// refuse tells this socket that a join, key-up or the like was refused.
func (c *client) refuse(event string, arg json.RawMessage, err error) {
	_ = c.sock.Emit("refused", wire.RefusedOf(event, arg, err))
}

func answer(ack func(...any), err error) {
	switch {
	case ack == nil:
	case err != nil:
		ack(wire.AckError{Error: err.Error()})
	default:
		ack(wire.AckOK{Success: true})
	}
}

func (c *client) encoding(arg json.RawMessage, ack func(...any)) {
	var e string
	err := wire.DecodeArg(arg, "encoding", &e, `"opus" or "imbe"`)
	if err == nil && e != "opus" && e != "imbe" {
		err = &core.Error{Kind: core.Invalid, Field: "encoding", Message: `encoding must be "opus" or "imbe"`}
	}
	if err != nil {
		c.ignored("setVoiceEncoding", arg, err, ack)
		return
	}
	c.takeIMBE(e == "imbe")
	answer(ack, nil)
}
