package clientcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// printer writes what happens, one line each.
type printer struct {
	w    io.Writer
	json bool
	// note gets the state of the connection; nil: w. A script's radio without --json has
	// w to itself.
	note io.Writer

	mu     sync.Mutex
	voices map[core.UserID]time.Time // when a talker was last heard
}

// event prints an event of the radio as it came.
func (p *printer) event(name string, payload json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		p.line(map[string]any{"at": time.Now().UnixMilli(), "event": name, "payload": payload})
		return
	}
	if p.note == nil {
		p.text(p.w, name, payload)
	}
}

func (p *printer) text(w io.Writer, name string, payload json.RawMessage) {
	fmt.Fprintf(w, "%s  %-22s %s\n", time.Now().Format("15:04:05.000"), name, payload)
}

// status prints what happened to the connection.
func (p *printer) status(name string, payload map[string]any) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return
	}
	if p.json || p.note == nil {
		p.event(name, raw)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text(p.note, name, raw)
}

// print prints a line of a script, with --json as an event.
func (p *printer) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		p.line(map[string]any{"at": time.Now().UnixMilli(), "event": "print", "payload": line})
		return
	}
	fmt.Fprintln(p.w, line)
}

// voice prints every packet with --json, else one line for each burst.
func (p *printer) voice(v wire.Voice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		p.line(map[string]any{"at": time.Now().UnixMilli(), "event": "voice", "payload": v})
		return
	}
	if p.note != nil {
		return
	}
	if p.voices == nil {
		p.voices = map[core.UserID]time.Time{}
	}
	now := time.Now()
	if now.Sub(p.voices[v.ServerID]) > burstPause {
		fmt.Fprintf(p.w, "%s  %-22s user %d on %s as %s\n", now.Format("15:04:05.000"), "voice", v.ServerID, v.Frequency, v.ReceiveType)
	}
	p.voices[v.ServerID] = now
}

func (p *printer) line(v any) {
	if b, err := json.Marshal(v); err == nil {
		_, _ = p.w.Write(append(b, '\n'))
	}
}
