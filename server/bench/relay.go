package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"squelch/server/testpeers"
)

// Servers as the results name them: another build (--beside), and the peers.
const (
	otherBuild    = "squelch (--beside)"
	nodeServer    = "node socket.io"
	zishangServer = "zishang520 v2.5.0"
	bareLoop      = "bare loop"
)

// relayPeers are the values of --peers.
var relayPeers = []string{"bare", "node", "zishang"}

// relayFlags are those of `squelch bench relay`.
type relayFlags struct {
	shapes []string // channels x listeners of each
	time   time.Duration
	rounds int
	peers  []string
	beside string // another build of this program
	json   bool
}

// relayResult is what one server did with one shape of load.
type relayResult struct {
	Server       string  `json:"server"`
	Channels     int     `json:"channels"`
	Listeners    int     `json:"listeners"` // of each channel
	CPUPerPacket float64 `json:"cpuPerPacket"`
	OfBareLoop   float64 `json:"ofBareLoop,omitempty"` // CPU per packet, in units of the bare loop's in the same round
	ClientKB     float64 `json:"clientKB"`             // for each client after the first tenth
	Memory       float64 `json:"memoryMB"`             // of the server with all clients, while it relays
	Expected     int64   `json:"expected"`
	Delivered    int64   `json:"delivered"`
	OutOfOrder   int64   `json:"outOfOrder"`
	Failed       string  `json:"failed,omitempty"` // a peer that failed; its figures are those of the rounds before
}

