package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Child is a node in a process of its own (Serve).
type Child struct {
	Job Job

	command *exec.Cmd
	in      io.WriteCloser
	over    chan struct{}

	mu      sync.Mutex
	lastID  int
	answers map[int]chan Report
	events  []Report
}

var errOver = errors.New("the node's process has ended")

// Launch starts a command that calls Serve. What the node logs is appended to the file log.
func Launch(command *exec.Cmd, job Job, log string) (*Child, error) {
	c := &Child{Job: job, command: command, over: make(chan struct{}), answers: map[int]chan Report{}}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	command.Stderr = file
	if c.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	line, err := json.Marshal(job)
	if err == nil {
		_, err = c.in.Write(append(line, '\n'))
	}
	return c, err
}

func (c *Child) read(out io.Reader) {
	defer close(c.over)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r Report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		c.mu.Lock()
		if r.ID == 0 {
			c.events = append(c.events, r)
		} else if answer := c.answers[r.ID]; answer != nil {
			answer <- r
		}
		c.mu.Unlock()
	}
	_ = c.command.Wait()
}

// Events are those of a kind since a moment.
func (c *Child) Events(kind string, since time.Time) (all []Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.events {
		if r.Event == kind && r.At >= since.UnixNano() {
			all = append(all, r)
		}
	}
	return all
}

// Ready waits until the node has joined and its users are on the air.
func (c *Child) Ready(patience time.Duration) error {
	for end := time.Now().Add(patience); len(c.Events("ready", time.Time{})) == 0; time.Sleep(5 * time.Millisecond) {
		select {
		case <-c.over:
			return fmt.Errorf("node %s: %w", c.Job.Node.Name, errOver)
		default:
		}
		if time.Now().After(end) {
			return fmt.Errorf("node %s is not ready within %s", c.Job.Node.Name, patience)
		}
	}
	return nil
}

// Ask has the node do something, and waits for its answer.
func (c *Child) Ask(op, text string, n int, patience time.Duration) (Report, error) {
	answer := make(chan Report, 1)
	c.mu.Lock()
	c.lastID++
	o := order{ID: c.lastID, Op: op, Text: text, N: n}
	c.answers[o.ID] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.answers, o.ID)
	}()
	line, err := json.Marshal(o)
	if err != nil {
		return Report{}, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return Report{}, err
	}
	select {
	case r := <-answer:
		if r.Error != "" {
			return r, fmt.Errorf("node %s, %s: %s", c.Job.Node.Name, op, r.Error)
		}
		return r, nil
	case <-c.over:
		return Report{}, fmt.Errorf("node %s: %w", c.Job.Node.Name, errOver)
	case <-time.After(patience):
		return Report{}, fmt.Errorf("node %s does not answer %q within %s", c.Job.Node.Name, op, patience)
	}
}

// State is how the node's replica is.
func (c *Child) State() (State, error) {
	r, err := c.Ask("state", "", 0, 5*time.Second)
	if err != nil {
		return State{}, err
	}
	return *r.State, nil
}

// Process is the node's.
func (c *Child) Process() *os.Process { return c.command.Process }

// Kill ends the process at once (SIGKILL), and waits for its end.
func (c *Child) Kill() {
	_ = c.command.Process.Kill()
	<-c.over
}

// Stop ends the node in order.
func (c *Child) Stop() {
	_ = c.in.Close()
	select {
	case <-c.over:
	case <-time.After(20 * time.Second):
		c.Kill()
	}
}
