package sio

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"squelch/server/sio/eio"
	"squelch/server/sio/packet"
)

// Prepared is an event that is encoded and framed once and may be sent to any
// number of sockets of its namespace. It is immutable. One Prepared should go
// to the same socket only once; recovery finds it by its offset.
type Prepared struct {
	namespace   string
	text        []byte // the packet without offset
	body        int    // where in text the event begins
	attachments [][]byte
	once        sync.Once
	plain       atomic.Pointer[eio.Frame]
	logged      *loggedEvent // made with the first reliable send on a server with recovery
}

// Prepare encodes an event of the namespace "/". It fails if an argument cannot be
// JSON.
func Prepare(event string, args ...any) (*Prepared, error) { return prepare("/", event, args) }

// PrepareRaw encodes an event of the namespace "/" whose arguments are already JSON;
// they are not checked.
func PrepareRaw(event string, argJSON ...[]byte) *Prepared { return prepareRaw("/", event, argJSON) }

// Prepare encodes an event of this namespace.
func (n *Namespace) Prepare(event string, args ...any) (*Prepared, error) {
	return prepare(n.name, event, args)
}

// PrepareRaw encodes an event of this namespace whose arguments are already JSON.
func (n *Namespace) PrepareRaw(event string, argJSON ...[]byte) *Prepared {
	return prepareRaw(n.name, event, argJSON)
}

func prepare(namespace, event string, args []any) (*Prepared, error) {
	if packet.Reserved[event] {
		return nil, fmt.Errorf("sio: event %q: %w", event, packet.ErrReserved)
	}
	body, attachments, err := packet.AppendArgs(packet.AppendName(nil, event), args)
	if err != nil {
		return nil, fmt.Errorf("sio: event %q: %w", event, err)
	}
	text := packet.AppendPrefix(make([]byte, 0, len(body)+len(namespace)+8), packet.Event, len(attachments), namespace, -1)
	p := &Prepared{namespace: namespace, body: len(text), attachments: attachments}
	p.text = append(append(text, body...), ']')
	return p, nil
}

func prepareRaw(namespace, event string, argJSON [][]byte) *Prepared {
	size := len(namespace) + len(event) + 8
	for _, arg := range argJSON {
		size += 1 + len(arg)
	}
	text := packet.AppendPrefix(make([]byte, 0, size), packet.Event, 0, namespace, -1)
	p := &Prepared{namespace: namespace, body: len(text)}
	text = packet.AppendName(text, event)
	for _, arg := range argJSON {
		text = append(append(text, ','), arg...)
	}
	p.text = append(text, ']')
	return p
}

// JSON is the event as a JSON array: its name, then its arguments. It must not be
// changed. Attachments are not in it, only their placeholders.
func (p *Prepared) JSON() []byte { return p.text[p.body:] }

// volatileFrame is the event without offset.
func (p *Prepared) volatileFrame() *eio.Frame {
	if f := p.plain.Load(); f != nil {
		return f
	}
	f := eio.NewFrame(p.text, p.attachments...)
	if p.plain.CompareAndSwap(nil, f) {
		return f
	}
	return p.plain.Load()
}

// loggedEvent is an event as it goes to sockets that can be recovered. Immutable, and one
// for all their logs.
type loggedEvent struct {
	frame  *eio.Frame // with the offset as the last argument
	offset string
}

func (p *Prepared) loggedEvent() *loggedEvent {
	p.once.Do(func() {
		offset := nextOffset()
		text := make([]byte, 0, len(p.text)+len(offset)+4)
		text = append(text, p.text[:len(p.text)-1]...)
		text = append(append(append(text, `,"`...), offset...), `"]`...)
		p.logged = &loggedEvent{eio.NewFrame(text, p.attachments...), offset}
	})
	return p.logged
}

var (
	offsetBoot  = rand.Text()[:8] // differs from start to start: old offsets match nothing
	offsetCount atomic.Uint64
)

func nextOffset() string {
	return offsetBoot + strconv.FormatUint(offsetCount.Add(1), 36)
}

// Attachments given among the arguments of an event or acknowledgement are the
// data of placeholders in the caller's raw JSON; see [packet.Attachments].
type Attachments = packet.Attachments
