package socket

import (
	"sync"
	"time"

	"squelch/server/sio"
	"squelch/sfu"
)

// control is the link of a player whose events and voice share one WebRTC connection:
// its data channel. One goroutine reads, another one handles what was read, one event
// after the other; the latter exists only while there is work.
type control struct {
	hub     *Hub
	channel *sfu.Control
	client  *client
	over    chan struct{} // closed when the hub has been told of the end

	sending sync.Mutex // pieces of one message stay together

	mu      sync.Mutex
	rooms   []string // that it has entered
	inbox   [][]byte
	bytes   int    // in the inbox
	working bool   // a goroutine handles events
	ended   string // why; "": it has not
	told    bool   // the hub has been told, or is being told
}

// newControl makes a link to serve. It counts as working from the start: if it ends
// before serve, the hub is told after the player was put on the radio.
func newControl(h *Hub, c *client, channel *sfu.Control) *control {
	k := &control{hub: h, channel: channel, client: c, over: make(chan struct{}), working: true}
	c.conn = k
	return k
}

// More reasons of Socket.IO for the end of a link, see gone.
const (
	lostLink     = "transport close"
	sentNonsense = "parse error"
	hungUp       = "server shutting down"
)

// serve puts the player on the radio and carries its events until the channel ends, and
// the hub has been told.
func (k *control) serve() {
	go k.begin()
	for {
		text, err := k.channel.Receive()
		if err != nil {
			break
		}
		k.take(text)
	}
	k.end(lostLink, true)
	<-k.over
}

// begin puts the player on the radio; what has been sent meanwhile comes after that.
func (k *control) begin() {
	k.enter()
	k.work()
}

// enter ends the link of a player who is refused.
func (k *control) enter() {
	entered := false
	defer func() {
		if !entered {
			k.Disconnect(true)
		}
	}()
	defer k.guard()
	k.hub.Log.Debug("connects", "kind", string(k.client.who.Kind), "user", k.client.want.String(), "transport", "webrtc")
	a := &admitted{who: k.client.who, offered: true, want: k.client.want}
	if entered = k.hub.enter(k.client) && k.hub.stillAdmitted(a); !entered {
		return
	}
	if now := k.hub.Media.SlotsOf(k.client.want); len(now.Slots)+len(now.Waiting) > 0 {
		k.client.tellSlots(now)
	}
}

// take queues what the client has sent. Nothing makes a client wait, so one that sends
// more than it may is put out.
func (k *control) take(text []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.ended != "":
		return
	case len(k.inbox) >= inboxEvents || k.bytes+len(text) > inboxBytes:
		k.hub.Logf("player %s sends events faster than they can be handled: its data channel is cut", k.client.want)
		k.endLocked(lostLink, false)
		k.channel.Cut()
		return
	}
	k.inbox = append(k.inbox, text)
	k.bytes += len(text)
	k.workLocked()
}

// end ends the link. With rest, what has arrived before is still handled.
func (k *control) end(reason string, rest bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.endLocked(reason, rest)
}

func (k *control) endLocked(reason string, rest bool) {
	if k.ended != "" {
		return
	}
	k.ended = reason
	if !rest {
		k.inbox, k.bytes = nil, 0
	}
	k.workLocked()
}

func (k *control) workLocked() {
	if !k.working {
		k.working = true
		go k.work()
	}
}

// work handles what waits, and tells the hub of the end.
func (k *control) work() {
	for {
		k.mu.Lock()
		if len(k.inbox) == 0 {
			k.inbox = nil
			k.working = false
			reason := k.ended
			last := reason != "" && !k.told
			k.told = k.told || last
			k.mu.Unlock()
			if last {
				k.leave(reason)
			}
			return
		}
		text := k.inbox[0]
		k.inbox[0], k.inbox = nil, k.inbox[1:]
		k.bytes -= len(text)
		k.mu.Unlock()
		k.handle(text)
	}
}

// handle runs one event. A client that does not speak the protocol is put out, as one
// on a socket.
func (k *control) handle(text []byte) {
	defer k.guard()
	event, err := readFrame(text)
	switch {
	case err != nil:
		k.end(sentNonsense, false)
		k.channel.Close()
	case event.name == byeFrame:
		k.end(saidGoodbye, false)
		k.channel.Close()
	default:
		k.client.event(event.name, event.args(), k.answer(event))
	}
}

// leave tells the hub of the end.
func (k *control) leave(reason string) {
	defer close(k.over)
	defer k.guard()
	k.mu.Lock()
	rooms := k.rooms
	k.rooms = nil
	k.mu.Unlock()
	for _, room := range rooms {
		k.hub.controls.leave(room, k)
	}
	k.client.gone(reason)
}

// guard keeps a panic of a handler from ending the service, as Socket.IO's does.
func (k *control) guard() {
	if p := recover(); p != nil {
		k.hub.panicked(k.client.want, p)
	}
}

// answer returns the function that acknowledges an event; nil: nobody asked.
func (k *control) answer(event said) func(...any) {
	if !event.asks {
		return nil
	}
	return func(args ...any) {
		text, err := frame(ackFrame, append([]any{event.ack}, args...)...)
		if err != nil {
			k.hub.Logf("acknowledgement of %q: %v", event.name, err)
			return
		}
		k.send(text)
	}
}

// send hands a message to the channel, in pieces if it is too long for one. It is false
// if the channel has ended, or does so because nobody reads.
func (k *control) send(text []byte) bool {
	k.sending.Lock()
	defer k.sending.Unlock()
	for _, piece := range inPieces(text, k.channel.MaxMessage()) {
		if !k.channel.Send(piece) {
			return false
		}
	}
	return true
}

// SendPrepared sends an event that is encoded already.
func (k *control) SendPrepared(event *sio.Prepared) bool { return k.send(event.JSON()) }

// Emit sends an event.
func (k *control) Emit(event string, args ...any) error {
	text, err := frame(event, args...)
	if err == nil {
		k.send(text)
	}
	return err
}

// Join enters rooms, unless the link has ended.
func (k *control) Join(rooms ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.told {
		return
	}
	for _, room := range rooms {
		k.hub.controls.enter(room, k)
		k.rooms = append(k.rooms, room)
	}
}

// Leave leaves rooms.
func (k *control) Leave(rooms ...string) {
	for _, room := range rooms {
		k.hub.controls.leave(room, k)
	}
}

// Transport is webrtc.
func (k *control) Transport() string { return "webrtc" }

// Connected says that neither side has ended the link.
func (k *control) Connected() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended == ""
}

// Ended says that the link is over and the hub has been told. If it is ending, it waits
// for that, at most for the timeout.
func (k *control) Ended(timeout time.Duration) bool {
	if k.Connected() && k.channel.Current() {
		return false
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case <-k.over:
		return true
	case <-late.C:
		return false
	}
}

// Probe says whether the connection is still there. Only a newer connection of the
// player asks, and that one wins in any case.
func (k *control) Probe(_ time.Duration, result func(alive bool)) {
	go result(k.Connected() && k.channel.Current())
}

// Disconnect ends the link for good, after what was sent so far. Later events of the
// client are not handled.
func (k *control) Disconnect(bool) {
	k.end(disconnected, false)
	k.channel.Close()
}

// Break ends the link as if it had been lost.
func (k *control) Break() {
	k.end(lostLink, false)
	k.channel.Cut()
}

// hangUp ends the link because the service stops.
func (k *control) hangUp() {
	k.end(hungUp, false)
	k.channel.Close()
}
