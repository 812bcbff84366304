package onesocket

import (
	"bytes"
	"net/netip"
	"sync"

	"github.com/pion/stun/v4"
)

const (
	// checksEach is how many valid connectivity checks of one client are answered within a
	// second, wherever they come from, and how many repeated ones. A browser sends up to 20 a
	// second while it connects (RFC 8445 section 14.2) and one every 2.5 s after that. A check
	// that names no client costs a look-up, and a forged one that names a client costs a hash,
	// under 1 us. So there is no limit by address: many clients may share an address, and an attacker
	// may write a client's into its datagrams.
	checksEach = 50
	// maxCheck is the longest check that is looked at, in bytes; browsers' have about 110.
	maxCheck = 512
)

// way is how datagrams go back to where one came from.
type way interface {
	send(b []byte, to netip.AddrPort)
	target(to netip.AddrPort) *target
}

// exchange is memory for one check and its answer.
type exchange struct{ check, answer stun.Message }

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// check takes a STUN message (RFC 8489). It returns the peer whose client has shown by it
// that it is there, nil if it has not. Only a client that knows the password of an answer
// gets anything back, and not more than it sends.
func (e *engine) check(b []byte, from netip.AddrPort, back way) *peer {
	if len(b) > maxCheck || !stun.IsMessage(b) {
		return nil
	}
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	m := &x.check
	m.Raw = append(m.Raw[:0], b...)
	if m.Decode() != nil || m.Type != stun.BindingRequest {
		return nil
	}
	name, err := m.Get(stun.AttrUsername)
	if err != nil {
		return nil
	}
	user, other, _ := bytes.Cut(name, []byte{':'})
	p := e.peer(user)
	if p == nil || string(other) != p.other || p.integrity.Check(m) != nil {
		return nil
	}
	if m.Contains(stun.AttrFingerprint) && stun.Fingerprint.Check(m) != nil {
		return nil
	}
	// Only what is the client's counts: forged checks and copies use up nothing of it.
	switch p.recent.take(m.TransactionID, from) {
	case unseen:
		if p.checks.Add(1) > checksEach {
			return nil
		}
	case repeated: // the client repeats what is not answered (RFC 8489 section 6.2.1)
		if p.copies.Add(1) > checksEach {
			return nil
		}
	case copied:
		return nil
	}
	if m.Contains(stun.AttrICEControlled) {
		// Only the client can be in control, because this side is ICE-lite (RFC 8445
		// section 7.3.1.1).
		x.reply(p, stun.BindingError, stun.CodeRoleConflict)
		back.send(x.answer.Raw, from)
		return nil
	}
	p.checked(from, m.Contains(stun.AttrUseCandidate), back)
	x.reply(p, stun.BindingSuccess, &stun.XORMappedAddress{IP: from.Addr().AsSlice(), Port: int(from.Port())})
	back.send(x.answer.Raw, from)
	return p
}

// reply makes the answer to the check. Building cannot fail: the attributes have fixed
// forms.
func (x *exchange) reply(p *peer, kind stun.MessageType, content stun.Setter) {
	m := &x.answer
	m.Reset()
	m.TransactionID = x.check.TransactionID
	m.SetType(kind)
	m.WriteHeader()
	_ = content.AddTo(m)
	_ = p.integrity.AddTo(m)
	_ = stun.Fingerprint.AddTo(m)
}