func relayCommand() *cobra.Command {
	var f relayFlags
	cmd := &cobra.Command{
		Use:   "relay",
		Short: "Measure Socket.IO voice beside other servers and a bare loop",
		Long: "Start this service, a bare loop that only writes finished WebSocket frames, a Node\n" +
			"socket.io server and one made with zishang520/socket.io in turn, each with one talker\n" +
			"per channel and WebSocket listeners from this process, and print the server's CPU per\n" +
			"delivered voice packet and memory per client, with ratios. This needs a checkout, Go\n" +
			"and, for Node, `just deps`. Absolute figures depend on the machine; compare the ratios\n" +
			"of one run.",
		Example: "  squelch bench relay\n  squelch bench relay --load 1x100 --time 5s --rounds 1 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			shapes, err := f.check()
			if err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return f.run(cmd.Context(), shapes, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.shapes, "load", []string{"1x500", "4x50"}, "channels x listeners of each channel")
	fl.DurationVar(&f.time, "time", 8*time.Second, "length of the measured burst")
	fl.IntVar(&f.rounds, "rounds", 3, "rounds; medians are printed")
	fl.StringSliceVar(&f.peers, "peers", relayPeers, "what to compare with")
	fl.StringVar(&f.beside, "beside", "", "measure another `build` of squelch in the same run, such as one of an earlier commit")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

var shapeForm = regexp.MustCompile(`^(\d{1,3})x(\d{1,4})$`)

// check returns the requested shapes, as channels and listeners of each.
func (f *relayFlags) check() (shapes [][2]int, err error) {
	if f.rounds < 1 || f.time < time.Second {
		return nil, fmt.Errorf("--rounds must be at least 1, --time at least 1s")
	}
	if err := checkBeside(f.beside); err != nil {
		return nil, err
	}
	for _, peer := range f.peers {
		if !slices.Contains(relayPeers, peer) {
			return nil, fmt.Errorf("--peers: %q is none of %s", peer, strings.Join(relayPeers, ", "))
		}
	}
	for _, shape := range f.shapes {
		m := shapeForm.FindStringSubmatch(shape)
		if m == nil {
			return nil, fmt.Errorf("--load: %q is not of the form 4x50", shape)
		}
		channels, _ := strconv.Atoi(m[1])
		listeners, _ := strconv.Atoi(m[2])
		if channels == 0 || listeners == 0 {
			return nil, fmt.Errorf("--load: %q has no listeners", shape)
		}
		shapes = append(shapes, [2]int{channels, listeners})
	}
	return shapes, nil
}

func (f *relayFlags) run(ctx context.Context, shapes [][2]int, out, progress io.Writer) error {
	var results []relayResult
	for _, shape := range shapes {
		all, err := f.shape(ctx, shape[0], shape[1], progress)
		if err != nil {
			fmt.Fprintln(progress)
			return err
		}
		results = append(results, all...)
	}
	fmt.Fprint(progress, "\r\033[K")
	if f.json {
		return json.NewEncoder(out).Encode(results)
	}
	return printRelay(out, results)
}

// shape measures the servers in turn, in every second round from last to first, and takes
// medians.
func (f *relayFlags) shape(ctx context.Context, channels, listeners int, progress io.Writer) ([]relayResult, error) {
	folder, err := os.MkdirTemp("", "squelch-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	fmt.Fprint(progress, "\r\033[Kbuilding the peers")
	servers, err := f.servers(ctx, folder, channels)
	if err != nil {
		return nil, err
	}
	rounds := make([][]relayResult, len(servers))
	for n := range f.rounds {
		for i := range servers {
			if n%2 == 1 {
				i = len(servers) - 1 - i
			}
			s := servers[i]
			note := func(format string, args ...any) {
				fmt.Fprintf(progress, "\r\033[K%dx%d, round %d of %d, %s: %s", channels, listeners, n+1, f.rounds, s.name, fmt.Sprintf(format, args...))
			}
			own := filepath.Join(folder, fmt.Sprint(n, "-", i))
			p, err := s.start(own)
			if err != nil {
				return nil, err
			}
			r, err := relayRound(ctx, p, channels, listeners, f.time, note)
			p.stop()
			if err != nil && (i == 0 || ctx.Err() != nil) {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			if err != nil { // a peer that fails is a finding, not the end
				r = relayResult{Channels: channels, Listeners: listeners, Failed: err.Error()}
			}
			r.Server = s.name
			rounds[i] = append(rounds[i], r)
		}
	}
	for i := range servers {
		if servers[i].name == bareLoop {
			ofBareLoop(rounds, rounds[i])
		}
	}
	var out []relayResult
	for _, all := range rounds {
		out = append(out, relayMedian(all))
	}
	return out, nil
}

// ofBareLoop compares every server with the bare loop, round by round: what disturbs the
// machine for longer than a round then disturbs both.
func ofBareLoop(rounds [][]relayResult, bare []relayResult) {
	for _, all := range rounds {
		for n := range all {
			if bare[n].CPUPerPacket > 0 {
				all[n].OfBareLoop = all[n].CPUPerPacket / bare[n].CPUPerPacket
			}
		}
	}
}

// relayServer is one that is measured.
type relayServer struct {
	name  string
	start func(folder string) (*process, error) // folder: for its data
}

// servers are this program's service, another build if one is named, and the peers that
// are asked for, which are built into folder.
func (f *relayFlags) servers(ctx context.Context, folder string, channels int) ([]relayServer, error) {
	anAddress := regexp.MustCompile(`^(http://\S+)`)
	all := []relayServer{{"squelch", func(data string) (*process, error) { return startOwn(data, channels) }}}
	if f.beside != "" {
		all = append(all, relayServer{otherBuild, func(data string) (*process, error) { return startBuild(f.beside, data, channels) }})
	}
	if slices.Contains(f.peers, "bare") {
		bare := filepath.Join(folder, "bareloop")
		build := exec.CommandContext(ctx, "go", "build", "-o", bare, "squelch/server/bench/bareloop")
		if text, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the bare loop cannot be built (run this in the checkout, with Go): %w\n%s", err, text)
		}
		all = append(all, relayServer{bareLoop, func(string) (*process, error) { return start(bare, anAddress) }})
	}
	if slices.Contains(f.peers, "node") {
		peers, err := testpeers.Folder()
		if err != nil {
			return nil, err
		}
		all = append(all, relayServer{nodeServer, func(string) (*process, error) {
			return start("node", anAddress, filepath.Join(peers, "relay-server.mjs"))
		}})
	}
	if slices.Contains(f.peers, "zishang") {
		zishang := filepath.Join(folder, "zishang")
		if err := testpeers.BuildZishang(ctx, "relay", zishang); err != nil {
			return nil, err
		}
		all = append(all, relayServer{zishangServer, func(string) (*process, error) { return start(zishang, anAddress) }})
	}
	return all, nil
}

func relayMedian(all []relayResult) relayResult {
	held := slices.DeleteFunc(slices.Clone(all), func(r relayResult) bool { return r.Failed != "" })
	if len(held) == 0 {
		return all[0]
	}
	failed := len(all) - len(held)
	all = held
	mid := func(get func(relayResult) float64) float64 {
		v := make([]float64, len(all))
		for i, r := range all {
			v[i] = get(r)
		}
		slices.SortFunc(v, cmp.Compare)
		return v[len(v)/2]
	}
	out := all[0]
	out.CPUPerPacket = mid(func(r relayResult) float64 { return r.CPUPerPacket })
	out.OfBareLoop = mid(func(r relayResult) float64 { return r.OfBareLoop })
	out.ClientKB = mid(func(r relayResult) float64 { return r.ClientKB })
	out.Memory = mid(func(r relayResult) float64 { return r.Memory })
	for _, r := range all[1:] {
		out.Expected += r.Expected
		out.Delivered += r.Delivered
		out.OutOfOrder += r.OutOfOrder
	}
	if failed > 0 {
		out.Failed = fmt.Sprintf("%d of %d rounds failed", failed, failed+len(all))
	}
	return out
}

func printRelay(out io.Writer, results []relayResult) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "load\tserver\tCPU µs/packet\tof the bare loop's\tKB/client\tMB in all\tlost\tout of order\tCPU, memory of Node's")
	for _, r := range results {
		ofNode := r.Failed
		if r.Delivered == 0 {
			fmt.Fprintf(w, "%dx%d\t%s\t\t\t\t\t\t\t%s\n", r.Channels, r.Listeners, r.Server, ofNode)
			continue
		}
		for _, n := range results {
			if n.Server == nodeServer && n.Channels == r.Channels && n.Listeners == r.Listeners && n.Delivered > 0 {
				ofNode = fmt.Sprintf("%.2f, %.2f", r.CPUPerPacket/n.CPUPerPacket, r.Memory/n.Memory)
				if r.Failed != "" {
					ofNode += " (" + r.Failed + ")"
				}
				break
			}
		}
		ofBare := ""
		if r.OfBareLoop > 0 {
			ofBare = fmt.Sprintf("%.2f", r.OfBareLoop)
		}
		fmt.Fprintf(w, "%dx%d\t%s\t%.2f\t%s\t%.1f\t%.0f\t%d of %d\t%d\t%s\n", r.Channels, r.Listeners, r.Server, r.CPUPerPacket,
			ofBare, r.ClientKB, r.Memory, r.Expected-r.Delivered, r.Expected, r.OutOfOrder, ofNode)
	}
	return w.Flush()
}
