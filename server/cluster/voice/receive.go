package voice

import (
	"github.com/nats-io/nats.go"

	"squelch/core"
)

// listen subscribes to these channels, and to no others. The caller holds the lock.
func (v *Voice) listen(channels []core.Frequency) {
	wanted := make(map[core.Frequency]bool, len(channels))
	for _, f := range channels {
		wanted[f] = true
	}
	for f, sub := range v.on {
		if !wanted[f] {
			v.lost += dropped(sub)
			_ = sub.Unsubscribe()
			delete(v.on, f)
		}
	}
	for _, f := range channels {
		if v.on[f] != nil || len(v.on) >= mostChannels {
			continue
		}
		sub, err := v.o.Conn.Subscribe(v.subject(f), func(m *nats.Msg) { v.receive(f, m.Data) })
		if err == nil {
			err = sub.SetPendingLimits(pendingFrames, pendingBytes)
		}
		if err != nil {
			v.o.Logf("radio %s: the voice of %s cannot be received: %v", v.o.Radio, f, err)
			return // the connection has ended
		}
		v.on[f] = sub
	}
}

// receive takes one message of a channel.
func (v *Voice) receive(keyed core.Frequency, message []byte) {
	v.received.Add(1)
	v.receivedBytes.Add(uint64(len(message)))
	c, err := readFrame(message, keyed)
	switch {
	case err != nil:
		v.malformed.Add(1)
	case c.Node == v.id:
		v.own.Add(1)
	default:
		v.o.Media.FromNode(c)
	}
}

// dropped is how many messages a subscription had no room for.
func dropped(sub *nats.Subscription) uint64 {
	n, err := sub.Dropped()
	if err != nil || n < 0 {
		return 0
	}
	return uint64(n)
}
