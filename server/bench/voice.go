package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// What --compare measures beside the service is called this in the results.
const (
	plainSFU = "plain pion"      // an SFU with pion's default settings
	pionLine = "squelch on pion" // this service with webrtc.engine = "pion"
	recorder = "recording"       // this service with everything recorded: --record
)

type flags struct {
	load    Load
	server  string
	token   string
	pid     int
	rounds  int
	compare bool
	record  bool
	beside  string // another build of this program
	json    bool
}

// voiceCommand is `squelch bench voice`.
func voiceCommand() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "voice",
		Short: "Measure voice: CPU per packet, memory per peer, key-up to sound",
		Long: "Connect WebRTC and Socket.IO listeners and one talker per channel to a service in\n" +
			"another process and print CPU per delivered packet, memory per idle peer, the time\n" +
			"from key-up to the first packet, and how many packets were lost or out of order.\n" +
			"Without --server, start a service for it. With --compare, the same WebRTC load also\n" +
			"goes to a service whose connections pion carries, and to a plain pion SFU with\n" +
			"default settings, in turns, and the ratios are printed. With --record it goes to a\n" +
			"service that records everything and to one that does not, in turns.\n" +
			"Absolute figures depend on the machine; compare the ratios of one run.",
		Example: "  squelch bench voice --webrtc 100 --compare\n" +
			"  squelch bench voice --record --webrtc 96 --channels 24 --time 10m\n" +
			"  squelch bench voice --server http://127.0.0.1:7777 --token MASTER --pid 4711 --webrtc 50 --legacy 50 --channels 4",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.load.WebRTC, "webrtc", 100, "WebRTC listeners")
	fl.IntVar(&f.load.Legacy, "legacy", 0, "Socket.IO listeners")
	fl.IntVar(&f.load.Channels, "channels", 1, "channels, one talker each")
	fl.DurationVar(&f.load.Steady, "time", 10*time.Second, "length of the measured burst")
	fl.IntVar(&f.load.Bursts, "bursts", 10, "short bursts, for the time from key-up to sound")
	fl.IntVar(&f.rounds, "rounds", 3, "rounds; medians are printed")
	fl.StringVar(&f.server, "server", "", "`URL` of a running service (with --token and --pid)")
	fl.StringVar(&f.token, "token", "", "its master token")
	fl.IntVar(&f.pid, "pid", 0, "its process id, for CPU and memory")
	fl.BoolVar(&f.compare, "compare", false, "measure a plain pion SFU in the same run")
	fl.BoolVar(&f.record, "record", false, "measure a service that records everything in the same run")
	fl.StringVar(&f.beside, "beside", "", "measure another `build` of squelch in the same run, such as one of an earlier commit")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (f *flags) check() error {
	switch {
	case f.load.WebRTC+f.load.Legacy < 1 || f.load.WebRTC < 0 || f.load.Legacy < 0:
		return fmt.Errorf("--webrtc and --legacy: at least one listener is needed")
	case f.load.Channels < 1 || f.load.Channels > 1000:
		return fmt.Errorf("--channels must be 1 to 1000")
	case f.rounds < 1 || f.load.Bursts < 1 || f.load.Steady < time.Second:
		return fmt.Errorf("--rounds and --bursts must be at least 1, --time at least 1s")
	case f.server != "" && (f.token == "" || f.pid == 0):
		return fmt.Errorf("--server needs --token and --pid")
	case f.record && f.server != "":
		return fmt.Errorf("--record needs services of its own: leave --server out")
	case f.compare && f.load.Legacy > 0:
		return fmt.Errorf("--compare needs --legacy 0: a plain SFU has no Socket.IO")
	}
	return checkBeside(f.beside)
}

