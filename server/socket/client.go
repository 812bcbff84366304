package socket

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/sio"
	"squelch/sfu"
)

// connection is what connects a client: a *sio.Socket or a *control. Its methods may be
// called from any goroutine and, except Ended, never wait.
type connection interface {
	// Emit sends an event, after what was sent before. To a link that has ended, or that
	// ends because its client does not read, it is lost without error.
	Emit(event string, args ...any) error
	// SendPrepared is Emit of an event that is encoded already; it says whether the event
	// was accepted.
	SendPrepared(event *sio.Prepared) bool
	// Join and Leave change to which rooms the link belongs, see Hub.send.
	Join(rooms ...string)
	Leave(rooms ...string)
	// Connected says that neither side has ended the link. Ended says that it is over, and
	// that the hub has been told; if it is just ending, it waits for that.
	Connected() bool
	// Transport is polling, websocket or webrtc.
	Transport() string
	Ended(timeout time.Duration) bool
	// Probe finds out whether the client still answers.
	Probe(timeout time.Duration, result func(alive bool))
	// Disconnect ends the link for good, after what was sent so far; Break as if it had
	// been lost, so that the client connects again.
	Disconnect(closeTransport bool)
	Break()
}

// client is one connected client. Its handlers run one after the other.
type client struct {
	hub   *Hub
	conn  connection
	who   Identity // changed under hub.mu, because AnnounceTo reads it
	token string
	want  core.UserID
	login string       // who.Login; guarded by hub.mu, because other connections of the login read it
	held  []string     // the sessions that this socket keeps from ending
	from  *client      // the lost client that this one continues, until it is bound
	id    atomic.Int32 // core.UserID; 0 before the radio has answered
	pace  *rate.Limiter
	lua   *rate.Limiter // events for scripts
	imbe  atomic.Bool   // wants or has sent IMBE
	// current is the speaker channel (core.Frequency), for voice that names none.
	current atomic.Int64
	sink    sfu.Sink // nil: its voice comes by the link's own connection
	voice   voiceIn
}

// caller is the client as the front door knows it.
func (c *client) caller() door.Caller {
	by := c.who.Caller
	by.User = core.UserID(c.id.Load())
	return by
}

// join puts the client on the radio; dead is the id of an older client that it
// takes over.
func (c *client) join(dead core.UserID) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	facts := door.Facts(c.who.Caller, c.want)
	c.hub.Joining(ctx, c.want, &facts)
	step := door.Connect(c.who.Caller, c.want, dead, facts)
	out, err := c.hub.Engine().Bind(ctx, step.By, step.Command, c.given)
	c.tell(step.Answer(out, err), nil)
	return err
}

// keep makes the socket hold these sessions instead of those it held; false: they
// have ended, and nothing has changed.
func (c *client) keep(sessions []string) bool {
	if !c.hub.Gate.Hold(sessions) {
		return false
	}
	c.hub.Gate.Release(c.held, false)
	c.held = sessions
	return true
}

// given binds the client to its id before anybody is told, so that the welcome
// arrives.
func (c *client) given(out core.Output) {
	before, recovers := core.UserID(c.id.Load()), c.from != nil
	id, first, ok := door.Given(out, c.want, before)
	if !ok {
		return
	}
	c.hub.bind(c, id)
	if before != id {
		c.voiceTo(id, before, recovers)
	}
	for _, m := range first {
		c.hub.entering = append(c.hub.entering, func() { _ = c.conn.Emit(m.Name, m.Payload) })
	}
	if before == 0 { // a new link
		c.hub.entering = append(c.hub.entering, func() { c.hub.nodes.tell(c.hub, c) })
	}
}

// voiceTo brings the client the voice of the id that it was given. A client with a
// connection for voice and events has it already.
func (c *client) voiceTo(id, before core.UserID, recovers bool) {
	if c.sink == nil {
		return
	}
	c.hub.Media.Detach(before, c.sink)
	c.hub.Media.ClosePeer(before)
	if !recovers { // the voice connection is an older client's
		c.hub.Media.ClosePeer(id)
	}
	c.hub.Media.Attach(id, c.sink)
	c.hub.Media.AcceptIMBE(id, c.imbe.Load())
}

