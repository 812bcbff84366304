package eio

import "time"

// queued is a frame that waits for its peer.
type queued struct {
	frame    *Frame
	seq      uint64
	volatile bool
}

// fifo is a queue that reuses its array.
type fifo struct {
	items []queued
	first int
	size  int // bytes
}

func (q *fifo) len() int { return len(q.items) - q.first }

func (q *fifo) push(item queued) {
	if q.first > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.first:])
		clear(q.items[n:])
		q.items, q.first = q.items[:n], 0
	}
	q.items = append(q.items, item)
	q.size += len(item.frame.ws)
}

func (q *fifo) pop() queued {
	item := q.items[q.first]
	q.items[q.first] = queued{}
	q.first++
	q.size -= len(item.frame.ws)
	if q.first == len(q.items) {
		*q = fifo{} // an idle session keeps no array
	}
	return item
}

// outQueue is what the peer has not taken yet. The session's mutex guards it.
type outQueue struct {
	control  fifo
	volatile fifo
	rest     []byte // of the frame that is partly on the wire; never dropped
	seq      uint64
}

func (q *outQueue) bytes() int { return q.control.size + q.volatile.size + len(q.rest) }

func (q *outQueue) empty() bool { return q.control.len()+q.volatile.len() == 0 }

// next is the frame to write next on a websocket: control never waits for voice.
func (q *outQueue) next() queued {
	if q.control.len() > 0 {
		return q.control.pop()
	}
	return q.volatile.pop()
}

// inOrder is the next frame in the order of sending, for a payload with all frames.
func (q *outQueue) inOrder() queued {
	c, v := &q.control, &q.volatile
	if v.len() == 0 || c.len() > 0 && c.items[c.first].seq < v.items[v.first].seq {
		return c.pop()
	}
	return v.pop()
}

func (q *outQueue) dropVolatile(s *Session) {
	s.backlog(-q.volatile.size)
	q.volatile = fifo{}
}

func (q *outQueue) clear(s *Session) {
	s.backlog(-q.bytes())
	q.control, q.volatile, q.rest = fifo{}, fifo{}, nil
}

func (s *Session) backlog(delta int) {
	if delta != 0 {
		s.server.stats.backlog.Add(int64(delta))
	}
}

// Send hands a frame to the peer and reports whether it was accepted. A
// reliable frame that does not fit into the backlog closes the session; a
// volatile one replaces the oldest volatile frames that wait. Send never
// blocks and on a direct connection allocates nothing.
func (s *Session) Send(f *Frame, volatile bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || !s.sendLocked(f, volatile) {
		s.dropped++
		s.server.stats.dropped.Add(1)
		return false
	}
	s.sent++
	s.server.stats.sent.Add(1)
	return true
}

func (s *Session) sendLocked(f *Frame, volatile bool) bool {
	if s.deaf {
		return false
	}
	if s.ws != nil {
		return s.sendWSLocked(f, volatile)
	}
	if !s.enqueueLocked(f, volatile) {
		return false
	}
	s.wakePollLocked()
	return true
}

func (s *Session) sendWSLocked(f *Frame, volatile bool) bool {
	if s.flushing || !s.ws.raw.ready() {
		if !s.enqueueLocked(f, volatile) {
			return false
		}
		s.startFlushLocked()
		return true
	}
	n, err := s.ws.raw.try(f.ws)
	switch {
	case err != nil:
		s.deafLocked()
		return false
	case n == len(f.ws):
		return true
	case n > 0:
		s.out.rest = f.ws[n:]
		s.backlog(len(s.out.rest))
	case !s.enqueueLocked(f, volatile):
		return false
	}
	s.startFlushLocked()
	return true
}

func (s *Session) enqueueLocked(f *Frame, volatile bool) bool {
	o, q := &s.server.opts, &s.out
	size := len(f.ws)
	if volatile {
		if size > o.MaxVolatileBytes {
			return false
		}
		for q.volatile.len() > 0 && (q.volatile.len() >= o.MaxVolatileFrames || q.volatile.size+size > o.MaxVolatileBytes) {
			old := q.volatile.pop()
			s.backlog(-len(old.frame.ws))
			s.dropped++
			s.server.stats.dropped.Add(1)
		}
	} else if q.control.len() > 0 && q.control.size+len(q.rest)+size > o.MaxBacklog {
		s.server.stats.overflow.Add(1)
		s.deafLocked()
		return false
	}
	q.seq++
	item := queued{frame: f, seq: q.seq, volatile: volatile}
	if volatile {
		q.volatile.push(item)
	} else {
		q.control.push(item)
	}
	s.backlog(size)
	return true
}

// deafLocked ends a session whose peer no longer takes anything. What the peer has
// sent is still read, above all a goodbye: the end of its connection may show in a
// write before its last packets have been read.
func (s *Session) deafLocked() {
	if s.ws == nil || s.state != open {
		s.failLocked("transport error")
		return
	}
	s.deaf = true
	s.out.clear(s)
	_ = s.ws.conn.SetReadDeadline(time.Now().Add(lastRead)) // readEnded does the rest
}

func (s *Session) startFlushLocked() {
	if !s.flushing {
		s.flushing = true
		go s.ws.flush()
	}
}

// flush writes the backlog and ends when it is empty. While it runs, nobody else
// writes.
func (s *Session) flush() {
	for {
		s.mu.Lock()
		if s.state == closed || s.deaf || len(s.out.rest) == 0 && s.out.empty() {
			s.flushing = false
			s.mu.Unlock()
			return
		}
		if len(s.out.rest) == 0 {
			s.out.rest = s.out.next().frame.ws
		}
		chunk := s.out.rest[:min(len(s.out.rest), writeChunk)]
		conn := s.ws.net
		s.mu.Unlock()

		err := conn.SetWriteDeadline(time.Now().Add(s.server.opts.WriteTimeout))
		n := 0
		if err == nil {
			n, err = conn.Write(chunk)
		}

		s.mu.Lock()
		if s.state != closed && !s.deaf {
			s.out.rest = s.out.rest[n:]
			s.backlog(-n)
			if err != nil {
				s.deafLocked()
			} else if len(s.out.rest) == 0 && s.out.empty() {
				_ = conn.SetWriteDeadline(time.Time{})
			}
		}
		s.mu.Unlock()
	}
}
