package socket

import "sync"

// switchboard has the data channels that are in service, and those in rooms by their
// room, which is that of their player. (Sockets are in the rooms of their namespace.)
// The zero value is ready.
type switchboard struct {
	mu     sync.RWMutex
	all    map[*control]struct{}
	byRoom map[string]*control
	closed bool
}

// add takes a channel into service; false: the service stops.
func (b *switchboard) add(k *control) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if b.all == nil {
		b.all, b.byRoom = map[*control]struct{}{}, map[string]*control{}
	}
	b.all[k] = struct{}{}
	return true
}

func (b *switchboard) remove(k *control) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, k)
}

// close returns the channels in service; no more are added.
func (b *switchboard) close() []*control {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	open := make([]*control, 0, len(b.all))
	for k := range b.all {
		open = append(open, k)
	}
	return open
}

// open takes channels into service again after close.
func (b *switchboard) open() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = false
}

func (b *switchboard) enter(room string, k *control) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byRoom[room] = k
}

// leave does nothing if another channel is in the room by now.
func (b *switchboard) leave(room string, k *control) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byRoom[room] == k {
		delete(b.byRoom, room)
	}
}

// to sends a message, as it goes over a data channel, to the channels in some rooms.
func (b *switchboard) to(rooms []string, text []byte) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if len(b.byRoom) == 0 {
		return
	}
	for _, room := range rooms {
		if k := b.byRoom[room]; k != nil {
			k.send(text)
		}
	}
}

func (b *switchboard) everyone(text []byte) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, k := range b.byRoom {
		k.send(text)
	}
}
