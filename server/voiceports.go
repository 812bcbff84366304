package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"squelch/server/config"
	"squelch/server/host"
)

// voicePorts returns the ports of voice: --media, or the configured ones on the host on
// which the service listens. A reverse proxy on this machine carries no voice, so if
// clients come from elsewhere the ports are open on every address. The note says so, or
// what to set; "" if there is nothing to say.
func (s *service) voicePorts(web net.Addr) (m host.Media, note string) {
	w := s.loaded.Server.WebRTC
	address, _, _ := net.SplitHostPort(web.String())
	away := outside(s.loaded.Server)
	m = host.Media{UDP: net.JoinHostPort(address, strconv.Itoa(w.UDPPort)), Chosen: w.UDPChosen}
	switch inside := onlyHere(address); {
	case s.media != "":
		m = host.Media{UDP: s.media, Chosen: true}
		var port string
		address, port, _ = net.SplitHostPort(s.media)
		if away != "" && onlyHere(address) {
			note = fmt.Sprintf("warning: clients of %s cannot reach voice on %s, so theirs goes over Socket.IO; --media 0.0.0.0:%s opens it on every address", away, s.media, port)
		}
	case inside && away != "":
		address = ""
		m.UDP = net.JoinHostPort("", strconv.Itoa(w.UDPPort))
		note = fmt.Sprintf("voice is on UDP port %d of every address, because clients of %s cannot reach %s (--media chooses another address)", w.UDPPort, away, web)
	case inside && len(s.loaded.Server.TrustedProxies) > 0:
		note = "warning: clients behind the proxy cannot reach voice on this machine's loopback address, so theirs goes over Socket.IO; set serverAddress or webrtc.publicAddress"
	}
	if w.TCPPort != 0 {
		m.TCP = net.JoinHostPort(address, strconv.Itoa(w.TCPPort))
	}
	return m, note
}

// outside is the address of this service that the configuration gives to clients on
// other machines; "" if there is none.
func outside(c config.ServerConfig) string {
	if u, err := url.Parse(c.Address); err == nil && u.Host != "" && !onlyHere(u.Hostname()) {
		return c.Address
	}
	for _, a := range c.WebRTC.PublicAddresses {
		if !onlyHere(a) {
			return a
		}
	}
	return ""
}

// onlyHere says whether a host can be reached from this machine only.
func onlyHere(name string) bool {
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(name, "localhost")
}