// Reasons of Socket.IO for the clean end of a link: by the client, and by Disconnect.
const (
	saidGoodbye  = "client namespace disconnect"
	disconnected = "server namespace disconnect"
)

// gone runs when the link has ended. A goodbye ends membership at once; a lost link
// keeps it for the resume window.
func (c *client) gone(reason string) {
	id := core.UserID(c.id.Load())
	clean := reason == saidGoodbye || reason == disconnected
	c.hub.Gate.Release(c.held, !clean)
	c.held = nil
	if c.sink != nil {
		c.hub.Media.Detach(id, c.sink)
	}
	if !c.hub.depart(c, clean) {
		return
	}
	defer c.hub.departed(c)
	// There is no time limit: without this command the user would stay on the radio
	// forever.
	step := door.Leave(c.caller(), clean)
	_, err := c.hub.Engine().Do(context.Background(), step.By, step.Command)
	var refusal *core.Error
	if err != nil && !errors.As(err, &refusal) {
		c.hub.Logf("user %s could not be unlinked: %v", id, err)
	}
	if err != nil && !clean {
		c.hub.forsake(id) // the user has left at the same moment
	}
}

// event handles one event of the client as the front door says.
func (c *client) event(name string, args []json.RawMessage, ack func(...any)) {
	arg := json.RawMessage("null")
	if len(args) > 0 {
		arg = args[0]
	}
	if door.Job(name) == door.Voice && door.May(c.who.Caller, name) == nil {
		c.hear(arg, ack)
		return
	}
	began := time.Now()
	_ = c.pace.Wait(context.Background())
	step := c.hub.door.Event(door.Request{At: c.hub.Now().UnixMilli(), By: c.caller(), Event: name, Payload: arg})
	if step.Job != "" {
		c.job(step, ack)
		return
	}
	var out core.Output
	var err error
	if step.Command != nil {
		ctx, cancel := context.WithTimeout(context.Background(), commandTime)
		defer cancel()
		out, err = c.hub.Engine().Do(ctx, step.By, step.Command)
	} else if door.Job(name) == door.Voice {
		c.hub.silenced.Add(1)
	}
	c.tell(step.Answer(out, err), ack)
	if _, is := step.Command.(core.KeyUp); is {
		c.hub.KeyUp(c.conn.Transport(), time.Since(began))
	}
}

// job does what the front door leaves to the adapter.
func (c *client) job(step door.Step, ack func(...any)) {
	switch step.Job {
	case door.Link:
		c.link(step, ack)
		return
	case door.Offer:
		c.offer(step, ack)
		return
	case door.Report:
		c.report(step, ack)
		return
	case door.Encoding:
		c.takeIMBE(step.Body == "imbe")
	case door.CloseMedia:
		if c.sink == nil {
			c.tell(step.Answer(core.Output{}, errOneConnection), ack)
			return
		}
		c.hub.Media.ClosePeer(core.UserID(c.id.Load()))
	case door.ToneFile:
		c.toneFile(step, ack)
		return
	case door.Script:
		err := error(door.ErrManyEvents)
		if c.lua.Allow() {
			err = c.hub.script(step.By.User, step.Body.(wire.ScriptEvent))
		}
		c.tell(step.Answer(core.Output{}, err), ack)
		return
	}
	c.tell(step.Answer(core.Output{}, nil), ack)
}

// tell sends the client its answer.
func (c *client) tell(a door.Answer, ack func(...any)) {
	if a.Wrong {
		c.hub.wrong.Add(1)
	}
	for _, m := range a.Messages {
		_ = c.conn.Emit(m.Name, m.Payload)
	}
	if ack != nil && a.Body != nil {
		ack(a.Body)
	}
}
