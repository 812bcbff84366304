package main

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// image is what a Containerfile asks for.
type image struct {
	copies            [][]string // sources, and at the end the target
	env               []string
	user, entry       string
	health, exposed   []string
	command           []string
	ownerOfData, from string
}

var quotedArg = regexp.MustCompile(`"([^"]*)"`)

func list(json string) (words []string) {
	for _, m := range quotedArg.FindAllStringSubmatch(json, -1) {
		words = append(words, m[1])
	}
	return words
}

// parse reads the instructions of a Containerfile; one that it does not know fails.
func parse(t *testing.T, text string) (im image) {
	t.Helper()
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(strings.ReplaceAll(text, "${TARGETARCH}", "amd64")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch rest = strings.TrimSpace(rest); word {
		case "FROM":
			im.from = rest
		case "COPY":
			args := strings.Fields(rest)
			for strings.HasPrefix(args[0], "--") {
				if owner, ok := strings.CutPrefix(args[0], "--chown="); ok {
					im.ownerOfData = owner
				}
				args = args[1:]
			}
			im.copies = append(im.copies, args)
		case "ENV":
			im.env = strings.Fields(rest)
		case "USER":
			im.user = rest
		case "EXPOSE":
			im.exposed = strings.Fields(rest)
		case "HEALTHCHECK":
			im.health = list(rest)
		case "ENTRYPOINT":
			im.entry = list(rest)[0]
		case "CMD":
			im.command = list(rest)
		case "", "#", "ARG", "VOLUME", "STOPSIGNAL":
		default:
			t.Errorf("unknown instruction %q", line)
		}
	}
	return im
}

// unpack writes the build folder of the container to disk.
func unpack(t *testing.T, m made) string {
	t.Helper()
	dir := t.TempDir()
	for name, e := range entries(t, open(t, m, "_container.tar.gz")) {
		name = filepath.Join(dir, strings.TrimPrefix(name, "squelch_1.2.3_container/"))
		if strings.HasSuffix(e.Name, "/") {
			if err := os.MkdirAll(name, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, e.text, os.FileMode(e.Mode)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTheContainer builds the image with the container tool that is there. Without one it
// does what the file says with the folder of an image, and runs the radio in it.
func TestTheContainer(t *testing.T) {
	dir := unpack(t, released(t))
	text, err := os.ReadFile(filepath.Join(dir, "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	im := parse(t, string(text))
	if im.from != "scratch" || im.user != "10001:10001" || im.ownerOfData != im.user || !slices.Equal(im.exposed, []string{"7777/tcp", "7778/udp"}) {
		t.Errorf("%+v", im)
	}
	for _, tool := range []string{"podman", "docker", "buildah"} {
		if exec.Command(tool, "info").Run() == nil {
			if out, err := exec.Command(tool, "build", "-f", filepath.Join(dir, "Containerfile"), "-t", "squelch:test", dir).CombinedOutput(); err != nil {
				t.Errorf("%s build: %v\n%s", tool, err, out)
			}
			break
		}
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range im.copies {
		into := filepath.Join(root, c[len(c)-1])
		for _, source := range c[:len(c)-1] {
			from := filepath.Join(dir, source)
			if info, err := os.Stat(from); err != nil {
				t.Fatal(err)
			} else if info.IsDir() {
				from += "/."
			}
			if out, err := exec.Command("sh", "-c", `mkdir -p "$2" && cp -r "$1" "$2"`, "-", from, into).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	if certificates, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")); err != nil || bytes.Count(certificates, []byte("BEGIN CERTIFICATE")) < 80 {
		t.Errorf("certificates: %d bytes, %v", len(certificates), err)
	}
	port := freePort(t)
	env := slices.Clone(im.env)
	for i, v := range env {
		if strings.HasPrefix(v, "SQUELCH_LISTEN=") {
			env[i] = "SQUELCH_LISTEN=0.0.0.0:" + port
		}
	}
	in := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), im.entry, args...)
		cmd.Dir, cmd.Env = "/", env
		enter(t, cmd, root)
		return cmd
	}
	start := func() (stop func()) { return runs(t, in(append(im.command, "--media", "0.0.0.0:0")...)) }
	stop := start()
	if im.health[0] != im.entry {
		t.Errorf("health is asked with %v", im.health)
	}
	if out, err := in(im.health[1:]...).CombinedOutput(); err != nil || string(out) != "ready\n" {
		t.Errorf("health: %v, %s", err, out)
	}
	if out, err := in("secrets").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("dispatchNacId")) {
		t.Errorf("secrets: %v, %s", err, out)
	}
	stop()
	if out, err := in(im.health[1:]...).CombinedOutput(); err == nil {
		t.Errorf("after the end: %s", out)
	}

	// Whoever looks after the service is often root, whose files the service could not read.
	verify := in("audit", "verify")
	if os.Getuid() == 0 {
		verify.SysProcAttr.Credential = nil
	}
	if out, err := verify.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("are intact")) {
		t.Errorf("audit verify: %v, %s", err, out)
	}
	start()()
}

// runs starts a radio and waits until it is on the air; stop ends it.
func runs(t *testing.T, serve *exec.Cmd) (stop func()) {
	t.Helper()
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	serve.Stderr = &said
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	on := false
	for lines := bufio.NewScanner(out); !on && lines.Scan(); {
		on = strings.Contains(lines.Text(), "is on the air")
	}
	if !on {
		_ = serve.Wait()
		t.Fatalf("the radio did not start: %s", said.String())
	}
	return func() {
		t.Helper()
		if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("stopped: %v, %s", err, said.String())
		}
	}
}

// enter makes a program see root as its whole file system, as the image's user. Without
// root's rights this is done in a user namespace, where the user is oneself.
func enter(t *testing.T, cmd *exec.Cmd, root string) {
	t.Helper()
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "-R", "10001:10001", filepath.Join(root, "data")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 10001, Gid: 10001}}
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 10001, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 10001, HostID: os.Getgid(), Size: 1}}}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
