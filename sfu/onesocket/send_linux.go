package onesocket

import (
	"encoding/binary"
	"net/netip"
	"runtime"
	"syscall"
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
	ip := to.Addr().As16()
	copy(a.bytes[8:], ip[:])
	a.length = unix.SizeofSockaddrInet6
	return a
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

// sendPatience is how long a batch waits for room in the socket's buffer, in milliseconds:
// one frame. The buffer holds some fan-outs, so it is full only if the machine is short of
// CPU or the network is; then the newest voice counts, and the rest of the batch is lost.
const sendPatience = 20

// sendmmsg sends what is prepared. What the kernel refuses is lost.
func (s *sender) sendmmsg(fd uintptr) bool {
	waited := false
	for from := 0; from < s.count; {
		n, _, err := unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&s.headers[from])), uintptr(s.count-from), unix.MSG_DONTWAIT, 0, 0)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN && !waited:
			waited = true
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, sendPatience)
		case err == unix.EAGAIN:
			return true
		case err != 0 || n == 0:
			from++ // this one cannot be sent
		default:
			from += int(n)
		}
	}
	return true
}
