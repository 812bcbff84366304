package trial

import (
	"errors"
	"net"
	"sync"
	"time"
)

// chunk is how much a path carries at a time, in bytes.
const chunk = 64 << 10

// Paths are TCP paths between nodes that can be slow, silent, or reset. A node knows
// another by the address of the path from it to the other.
type Paths struct {
	nodes     []string // addresses
	listeners []net.Listener
	work      sync.WaitGroup

	mu     sync.Mutex
	change *sync.Cond
	holes  map[[2]int]bool
	delay  time.Duration
	open   map[net.Conn][2]int
	over   bool
}

// NewPaths makes the paths between nodes with these addresses.
func NewPaths(nodes []string) (*Paths, error) {
	p := &Paths{nodes: nodes, holes: map[[2]int]bool{}, open: map[net.Conn][2]int{}}
	p.change = sync.NewCond(&p.mu)
	for from := range nodes {
		for to := range nodes {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				p.Close()
				return nil, err
			}
			p.listeners = append(p.listeners, l)
			p.work.Go(func() { p.accept(l, from, to) })
		}
	}
	return p, nil
}

// Routes are the paths from a node to the others.
func (p *Paths) Routes(from int) (all []string) {
	for to := range p.nodes {
		if to != from {
			all = append(all, p.listeners[from*len(p.nodes)+to].Addr().String())
		}
	}
	return all
}

// Nowhere is what a node tells others as its address, so that they use their paths only.
const Nowhere = "127.0.0.1:1"

// Hole lets nothing through from one node to another, or everything again. What is sent
// meanwhile arrives afterwards, as far as TCP keeps it.
func (p *Paths) Hole(from, to int, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holes[[2]int{from, to}] = yes
	p.change.Broadcast()
}

// Isolate cuts a node off in both directions, or ends that.
func (p *Paths) Isolate(node int, yes bool) {
	for other := range p.nodes {
		if other != node {
			p.Hole(node, other, yes)
			p.Hole(other, node, yes)
		}
	}
}

// Delay makes every path slow, one way.
func (p *Paths) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Reset breaks all connections of a node.
func (p *Paths) Reset(node int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, path := range p.open {
		if path[0] == node || path[1] == node {
			if t, is := c.(*net.TCPConn); is {
				_ = t.SetLinger(0)
			}
			_ = c.Close()
		}
	}
}

// Close ends all paths.
func (p *Paths) Close() {
	p.mu.Lock()
	p.over = true
	for c := range p.open {
		_ = c.Close()
	}
	p.change.Broadcast()
	p.mu.Unlock()
	for _, l := range p.listeners {
		_ = l.Close()
	}
	p.work.Wait()
}

func (p *Paths) accept(l net.Listener, from, to int) {
	for {
		in, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		p.work.Go(func() {
			defer func() { _ = in.Close() }()
			if !p.passes(from, to) { // a connection is made only if a packet gets there
				return
			}
			out, err := net.Dial("tcp", p.nodes[to])
			if err != nil {
				return
			}
			defer func() { _ = out.Close() }()
			if !p.add(in, out, from, to) {
				return
			}
			defer p.remove(in, out)
			p.work.Go(func() { p.carry(out, in, to, from); _ = in.Close() })
			p.carry(in, out, from, to)
		})
	}
}

func (p *Paths) add(in, out net.Conn, from, to int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[in], p.open[out] = [2]int{from, to}, [2]int{from, to}
	return !p.over
}

func (p *Paths) remove(in, out net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, in)
	delete(p.open, out)
}

// passes waits until something gets through; false: never.
func (p *Paths) passes(from, to int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.holes[[2]int{from, to}] && !p.over {
		p.change.Wait()
	}
	return !p.over
}

type piece struct {
	data []byte
	due  time.Time
}

// carry carries one direction of a connection.
func (p *Paths) carry(in, out net.Conn, from, to int) {
	pieces := make(chan piece, 64)
	p.work.Go(func() {
		defer func() { _ = out.Close() }()
		broken := false
		for c := range pieces {
			if broken {
				continue
			}
			time.Sleep(time.Until(c.due))
			if !p.passes(from, to) {
				broken = true
				continue
			}
			if _, err := out.Write(c.data); err != nil {
				broken = true
				_ = in.Close()
			}
		}
	})
	defer close(pieces)
	for {
		buffer := make([]byte, chunk)
		n, err := in.Read(buffer)
		if n > 0 {
			p.mu.Lock()
			delay := p.delay
			p.mu.Unlock()
			pieces <- piece{buffer[:n], time.Now().Add(delay)}
		}
		if err != nil {
			return
		}
	}
}
