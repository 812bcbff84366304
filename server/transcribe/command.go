package transcribe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Command is an engine that is a program: it gets a recording and writes the text to its
// standard output. It runs without a shell and with an empty environment, in a process
// group of its own, which is killed when the program ends or takes too long.
type Command struct {
	// Args are the program, by its path, and its arguments. "{file}" stands for the path of
	// the recording; if it is in none, the recording is the standard input.
	Args []string
	// Folder has a folder for each run, in which the program starts.
	Folder string
}

// OpenCommand empties the folder, in which an earlier process may have left something.
func OpenCommand(args []string, folder string) (*Command, error) {
	folder, err := filepath.Abs(folder) // programs start elsewhere
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	return &Command{args, folder}, os.MkdirAll(folder, 0o700)
}

var (
	errVerbose   = fmt.Errorf("the program writes more than %d KB", maxAnswer>>10)
	errComplains = fmt.Errorf("the program writes more than %d KB to its standard error", maxComplaint>>10)
	errHeld      = errors.New("the program has left its output open to another one")
)

// Transcribe implements Engine.
func (c *Command) Transcribe(ctx context.Context, file File) (string, error) {
	folder, err := os.MkdirTemp(c.Folder, "")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, file.Name)
	if err := os.WriteFile(path, file.Data, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command(c.Args[0])
	cmd.Env = []string{} // nothing of this process
	cmd.Dir = folder
	named := false
	for _, arg := range c.Args[1:] {
		named = named || strings.Contains(arg, "{file}")
		cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "{file}", path))
	}
	if !named {
		in, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	return run(ctx, cmd)
}

// run starts a program, reads what it writes, and ends it with everything it has started.
func run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out, err := follow(&cmd.Stdout, maxAnswer, maxAnswer, func() { stop(errVerbose) })
	if err != nil {
		return "", err
	}
	defer out.close()
	complaint, err := follow(&cmd.Stderr, maxReason, maxComplaint, func() { stop(errComplains) })
	if err != nil {
		return "", err
	}
	defer complaint.close()
	prepare(cmd)
	runtime.LockOSThread() // a program that should end with this process is tied to the thread
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	out.begin()
	complaint.begin()
	if err != nil {
		return "", fmt.Errorf("the program does not start: %w", err)
	}
	restrain(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- await(cmd) }()
	select {
	case err = <-ended:
		kill(cmd) // what it has left behind
	case <-ctx.Done():
		kill(cmd)
		err = <-ended
	}
	err = errors.Join(err, reap(cmd))
	said, closed := out.read()
	told, _ := complaint.read()
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return "", cause
	case !closed:
		return "", errHeld
	case err != nil:
		if why := strings.TrimSpace(told); why != "" {
			return "", fmt.Errorf("the program fails (%w): %s", err, why)
		}
		return "", fmt.Errorf("the program fails: %w", err)
	}
	return said, nil
}

// pipe reads what a program writes to one of its outputs.
type pipe struct {
	r, w  *os.File
	keep  int // so many bytes of the end are kept
	most  int // more than so many are too many
	flood func()
	done  chan struct{}

	mu   sync.Mutex
	last []byte
}

func follow(output *io.Writer, keep, most int, flood func()) (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*output = w
	return &pipe{r: r, w: w, keep: keep, most: most, flood: flood, done: make(chan struct{})}, nil
}

// begin reads, once the program has its own end of the pipe.
func (p *pipe) begin() {
	_ = p.w.Close()
	go func() {
		defer close(p.done)
		total, b := 0, make([]byte, 4096)
		for {
			n, err := p.r.Read(b)
			if total += n; total > p.most {
				p.flood() // and read on, until it is killed
			}
			p.mu.Lock()
			p.last = append(p.last, b[:n]...)
			p.last = p.last[max(0, len(p.last)-p.keep):]
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// read gives what was kept. closed is false if somebody still has the pipe.
func (p *pipe) read() (text string, closed bool) {
	closed = after(p.done, grace)
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.last), closed
}

func (p *pipe) close() {
	_ = p.w.Close()
	_ = p.r.Close() // ends the reader
}
