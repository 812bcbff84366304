package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// process is a server under measurement.
type process struct {
	pid  int
	url  string
	stop func()
}

// usage is what a process has used so far.
type usage struct {
	cpu time.Duration // user and system
	rss int64         // bytes
}

// ticksPerSecond is USER_HZ, 100 on every Linux that Go runs on.
const ticksPerSecond = 100

func (p *process) usage() (usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return usage{}, fmt.Errorf("the server's CPU and memory use cannot be read (Linux only): %w", err)
	}
	// The name, in parentheses, may contain spaces; the fields follow it.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 22 {
		return usage{}, fmt.Errorf("/proc/%d/stat has only %d fields", p.pid, len(fields))
	}
	number := func(i int) int64 { n, _ := strconv.ParseInt(fields[i], 10, 64); return n }
	return usage{
		cpu: time.Duration(number(11)+number(12)) * time.Second / ticksPerSecond,
		rss: number(21) * int64(os.Getpagesize()),
	}, nil
}

// startPlain builds and starts the plain SFU.
func startPlain(ctx context.Context, folder string) (*process, error) {
	bin := filepath.Join(folder, "plainsfu")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "squelch/server/bench/plainsfu")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the plain SFU cannot be built (run this in the checkout, with Go): %w\n%s", err, out)
	}
	return start(bin, regexp.MustCompile(`^(http://\S+)`))
}

// startOwn starts this program's service with a radio of its own.
func startOwn(folder string, channels int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startBuild(self, folder, channels)
}

// startBuild starts the service of any build of this program, such as one of an earlier commit.
func startBuild(bin, folder string, channels int) (*process, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	config := filepath.Join(folder, "config.lua")
	if err := os.WriteFile(config, []byte(benchConfig(channels)), 0o600); err != nil {
		return nil, err
	}
	return start(bin, regexp.MustCompile(`on the air at (\S+)`),
		"serve", "--config", config, "--data", filepath.Join(folder, "data"), "--listen", "127.0.0.1:0")
}

const benchToken = "voice-bench-token-of-a-temporary-radio"

func benchConfig(channels int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Config = { authToken = %q, dispatchNacId = 'bench', adminPassword = 'bench', webrtc = { udpPort = 0 },\n", benchToken)
	b.WriteString("limits = { sockets = 16384, socketsPerAddress = 16384, webrtcPeers = 16384, users = 16384, idsPerLogin = 0 },\nzones = { { name = 'Bench', Channels = {\n")
	for i := range channels {
		fmt.Fprintf(&b, "{ name = 'Channel %d', type = 'conventional', frequency = %q },\n", i+1, frequency(i))
	}
	b.WriteString("} } } }\n")
	return b.String()
}

func frequency(channel int) string { return strconv.Itoa(100+channel) + ".5" }

// checkBeside refuses a --beside that is not there; it is empty by default.
func checkBeside(bin string) error {
	if bin == "" {
		return nil
	}
	if _, err := exec.LookPath(bin); err != nil {
		return fmt.Errorf("--beside: %w (want the path of a squelch program, such as ./build/squelch)", err)
	}
	return nil
}

func start(bin string, address *regexp.Regexp, args ...string) (*process, error) {
	cmd := exec.Command(bin, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{pid: cmd.Process.Pid, stop: func() {
		_ = in.Close()
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			p.url = m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return p, nil
		}
	}
	p.stop()
	return nil, fmt.Errorf("%s exited without printing its address", filepath.Base(bin))
}
