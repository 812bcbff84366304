package testpeers

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestAPeerGoesWithATestThatIsKilled: a test that cannot clean up leaves nothing
// behind, not even a peer that ignores its stdin.
func TestAPeerGoesWithATestThatIsKilled(t *testing.T) {
	const inKilled = "SQUELCH_PEERS_KILLED"
	if os.Getenv(inKilled) != "" {
		peer := exec.Command("node", "-e", `setInterval(() => {}, 1000); console.log("up")`)
		peer.ExtraFiles = []*os.File{os.NewFile(3, "lifeline")}
		fmt.Println(Start(t, peer).Line(0))
		select {}
	}
	// The peer's end of a pipe is closed when the peer is gone, and not before.
	hears, lifeline, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hears.Close()
	killed := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	killed.Env = append(os.Environ(), inKilled+"=yes")
	killed.ExtraFiles = []*os.File{lifeline}
	p := Start(t, killed)
	if err := lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	if line, _ := p.Line(0); line != "up true" {
		t.Fatalf("the peer says %q\n%s", line, p.Stderr())
	}
	if err := hears.SetReadDeadline(time.Now().Add(firstLineWithin)); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if _, err := hears.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the peer is still there: %v", err)
	}
}
