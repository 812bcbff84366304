package host

import (
	"errors"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
)

// opened is a host without a data folder.
func opened(t *testing.T) (*Host, *strings.Builder) {
	logged := &strings.Builder{}
	h := &Host{log: slog.New(slog.NewTextHandler(logged, nil))}
	t.Cleanup(h.closeMedia)
	return h, logged
}

// taken opens a UDP port, so that it is in use.
func taken(t *testing.T) (address string, port int) {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.LocalAddr().String(), c.LocalAddr().(*net.UDPAddr).Port
}

func TestVoiceTakesTheNextFreePortWhereNobodyChoseOne(t *testing.T) {
	h, logged := opened(t)
	address, port := taken(t)
	if err := h.OpenMedia(Media{UDP: address}); err != nil {
		t.Fatal(err)
	}
	got := h.UDP().LocalAddr().(*net.UDPAddr)
	if !got.IP.IsLoopback() || got.Port <= port || got.Port > port+nextPorts {
		t.Errorf("voice is on %v, and %d was taken", got, port)
	}
	if !strings.Contains(logged.String(), got.String()) || !strings.Contains(logged.String(), address) {
		t.Errorf("the operator reads %q", logged)
	}
}

func TestAPortThatSomebodyChoseIsTheOneOrNone(t *testing.T) {
	address, port := taken(t)
	for name, m := range map[string]Media{
		"chosen":                       {UDP: address, Chosen: true},
		"open to others than this one": {UDP: ":" + strconv.Itoa(port)},
	} {
		h, logged := opened(t)
		err := h.OpenMedia(m)
		var refused *PortError
		if !errors.As(err, &refused) || refused.Net != "udp" || refused.Free == "" || !strings.Contains(err.Error(), refused.Free+" is free") {
			t.Errorf("%s: %v", name, err)
		}
		if logged.Len() > 0 || h.UDP() != nil {
			t.Errorf("%s: voice is on %v: %s", name, h.UDP().LocalAddr(), logged)
		}
	}
}

func TestAPortOfTheListenerOrOfVoiceOverTCPIsNeverAnother(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h, _ := opened(t)
	for name, err := range map[string]error{
		"listener": h.Listen(l.Addr().String()),
		"voice":    h.OpenMedia(Media{UDP: "127.0.0.1:0", TCP: l.Addr().String()}),
	} {
		var refused *PortError
		if !errors.As(err, &refused) || refused.Net != "tcp" || refused.Free == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
