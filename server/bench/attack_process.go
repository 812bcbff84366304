package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
)

// The attacks run in a process of their own, which says when it is ready, begins when it
// gets a line, and ends when its input does.
const (
	attackReady = "ready"
	attackBegin = "begin"
	// attackNice is its priority, so that it takes no CPU from service and listeners that
	// they want.
	attackNice = "10"
)

// done is what an attack says at its end.
type done struct {
	Done    int     `json:"done"`    // packets sent, or offers made
	Refused int     `json:"refused"` // offers
	Seconds float64 `json:"seconds"`
}

// attackProcess is a running attack; without a command there is none.
type attackProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startAttack(ctx context.Context, name, url string) (*attackProcess, error) {
	if name == quiet {
		return &attackProcess{}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{self, "bench", "attack", name, "--server", url}
	if nice, err := exec.LookPath("nice"); err == nil {
		args = append([]string{nice, "-n", attackNice}, args...)
	}
	p := &attackProcess{cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if !p.out.Scan() || p.out.Text() != attackReady {
		_ = p.in.Close()
		return nil, fmt.Errorf("the attack did not get ready: %w", p.cmd.Wait())
	}
	return p, nil
}

func (p *attackProcess) begin() {
	if p.cmd != nil {
		_, _ = fmt.Fprintln(p.in, attackBegin)
	}
}

// end ends the attack and says what it did.
func (p *attackProcess) end() (d done, err error) {
	if p.cmd == nil {
		return done{Seconds: 1}, nil
	}
	_ = p.in.Close()
	if p.out.Scan() {
		err = json.Unmarshal(p.out.Bytes(), &d)
	}
	if waited := p.cmd.Wait(); err == nil {
		err = waited
	}
	if err == nil && d.Done == 0 {
		err = fmt.Errorf("the attack has done nothing")
	}
	return d, err
}

// attackCommand is what startAttack starts.
func attackCommand() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:    "attack NAME",
		Short:  "Attack a service of bench hostile, as told on standard input",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a := attackNamed(args[0])
			if a == nil {
				return fmt.Errorf("there is no attack %q", args[0])
			}
			return a.run(cmd.Context(), url, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&url, "server", "", "`URL` of the service")
	return cmd
}

// run gets the attackers ready, attacks while told to, and says what was done.
func (a *attack) run(ctx context.Context, url string, in io.Reader, out io.Writer) error {
	g := &gang{st: radio{url, benchToken}}
	defer g.close()
	step, err := a.ready(ctx, g)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, attackReady)
	orders := bufio.NewScanner(in)
	if !orders.Scan() || orders.Text() != attackBegin {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { orders.Scan(); cancel() }()
	d, err := g.pace(ctx, a, step)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(d)
}
