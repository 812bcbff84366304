package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"squelch/sfu"
)

type hostileFlags struct {
	listeners int
	time      time.Duration
	engine    string
	only      []string
	json      bool
}

// hostileCommand is `squelch bench hostile`.
func hostileCommand() *cobra.Command {
	var f hostileFlags
	var kinds strings.Builder
	for _, a := range attacks {
		fmt.Fprintf(&kinds, "  %-11s %s\n", a.name, a.says)
	}
	cmd := &cobra.Command{
		Use:   "hostile",
		Short: "Measure what attacks on the voice ports do to others",
		Long: "Start a service with one talker and WebRTC listeners, attack it in one way after the\n" +
			"other from a process of low priority, and print what the listeners notice: packets\n" +
			"lost, and the time from a packet's sending to its arrival. The first row is without an\n" +
			"attack. The listeners' own machine is part of that time: compare the rows of one run.\n\n" +
			"The attacks:\n" + kinds.String(),
		Example: "  squelch bench hostile\n" +
			"  squelch bench hostile --only quiet,fragments --time 40s --engine pion",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.listeners, "listeners", 50, "WebRTC listeners")
	fl.DurationVar(&f.time, "time", 10*time.Second, "length of each attack")
	fl.StringVar(&f.engine, "engine", string(sfu.OneSocket), "what carries the connections: onesocket or pion")
	fl.StringSliceVar(&f.only, "only", nil, "some of the attacks, by `name`; quiet is the row without one")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// quiet is the row without an attack.
const quiet = "quiet"

func (f *hostileFlags) check() error {
	if f.listeners < 1 || f.listeners > 1000 || f.time < time.Second {
		return fmt.Errorf("--listeners must be 1 to 1000, --time at least 1s")
	}
	if e := sfu.Engine(f.engine); e != sfu.OneSocket && e != sfu.Pion {
		return fmt.Errorf("--engine must be %s or %s, not %q", sfu.OneSocket, sfu.Pion, f.engine)
	}
	for _, name := range f.only {
		if name != quiet && attackNamed(name) == nil {
			return fmt.Errorf("--only: there is no attack %q (want some of %s)", name, strings.Join(f.names(), ", "))
		}
	}
	return nil
}

// names are those of all rows.
func (f *hostileFlags) names() []string {
	names := []string{quiet}
	for _, a := range attacks {
		names = append(names, a.name)
	}
	return names
}

// Attacked is what one attack did. Times are milliseconds.
type Attacked struct {
	Attack   string  `json:"attack"`
	Rate     float64 `json:"rate"`     // of the attack, per second: packets, or offers
	Refused  int     `json:"refused"`  // of its offers
	Expected int     `json:"expected"` // packets sent × listeners
	Lost     int     `json:"lost"`     // of these
	P50      float64 `json:"p50"`      // from sending to arrival, all listeners
	P99      float64 `json:"p99"`
	Max      float64 `json:"max"`
	CPU      float64 `json:"cpu"`       // of the service, per cent of a core
	RSS      float64 `json:"rssBefore"` // of the service, MB
	PeakRSS  float64 `json:"rssPeak"`
	AfterRSS float64 `json:"rssAfter"` // when the attackers are gone
}

func (f *hostileFlags) run(ctx context.Context, out, progress io.Writer) error {
	folder, err := os.MkdirTemp("", "squelch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	note := func(format string, args ...any) { fmt.Fprintf(progress, "\r\033[K"+format, args...) }
	defer fmt.Fprint(progress, "\r\033[K")
	service, err := startOn(f.engine, folder, 2)
	if err != nil {
		return err
	}
	defer service.stop()
	net, err := newNet(ctx, service, f.listeners, note)
	if err != nil {
		return err
	}
	defer net.close()
	var rows []Attacked
	for _, name := range f.names() {
		if f.only != nil && !slices.Contains(f.only, name) {
			continue
		}
		note("%s for %v", name, f.time)
		row, err := net.under(ctx, name, f.time)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, row)
	}
	note("")
	return f.print(out, rows)
}

func (f *hostileFlags) print(out io.Writer, rows []Attacked) error {
	if f.json {
		return json.NewEncoder(out).Encode(map[string]any{"listeners": f.listeners, "seconds": f.time.Seconds(), "engine": f.engine, "attacks": rows})
	}
	fmt.Fprintf(out, "engine %s, one talker, %d listeners, %v each; delays from sending to arrival\n", f.engine, f.listeners, f.time)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "attack\tper second\trefused\tlost\tof\tp50 ms\tp99 ms\tmax ms\tCPU %\tRSS MB\tpeak\tafter\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t%.1f\t%.1f\t%.1f\t\n", r.Attack, r.Rate, r.Refused, r.Lost, r.Expected, r.P50, r.P99, r.Max, r.CPU, r.RSS, r.PeakRSS, r.AfterRSS)
	}
	return w.Flush()
}
