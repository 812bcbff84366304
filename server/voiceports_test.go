package main

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"squelch/server/config"
	"squelch/server/host"
)

func TestVoiceIsWhereClientsCanReachIt(t *testing.T) {
	proxied := config.ServerConfig{Address: "https://radio.example.org", WebRTC: config.WebRTC{UDPPort: 7778}}
	public := config.ServerConfig{WebRTC: config.WebRTC{UDPPort: 7778, TCPPort: 7779, PublicAddresses: []string{"203.0.113.5"}}}
	atHome := config.ServerConfig{Address: "http://localhost:7777", WebRTC: config.WebRTC{UDPPort: 7778}}
	unnamed := config.ServerConfig{WebRTC: config.WebRTC{UDPPort: 7778}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	for _, c := range []struct {
		says       string
		config     config.ServerConfig
		web, media string
		want       host.Media
		note       string // is part of it; "": there must be none
	}{
		{"for this machine", atHome, "127.0.0.1:7777", "", host.Media{UDP: "127.0.0.1:7778"}, ""},
		{"for everybody", proxied, "[::]:7777", "", host.Media{UDP: "[::]:7778"}, ""},
		{"on one address", atHome, "10.0.0.7:7777", "", host.Media{UDP: "10.0.0.7:7778"}, ""},
		{"behind a proxy", proxied, "127.0.0.1:7777", "", host.Media{UDP: ":7778"}, "every address, because clients of https://radio.example.org"},
		{"with a public address", public, "[::1]:7777", "", host.Media{UDP: ":7778", TCP: ":7779"}, "every address, because clients of 203.0.113.5"},
		{"behind a proxy without a name", unnamed, "127.0.0.1:7777", "", host.Media{UDP: "127.0.0.1:7778"}, "set serverAddress or webrtc.publicAddress"},
		{"as asked for", proxied, "127.0.0.1:7777", "10.0.0.7:9000", host.Media{UDP: "10.0.0.7:9000", Chosen: true}, ""},
		{"as asked for, in vain", proxied, "127.0.0.1:7777", "127.0.0.1:9000", host.Media{UDP: "127.0.0.1:9000", Chosen: true}, "--media 0.0.0.0:9000"},
	} {
		web, err := net.ResolveTCPAddr("tcp", c.web)
		if err != nil {
			t.Fatal(err)
		}
		s := &service{loaded: &config.Loaded{Server: c.config}, media: c.media}
		got, note := s.voicePorts(web)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.says, got, c.want)
		}
		if !strings.Contains(note, c.note) || c.note == "" && note != "" {
			t.Errorf("%s: says %q", c.says, note)
		}
	}
}
