package onesocket

import (
	"encoding/binary"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawAddress is a socket address as the kernel takes it, of either family.
type rawAddress struct {
	bytes  [unix.SizeofSockaddrInet6]byte
	length uint32
}

func (s *socket) rawAddress(to netip.AddrPort) (a rawAddress) {
	binary.BigEndian.PutUint16(a.bytes[2:], to.Port())
	if !s.mapped {
		binary.NativeEndian.PutUint16(a.bytes[:], unix.AF_INET)
		ip := to.Addr().As4()
		copy(a.bytes[4:], ip[:])
		a.length = unix.SizeofSockaddrInet4
		return a
	}
	binary.NativeEndian.PutUint16(a.bytes[:], unix.AF_INET6)
	binary.NativeEndian.PutUint32(a.bytes[24:], scope(to.Addr().Zone()))
	ip := to.Addr().As16()
	copy(a.bytes[8:], ip[:])
	a.length = unix.SizeofSockaddrInet6
	return a
}

// scope is the number of the interface behind which a link-local address is (RFC 4007 section
// 6); 0: any.
func scope(zone string) uint32 {
	if zone == "" {
		return 0
	}
	if i, err := net.InterfaceByName(zone); err == nil {
		return uint32(i.Index)
	}
	n, _ := strconv.ParseUint(zone, 10, 32)
	return uint32(n)
}

// many is the socket as sendmmsg needs it.
type many struct{ raw syscall.RawConn } // nil: a simulated socket

func (m *many) begin(s *socket) (err error) {
	if s.fast != nil {
		m.raw, err = s.fast.SyscallConn()
	}
	return err
}

// mmsghdr is struct mmsghdr of sendmmsg(2).
type mmsghdr struct {
	header unix.Msghdr
	sent   uint32
}

// sender hands a batch to the kernel.
type sender struct {
	headers [batchPackets]mmsghdr
	parts   [batchPackets]unix.Iovec
	count   int
	write   func(fd uintptr) bool
	until   time.Time // the fan-out waits for room until then; zero: it had not to wait yet
}

func (s *sender) begin(*batch) { s.write = s.sendmmsg }

// send sends a batch. What goes over TCP goes by itself.
func (s *sender) send(b *batch) {
	raw := b.socket.many.raw
	if raw == nil {
		b.sendEach()
		return
	}
	s.count = 0
	for i := range b.parts[:b.count] {
		to := b.parts[i].to
		packet := b.packet(i)
		if to.udp == nil {
			to.back.send(packet, to.at)
			continue
		}
		s.parts[s.count].Base = &packet[0]
		s.parts[s.count].SetLen(len(packet))
		h := &s.headers[s.count].header
		h.Name, h.Namelen = &to.address.bytes[0], to.address.length
		h.Iov = &s.parts[s.count]
		h.SetIovlen(1)
		s.count++
	}
	_ = raw.Write(s.write) // fails only when the port is closed
	for i := range s.headers[:s.count] {
		s.headers[i].header.Name = nil // the client may leave
	}
	runtime.KeepAlive(b)
}

// sendPatience is how long a fan-out, of however many batches, waits in all for room in the
// socket's buffer: one frame. The buffer holds some fan-outs, so it is full only if the CPU or
// the network is too slow. Then the newest voice counts: what finds no room is lost.
const sendPatience = 20 * time.Millisecond

// sendmmsg sends what is prepared. What the kernel refuses is lost.
func (s *sender) sendmmsg(fd uintptr) bool {
	for from := 0; from < s.count; {
		n, _, err := unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&s.headers[from])), uintptr(s.count-from), unix.MSG_DONTWAIT, 0, 0)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			if !s.wait(fd) {
				return true
			}
		case err != 0 || n == 0:
			from++ // this one cannot be sent
		default:
			from += int(n)
		}
	}
	return true
}

// wait waits for room in the socket's buffer; false: the fan-out has waited long enough.
func (s *sender) wait(fd uintptr) bool {
	now := time.Now()
	if s.until.IsZero() {
		s.until = now.Add(sendPatience)
	}
	left := s.until.Sub(now)
	if left <= 0 {
		return false
	}
	ms := (left + time.Millisecond - 1) / time.Millisecond // rounded up
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(ms))
	return true
}

// letter is one datagram and where it goes.
type letter struct {
	packet  []byte
	address rawAddress
	write   func(fd uintptr) bool
}

var letters = sync.Pool{New: func() any {
	l := new(letter)
	l.write = l.sendto
	return l
}}

// one sends one datagram. It never waits: what finds no room in the socket's buffer is lost.
func (s *socket) one(b []byte, to netip.AddrPort) {
	if len(b) == 0 {
		return
	}
	l := letters.Get().(*letter)
	l.packet, l.address = b, s.rawAddress(to)
	_ = s.many.raw.Write(l.write) // fails only when the port is closed
	l.packet = nil
	letters.Put(l)
}

func (l *letter) sendto(fd uintptr) bool {
	for {
		_, _, err := unix.Syscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(&l.packet[0])), uintptr(len(l.packet)), unix.MSG_DONTWAIT,
			uintptr(unsafe.Pointer(&l.address.bytes[0])), uintptr(l.address.length))
		if err != unix.EINTR {
			return true
		}
	}
}
