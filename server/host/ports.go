package host

import (
	"errors"
	"fmt"
	"net"
	"strconv"
)

// nextPorts is how many ports after a taken one are tried.
const nextPorts = 100

// Media says where voice over WebRTC is carried.
type Media struct {
	UDP string // address and port; port 0 takes any
	TCP string // the same for clients whose firewall lets no UDP pass; "": none
	// Chosen says that the operator chose the UDP port, so no other will do. Otherwise,
	// on an address that only this machine can reach, the next free port replaces one
	// that is in use.
	Chosen bool
}

// PortError is the error for a port that cannot be opened.
type PortError struct {
	Net string // "tcp" or "udp"
	Err error
	// Free is the nearest higher port that can be opened, as an address; "" if the port
	// is not the trouble, or none is free.
	Free string
}

func (e *PortError) Error() string {
	if e.Free == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v (%s is free)", e.Err, e.Free)
}

func (e *PortError) Unwrap() error { return e.Err }

// Listen opens the port of REST, Socket.IO and the panel. Requests are answered once
// Run is called. A port that cannot be opened is a *PortError.
func (h *Host) Listen(address string) error {
	if err := h.secure(); err != nil {
		return err
	}
	var err error
	if h.web, err = net.Listen("tcp", address); err != nil {
		return PortErrorOf("tcp", address, err)
	}
	return nil
}

// OpenMedia opens the ports of voice. One that cannot be opened is a *PortError.
func (h *Host) OpenMedia(m Media) error {
	var err error
	if h.udp, err = openUDP(m.UDP); err != nil {
		failed := PortErrorOf("udp", m.UDP, err)
		if m.Chosen || failed.Free == "" || !loopback(m.UDP) {
			return failed
		}
		if h.udp, err = openUDP(failed.Free); err != nil {
			return PortErrorOf("udp", failed.Free, err)
		}
		h.log.Warn("the UDP port of voice is in use, so voice is on another (--media chooses one)", "taken", m.UDP, "voice", h.udp.LocalAddr().String())
	}
	if m.TCP == "" {
		return nil
	}
	if h.tcp, err = net.Listen("tcp", m.TCP); err != nil {
		h.closeMedia()
		return PortErrorOf("tcp", m.TCP, err)
	}
	return nil
}

// Addr returns the open port of REST, Socket.IO and the panel; nil before Listen.
func (h *Host) Addr() net.Addr {
	if h.web == nil {
		return nil
	}
	return h.web.Addr()
}

// UDP returns the open port of voice; nil before OpenMedia.
func (h *Host) UDP() *net.UDPConn { return h.udp }

// TCP returns the open port of voice over TCP; nil if there is none.
func (h *Host) TCP() net.Listener { return h.tcp }

func (h *Host) closeMedia() {
	if h.udp != nil {
		_ = h.udp.Close() // closed already if a radio has used it
	}
	if h.tcp != nil {
		_ = h.tcp.Close()
	}
}

func openUDP(address string) (*net.UDPConn, error) {
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	return net.ListenUDP("udp", at)
}

// PortErrorOf makes the error; for a port in use it adds the nearest free one.
func PortErrorOf(network, address string, err error) *PortError {
	e := &PortError{Net: network, Err: err}
	host, port, splitErr := net.SplitHostPort(address)
	first, numberErr := strconv.Atoi(port)
	if !inUse(err) || splitErr != nil || numberErr != nil {
		return e
	}
	for n := first + 1; n <= min(first+nextPorts, 65535); n++ {
		if next := net.JoinHostPort(host, strconv.Itoa(n)); canOpen(network, next) {
			e.Free = next
			break
		}
	}
	return e
}

func canOpen(network, address string) bool {
	if network == "udp" {
		c, err := openUDP(address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}
	l, err := net.Listen("tcp", address)
	if err == nil {
		_ = l.Close()
	}
	return err == nil
}

// loopback says whether an address can be reached from this machine only.
func loopback(address string) bool {
	at, err := net.ResolveUDPAddr("udp", address)
	return err == nil && at.IP.IsLoopback()
}

func inUse(err error) bool { return errors.Is(err, errInUse) }
