package mirror

import (
	"context"
	"sync"
	"time"
)

// Options of Start. From and To are required.
type Options struct {
	From  *Place // what the nodes share
	To    *Place // in this node's data folder
	Every time.Duration
	Logf  func(format string, args ...any) // what the operator should know; nil: dropped
	Warnf func(format string, args ...any) // what he should do something about; nil: Logf
}

// Mirror copies, in the background, what the nodes share into a node's own data folder.
// Nobody waits for it, and a disk that takes nothing is only warned about.
type Mirror struct {
	o    Options
	copy copier
	quit chan struct{}
	done chan struct{}
	once sync.Once

	mu     sync.Mutex
	copied time.Time
	wrong  error
}

// Start begins at once.
func Start(o Options) *Mirror {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Warnf == nil {
		o.Warnf = o.Logf
	}
	if o.Every == 0 {
		o.Every = Every
	}
	m := &Mirror{o: o, copy: copier{from: o.From, to: o.To, versions: map[string]uint64{}}, quit: make(chan struct{}), done: make(chan struct{})}
	go m.run()
	return m
}

// Close copies what is left and ends the mirror.
func (m *Mirror) Close() {
	if m == nil {
		return
	}
	m.once.Do(func() { close(m.quit) })
	<-m.done
}

// State is when the copy in the data folder was last complete, and what is wrong with it
// since; the zero time: never.
func (m *Mirror) State() (copied time.Time, wrong error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.copied, m.wrong
}

func (m *Mirror) run() {
	defer close(m.done)
	every := time.NewTicker(m.o.Every)
	defer every.Stop()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), passTime)
		stopped := make(chan struct{})
		go func() {
			select {
			case <-m.quit:
				cancel()
			case <-stopped:
			}
		}()
		m.pass(ctx)
		close(stopped)
		cancel()
		select {
		case <-every.C:
			continue
		case <-m.quit:
		}
		ctx, cancel = context.WithTimeout(context.Background(), endTime)
		if m.pass(ctx); ctx.Err() != nil {
			m.o.Warnf("what the nodes share was not copied to this node's data folder within %v: what has changed since the last copy is missing there", endTime)
		}
		cancel()
		return
	}
}

func (m *Mirror) pass(ctx context.Context) {
	err := m.o.To.probe(ctx, probeBytes)
	if err == nil {
		err = m.copy.copy(ctx)
	}
	if err != nil && ctx.Err() != nil { // the end: there is another one
		return
	}
	m.mu.Lock()
	before := m.wrong
	if m.wrong = err; err == nil {
		m.copied = time.Now()
	}
	m.mu.Unlock()
	switch {
	case err != nil && before == nil:
		m.o.Warnf("what the nodes share cannot be copied to this node's data folder; the radio goes on, but a backup made here is old: %v", err)
	case err == nil && before != nil:
		m.o.Logf("what the nodes share is copied to this node's data folder again")
	}
}
