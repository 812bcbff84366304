package testpeers

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNodesSocketIOServerAnswersOnTheAnnouncedPort(t *testing.T) {
	server := Node(t, "socketio-server.mjs")
	port, _ := server.Line(0)
	for _, path := range []string{"/engine.io/", "/socket.io/"} {
		reply, err := http.Get("http://127.0.0.1:" + port + path + "?EIO=4&transport=polling")
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", path, reply.StatusCode)
		}
	}
	if !server.Alive() {
		t.Error("the server ended by itself")
	}
	server.Kill()
	if server.Alive() {
		t.Error("the server outlived Kill")
	}
}

func TestAPeerGoesWhenItsStdinCloses(t *testing.T) {
	server := Node(t, "socketio-server.mjs")
	if err := server.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the peer did not leave quietly: %v", err)
	}
}

func TestAPeersWholeOutputIsKept(t *testing.T) {
	const long = 200_000 // bytes, beyond any scanner's default line
	p := Start(t, exec.Command("node", "-e", `
		console.log("first"); console.log("x".repeat(200000)); console.error("trouble"); process.exitCode = 3`))
	if line, ok := p.Line(1); !ok || len(line) != long {
		t.Errorf("second line: %d bytes, want %d", len(line), long)
	}
	if _, ok := p.Line(2); ok {
		t.Error("a third line out of nowhere")
	}
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "3") {
		t.Errorf("exit error = %v, want status 3", err)
	}
	if got := strings.TrimSpace(p.Stderr()); got != "trouble" {
		t.Errorf("stderr = %q", got)
	}
	if got := len(p.Lines()); got != 2 {
		t.Errorf("%d lines, want 2", got)
	}
}

func TestMissingPackagesNameTheRecipeThatInstallsThem(t *testing.T) {
	err := installed(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "just deps") {
		t.Errorf("error = %v, want one that names `just deps`", err)
	}
	folder, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	if err := installed(folder); err != nil {
		t.Errorf("%s: %v", filepath.Base(folder), err)
	}
}
