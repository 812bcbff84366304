package bench

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"squelch/server/bench/figures"
	"squelch/server/recordings"
)

// process is a server under measurement.
type process struct {
	pid  int
	url  string
	ask  func() (figures.Figures, error) // nil: it does not answer
	stop func()
}

// usage is what a process has used so far.
type usage struct {
	cpu             time.Duration // user and system
	rss             int64         // bytes
	figures.Figures               // zero if the process does not answer
}

// usage reads what the process has used, after it has given back what it does not need.
func (p *process) usage() (u usage, err error) {
	if p.ask != nil {
		if u.Figures, err = p.ask(); err != nil {
			return usage{}, err
		}
	}
	u.cpu, u.rss, err = p.read()
	return u, err
}

// cpu reads what the process has used, without disturbing it.
func (p *process) cpu() (time.Duration, error) {
	used, _, err := p.read()
	return used, err
}

func (p *process) read() (cpu time.Duration, rss int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0, 0, fmt.Errorf("the server's CPU and memory use cannot be read (Linux only): %w", err)
	}
	// The name, in parentheses, may contain spaces; the fields follow it.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 22 {
		return 0, 0, fmt.Errorf("/proc/%d/stat has only %d fields", p.pid, len(fields))
	}
	pages, _ := strconv.ParseInt(fields[21], 10, 64)
	cpu, err = cpuTime(p.pid)
	return cpu, pages * int64(os.Getpagesize()), err
}

// startPlain builds and starts the plain SFU.
func startPlain(ctx context.Context, folder string) (*process, error) {
	bin := filepath.Join(folder, "plainsfu")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "squelch/server/bench/plainsfu")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the plain SFU cannot be built (run this in the checkout, with Go): %w\n%s", err, out)
	}
	return launch(bin, regexp.MustCompile(`^(http://\S+)`), true)
}

// startOwn starts this program's service with a radio of its own.
func startOwn(folder string, channels int) (*process, error) { return startOn("", folder, channels) }

// startRecording does so with everything recorded.
func startRecording(folder string, channels int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startConfigured(self, folder, benchConfig(channels, "")+"Config.recording = { all = true, freeBytes = 0 }\n", true)
}

// recorded counts the packets on the shelf of a service that has ended.
func recorded(folder string) (packets, lost int64, err error) {
	shelf, err := recordings.Open(filepath.Join(folder, "data", "recordings"), recordings.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer shelf.Close()
	for q := (recordings.Query{}); ; {
		page, next := shelf.List(q)
		for _, e := range page {
			packets, lost = packets+int64(e.Packets), lost+int64(e.Lost)
		}
		if q.Before = next; next == "" {
			return packets, lost, nil
		}
	}
}

// startOn does so with an engine that carries the connections; "" is the default.
func startOn(engine, folder string, channels int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startService(self, folder, channels, engine, true)
}

// startBuild starts the service of any build of this program, such as one of an earlier
// commit, which may not answer questions.
func startBuild(bin, folder string, channels int) (*process, error) {
	return startService(bin, folder, channels, "", false)
}

func startService(bin, folder string, channels int, engine string, answers bool) (*process, error) {
	return startConfigured(bin, folder, benchConfig(channels, engine), answers)
}

// startConfigured starts the service of a build with a configuration and a data folder below
// folder.
func startConfigured(bin, folder, text string, answers bool) (*process, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	config := filepath.Join(folder, "config.lua")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	args := []string{"serve", "--config", config, "--data", filepath.Join(folder, "data"), "--listen", "127.0.0.1:0"}
	if answers {
		args = append(args, "--figures")
	}
	return launch(bin, regexp.MustCompile(`on the air at (\S+)`), answers, args...)
}

const benchToken = "voice-bench-token-of-a-temporary-radio"

func benchConfig(channels int, engine string) string {
	var b strings.Builder
	chosen := ""
	if engine != "" {
		chosen = fmt.Sprintf(", engine = %q", engine)
	}
	fmt.Fprintf(&b, "Config = { authToken = %q, dispatchNacId = 'bench', adminPassword = 'bench', timeoutTimer = 0, webrtc = { udpPort = 0%s },\n", benchToken, chosen)
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

// start starts a server and waits until it prints its address.
func start(bin string, address *regexp.Regexp, args ...string) (*process, error) {
	return launch(bin, address, false, args...)
}

// launch does so; the server may answer figures.Question.
func launch(bin string, address *regexp.Regexp, answers bool, args ...string) (*process, error) {
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
		m := address.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		p.url = m[1]
		if answers {
			p.ask = func() (figures.Figures, error) { return ask(in, lines) }
		} else {
			go func() { _, _ = io.Copy(io.Discard, out) }()
		}
		return p, nil
	}
	p.stop()
	return nil, fmt.Errorf("%s exited without printing its address", filepath.Base(bin))
}

// ask asks a server for its figures. What else it prints is skipped.
func ask(in io.Writer, lines *bufio.Scanner) (f figures.Figures, err error) {
	if _, err := fmt.Fprintln(in, figures.Question); err != nil {
		return f, err
	}
	for lines.Scan() {
		if json.Unmarshal(lines.Bytes(), &f) == nil && f.Goroutines > 0 {
			return f, nil
		}
	}
	return f, fmt.Errorf("the server has ended: %w", cmp.Or(lines.Err(), io.EOF))
}