func (f *flags) run(ctx context.Context, out, progress io.Writer) error {
	folder, err := os.MkdirTemp("", "squelch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var rounds [][]Result
	for n := range f.rounds {
		note := func(format string, args ...any) {
			fmt.Fprintf(progress, "\r\033[Kround %d of %d: %s", n+1, f.rounds, fmt.Sprintf(format, args...))
		}
		results, err := f.round(ctx, filepath.Join(folder, strconv.Itoa(n)), n%2 == 1, note)
		if err != nil {
			fmt.Fprintln(progress)
			return err
		}
		rounds = append(rounds, results)
	}
	fmt.Fprint(progress, "\r\033[K")
	return f.print(out, medians(rounds))
}

// round measures each server once, from last to first if backwards is set.
func (f *flags) round(ctx context.Context, folder string, backwards bool, note func(string, ...any)) ([]Result, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	type server struct {
		name  string
		start func() (*process, error)
		speak func(*process) station
	}
	asRadio := func(token string) func(*process) station {
		return func(p *process) station { return radio{p.url, token} }
	}
	servers := []server{{"squelch", func() (*process, error) { return startOwn(folder, f.load.Channels) }, asRadio(benchToken)}}
	if f.server != "" {
		running := &process{pid: f.pid, url: f.server, stop: func() {}}
		servers[0].start, servers[0].speak = func() (*process, error) { return running, nil }, asRadio(f.token)
	}
	if f.beside != "" {
		servers = append(servers, server{otherBuild, func() (*process, error) { return startBuild(f.beside, folder+"-beside", f.load.Channels) }, asRadio(benchToken)})
	}
	if f.record {
		servers = append(servers, server{recorder, func() (*process, error) { return startRecording(folder+"-record", f.load.Channels) }, asRadio(benchToken)})
	}
	if f.compare {
		servers = append(servers, server{pionLine, func() (*process, error) { return startOn("pion", folder+"-pion", f.load.Channels) }, asRadio(benchToken)})
		servers = append(servers, server{plainSFU, func() (*process, error) { return startPlain(ctx, folder) }, func(p *process) station { return plain{p.url} }})
	}
	results := make([]Result, len(servers))
	for i := range servers {
		if backwards {
			i = len(servers) - 1 - i
		}
		s := servers[i]
		p, err := s.start()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		results[i], err = measure(ctx, s.name, p, s.speak(p), f.load, note)
		p.stop()
		if err == nil && s.name == recorder {
			results[i].Recorded, results[i].RecordedLost, err = recorded(folder + "-record")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return results, nil
}

// medians takes each figure's median over the rounds.
func medians(rounds [][]Result) []Result {
	out := slices.Clone(rounds[0])
	for i := range out {
		mid := func(get func(Result) float64) float64 {
			var all []float64
			for _, r := range rounds {
				all = append(all, get(r[i]))
			}
			slices.Sort(all)
			return all[len(all)/2]
		}
		out[i].CPUPerPacket = mid(func(r Result) float64 { return r.CPUPerPacket })
		out[i].Allocations = mid(func(r Result) float64 { return r.Allocations })
		out[i].SetupCPU = mid(func(r Result) float64 { return r.SetupCPU })
		out[i].IdleCPU = mid(func(r Result) float64 { return r.IdleCPU })
		out[i].PeerKB = mid(func(r Result) float64 { return r.PeerKB })
		out[i].Goroutines = mid(func(r Result) float64 { return r.Goroutines })
		out[i].KeyUpP50 = mid(func(r Result) float64 { return r.KeyUpP50 })
		out[i].KeyUpP99 = mid(func(r Result) float64 { return r.KeyUpP99 })
		out[i].EarlyKeyUpP50 = mid(func(r Result) float64 { return r.EarlyKeyUpP50 })
		out[i].EarlyKeyUpP99 = mid(func(r Result) float64 { return r.EarlyKeyUpP99 })
		out[i].Delivered, out[i].Expected, out[i].OutOfOrder, out[i].Recorded, out[i].RecordedLost = 0, 0, 0, 0, 0
		for _, r := range rounds {
			out[i].Delivered += r[i].Delivered
			out[i].Expected += r[i].Expected
			out[i].OutOfOrder += r[i].OutOfOrder
			out[i].Recorded += r[i].Recorded
			out[i].RecordedLost += r[i].RecordedLost
		}
	}
	return out
}

func (f *flags) print(out io.Writer, results []Result) error {
	ratio := 0.0
	if last := results[len(results)-1]; last.Server == plainSFU {
		ratio = results[0].CPUPerPacket / last.CPUPerPacket
	}
	recording := 0.0
	if i := slices.IndexFunc(results, func(r Result) bool { return r.Server == recorder }); i >= 0 {
		recording = results[i].CPUPerPacket / results[0].CPUPerPacket
	}
	if f.json {
		doc := map[string]any{"load": f.load, "rounds": f.rounds, "results": results}
		if ratio > 0 {
			doc["cpuRatio"] = ratio
		}
		if recording > 0 {
			doc["recordingRatio"] = recording
		}
		return json.NewEncoder(out).Encode(doc)
	}
	fmt.Fprintf(out, "%d WebRTC and %d Socket.IO listeners, %d channels, %d rounds of %v\n", f.load.WebRTC, f.load.Legacy, f.load.Channels, f.rounds, f.load.Steady)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	row := func(title string, figure func(Result) string) {
		fmt.Fprint(w, title)
		for _, r := range results {
			fmt.Fprint(w, "\t", figure(r))
		}
		fmt.Fprintln(w)
	}
	number := func(title, format string, figure func(Result) float64) {
		row(title, func(r Result) string { return fmt.Sprintf(format, figure(r)) })
	}
	row("", func(r Result) string { return r.Server })
	number("CPU per delivered packet, µs", "%.2f", func(r Result) float64 { return r.CPUPerPacket })
	number("allocations per delivered packet", "%.2f", func(r Result) float64 { return r.Allocations })
	number("CPU to set up a connection, ms", "%.2f", func(r Result) float64 { return r.SetupCPU })
	number("CPU of 1000 idle peers, % of a core", "%.1f", func(r Result) float64 { return r.IdleCPU })
	number("memory of an idle peer, KB", "%.0f", func(r Result) float64 { return r.PeerKB })
	number("goroutines of an idle peer", "%.2f", func(r Result) float64 { return r.Goroutines })
	number("key-up to first packet, ms: p50", "%.1f", func(r Result) float64 { return r.KeyUpP50 })
	number("  p99", "%.1f", func(r Result) float64 { return r.KeyUpP99 })
	number("  voice before the grant: p50", "%.1f", func(r Result) float64 { return r.EarlyKeyUpP50 })
	number("  p99", "%.1f", func(r Result) float64 { return r.EarlyKeyUpP99 })
	row("packets lost", func(r Result) string { return fmt.Sprintf("%d of %d", r.Expected-r.Delivered, r.Expected) })
	row("packets out of order", func(r Result) string { return strconv.FormatInt(r.OutOfOrder, 10) })
	if recording > 0 {
		row("packets on the shelf", func(r Result) string { return strconv.FormatInt(r.Recorded, 10) })
		row("packets lost on the way there", func(r Result) string { return strconv.FormatInt(r.RecordedLost, 10) })
		fmt.Fprintf(w, "CPU per packet with the recorder: %.2f of that without\n", recording)
	}
	if ratio > 0 {
		fmt.Fprintf(w, "CPU per packet: %.2f of the plain SFU's\n", ratio)
	}
	return w.Flush()
}
