package e2e

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"
)

// A second service on one machine tries to use the first one's ports.
func TestAPortThatIsTakenIsToldWithItsKey(t *testing.T) {
	t.Parallel()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	voice, web := udp.LocalAddr().(*net.UDPAddr).Port, tcp.Addr().(*net.TCPAddr).Port
	data := filepath.Join(t.TempDir(), "data")
	fails(t, configure(t, fmt.Sprintf("Config.webrtc = { udpPort = %d }", voice)), data,
		fmt.Sprintf("--media, or webrtc.udpPort of the configuration: listen udp 127.0.0.1:%d: ", voice))
	fails(t, configure(t, fmt.Sprintf("Config.webrtc = { udpPort = 0, tcpPort = %d }", web)), data,
		fmt.Sprintf("webrtc.tcpPort of the configuration: listen tcp 127.0.0.1:%d: ", web))
	fails(t, configure(t), data,
		fmt.Sprintf("listen udp 127.0.0.1:%d: ", voice), "--media", udp.LocalAddr().String())
	fails(t, configure(t), data,
		fmt.Sprintf("--listen, or serverPort of the configuration: listen tcp 127.0.0.1:%d: ", web), "--listen", tcp.Addr().String())
}
