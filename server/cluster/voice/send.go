package voice

import (
	"squelch/core"
	"squelch/sfu"
)

// message is a frame that waits for the connection.
type message struct {
	keyed core.Frequency
	bytes []byte
}

// Away implements sfu.Cascade.
func (v *Voice) Away(c sfu.Crossing) {
	if len(c.Text)+len(c.Payload) > maxFrame-64 { // the numbers before it take at most 46 bytes
		v.tooLong.Add(1)
		return
	}
	m := v.memo.Get().(*message)
	m.keyed, m.bytes = c.Keyed, appendFrame(m.bytes[:0], v.id, &c)
	if v.waiting.Add(int64(len(m.bytes))) <= queueBytes {
		select {
		case v.queue <- m:
			return
		default:
		}
	}
	v.waiting.Add(-int64(len(m.bytes)))
	v.queueFull.Add(1)
	v.put(m)
}

// send publishes what waits. Only this goroutine waits for the connection.
func (v *Voice) send() {
	subjects := map[core.Frequency]string{}
	for {
		select {
		case <-v.ctx.Done():
			return
		case m := <-v.queue:
			subject := subjects[m.keyed]
			if subject == "" {
				if len(subjects) >= mostChannels {
					clear(subjects)
				}
				subject = v.subject(m.keyed)
				subjects[m.keyed] = subject
			}
			if err := v.o.Conn.Publish(subject, m.bytes); err != nil {
				v.failed.Add(1)
			} else {
				v.sent.Add(1)
				v.sentBytes.Add(uint64(len(m.bytes)))
			}
			v.waiting.Add(-int64(len(m.bytes)))
			v.put(m)
		}
	}
}

// put keeps a message for the next frame, unless it is large.
func (v *Voice) put(m *message) {
	if cap(m.bytes) <= keptBytes {
		v.memo.Put(m)
	}
}
