package pionline

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/pion/ice/v4"
)

// TestNobodyElsesAlertReachesAConnection: an alert and data that nobody has signed are
// dropped, however pion reads; what comes after them arrives.
func TestNobodyElsesAlertReachesAConnection(t *testing.T) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	attacker, err := net.Dial("udp", c.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer attacker.Close()
	voice, piece := []byte{0x80, 111, 0, 1}, []byte{22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 9}
	alert, data := []byte{21, 254, 253, 0, 0, 127, 255, 255, 255, 255, 255, 0, 2, 2, 40}, []byte{23, 254, 253, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 9}
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	for says, read := range map[string]func([]byte) (int, error){
		"one by one": func(b []byte) (int, error) { n, _, err := port{c}.ReadFrom(b); return n, err },
		"as pion does": func(b []byte) (int, error) {
			n, _, err := newPort(c).(ice.AddrPortReaderWriter).ReadFromAddrPort(b)
			return n, err
		},
	} {
		for _, b := range [][]byte{alert, data, append(bytes.Clone(alert), alert...), voice, append(bytes.Clone(piece), alert...)} {
			if _, err := attacker.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range [][]byte{voice, piece} {
			var room [100]byte
			if n, err := read(room[:]); err != nil || !bytes.Equal(room[:n], want) {
				t.Errorf("%s: % x, %v is read, want % x", says, room[:n], err, want)
			}
		}
	}
}
