package radio

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

const (
	// maxForwarded is how many moments may wait for the node that writes the timeline, and
	// forwardTime how long one is tried: longer than a takeover.
	maxForwarded = 4096
	forwardTime  = 30 * time.Second
	forwardAgain = 250 * time.Millisecond
	// askTime is how long another node has for an answer.
	askTime = 2 * time.Second
	// linkTime is how long all nodes together have to say who has a link: longer than a
	// probe of it takes, and than a dead node counts as alive.
	linkTime = 4 * time.Second
	// gainTime bounds an attempt to take a radio up.
	gainTime = 30 * time.Second
	// lookEvery is how often is looked at what other nodes have done.
	lookEvery = 100 * time.Millisecond
)

// Kinds of messages between the nodes of a radio; the subject is squelch.KIND.RADIO.
const (
	noteMessage     = "note"     // to the owner: a moment for the timeline
	announceMessage = "announce" // to all: an event for clients
	scriptMessage   = "script"   // to the owner: an event of a client for scripts
	linkMessage     = "link"     // to all: who has a link of this user?
)

func (m *member) subject(kind string) string { return "squelch." + kind + "." + m.r.name }

// listen takes the messages of other nodes.
func (m *member) listen() error {
	for kind, take := range map[string]nats.MsgHandler{noteMessage: m.noted, announceMessage: m.announced, scriptMessage: m.scripted, linkMessage: m.askedForLink} {
		s, err := m.node.Mesh.Log.Subscribe(m.subject(kind), take)
		if err != nil {
			return err
		}
		m.subs = append(m.subs, s)
	}
	return nil
}

// forward passes moments to the node that writes the timeline; nil: there is one node.
func (m *member) forward() func(core.Moment) {
	if m == nil {
		return nil
	}
	return func(x core.Moment) {
		select {
		case m.moments <- x:
		default:
			m.r.log.Warn("an entry of the timeline is lost: too many wait for the node that writes it", "kind", x.Kind)
		}
	}
}

// forwardAll tries each moment until the owner has it.
func (m *member) forwardAll() {
	for {
		select {
		case x := <-m.moments:
			m.forwardOne(x)
		case <-m.r.quit:
			return
		}
	}
}

func (m *member) forwardOne(x core.Moment) {
	data, err := json.Marshal(x)
	if err != nil {
		return
	}
	for end := time.Now().Add(forwardTime); time.Now().Before(end); {
		if m.has.Load() {
			m.r.timeline.Add(x)
			return
		}
		if _, err := m.node.Mesh.Log.Request(m.subject(noteMessage), data, askTime); err == nil {
			return
		}
		select {
		case <-time.After(forwardAgain):
		case <-m.r.quit:
			return
		}
	}
	m.r.log.Warn("an entry of the timeline is lost: no node writes it", "kind", x.Kind)
}

func (m *member) noted(msg *nats.Msg) {
	var x core.Moment
	if !m.has.Load() || json.Unmarshal(msg.Data, &x) != nil {
		return
	}
	m.r.timeline.Add(x)
	_ = msg.Respond(nil)
}

// announcement is an event for clients on its way to other nodes.
type announcement struct {
	From    string          `json:"from"`
	Name    string          `json:"name"`
	To      core.Audience   `json:"to"`
	Payload json.RawMessage `json:"payload"`
	// Scope restricts it to dispatchers with it; "": it does not.
	Scope wire.Scope `json:"scope,omitempty"`
}

// announce sends an event that is no fact of the radio to the clients of all nodes.
func (r *Radio) announce(m wire.Message) {
	r.hub.Announce(m)
	if r.member != nil {
		r.member.announce("", m)
	}
}

func (m *member) announce(scope wire.Scope, e wire.Message) {
	payload, err := json.Marshal(e.Payload)
	if err != nil {
		return
	}
	data, err := json.Marshal(announcement{m.node.Name(), e.Name, e.To, payload, scope})
	if err == nil {
		_ = m.node.Mesh.Log.Publish(m.subject(announceMessage), data)
	}
}

func (m *member) announced(msg *nats.Msg) {
	var a announcement
	if json.Unmarshal(msg.Data, &a) != nil || a.From == m.node.Name() {
		return
	}
	e := wire.Message{Name: a.Name, To: a.To, Payload: a.Payload}
	if a.Scope != "" {
		m.r.hub.AnnounceTo(a.Scope, e)
		return
	}
	m.r.hub.Announce(e)
}

// scriptEvent is an event of a client for the scripts, which run at the owner.
type scriptEvent struct {
	From core.UserID       `json:"from"`
	Name string            `json:"name"`
	Args []json.RawMessage `json:"args"`
}

// clientEvent passes an event of a client to the scripts; false: none wants it.
func (r *Radio) clientEvent(from core.UserID, name string, args []json.RawMessage) bool {
	m := r.member
	if m == nil || m.has.Load() {
		return r.scripts.ClientEvent(from, name, args)
	}
	data, err := json.Marshal(scriptEvent{from, name, args})
	if err != nil {
		return false
	}
	answer, err := m.node.Mesh.Log.Request(m.subject(scriptMessage), data, askTime)
	return err == nil && string(answer.Data) == "1"
}

func (m *member) scripted(msg *nats.Msg) {
	var e scriptEvent
	if !m.has.Load() || json.Unmarshal(msg.Data, &e) != nil {
		return
	}
	taken := "0"
	if m.r.scripts.ClientEvent(e.From, e.Name, e.Args) {
		taken = "1"
	}
	_ = msg.Respond([]byte(taken))
}

// linkAnswer is what a node says of a user's link.
type linkAnswer struct {
	Node    string `json:"node"`
	Answers bool   `json:"answers"`
}

// elsewhereOf is elsewhere; nil: there is one node.
func (m *member) elsewhereOf() func(context.Context, core.UserID) bool {
	if m == nil {
		return nil
	}
	return m.elsewhere
}

// elsewhere says whether another node has a link of a user that answers.
func (m *member) elsewhere(ctx context.Context, id core.UserID) bool {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	inbox := m.node.Mesh.Log.NewRespInbox()
	answers := make(chan *nats.Msg, 16)
	sub, err := m.node.Mesh.Log.ChanSubscribe(inbox, answers)
	if err != nil {
		return true
	}
	defer func() { _ = sub.Unsubscribe() }()
	data, _ := json.Marshal(id)
	if m.node.Mesh.Log.PublishRequest(m.subject(linkMessage), inbox, data) != nil {
		return true
	}
	said := map[string]bool{m.node.Name(): true}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		missing := false
		for _, n := range m.node.Nodes() {
			missing = missing || !said[n.Name]
		}
		if !missing {
			return false
		}
		select {
		case msg := <-answers:
			var a linkAnswer
			if json.Unmarshal(msg.Data, &a) != nil {
				continue
			}
			if a.Answers {
				return true
			}
			said[a.Node] = true
		case <-look.C:
		case <-ctx.Done():
			return true
		}
	}
}

func (m *member) askedForLink(msg *nats.Msg) {
	var id core.UserID
	if json.Unmarshal(msg.Data, &id) != nil {
		return
	}
	go func() { // a probe takes its time
		data, err := json.Marshal(linkAnswer{m.node.Name(), m.r.hub.Answers(id)})
		if err == nil {
			_ = msg.Respond(data)
		}
	}()
}

// nodes are where clients may go.
func (m *member) nodes() func() wire.Nodes {
	if m == nil {
		return nil
	}
	path := "" // the default radio is at the root of every node
	if name := m.r.Name(); name != config.MainRadio {
		path = "/r/" + name
	}
	return func() wire.Nodes {
		out := wire.Nodes{Self: m.node.Name()}
		for _, n := range m.node.Nodes() {
			if n.Name != out.Self && n.URL != "" && !n.Leaving {
				out.Nodes = append(out.Nodes, wire.NodeAddress{Name: n.Name, URL: n.URL + path})
			}
		}
		return out
	}
}

// follow takes what other nodes change of what is kept.
func (m *member) follow() {
	r := m.r
	m.kept.Sessions.Watch(func(key string, value []byte, removed bool) {
		ended, err := r.sessions.Follow(key, value, removed)
		if err != nil {
			r.log.Warn("a session of another node is not understood", "error", err)
		}
		if ended != "" {
			m.end(ended)
		}
	})
	m.kept.Accounts.Watch(func(key string, value []byte, removed bool) {
		if err := r.accounts.Follow(key, value, removed); err != nil {
			r.log.Warn("an account of another node is not understood", "error", err)
		}
	})
	m.kept.Config.Watch(func(string, []byte, bool) {
		go func() {
			if err := r.editor.Follow(); err != nil {
				r.log.Warn("live edits of another node are not understood", "error", err)
			}
		}()
	})
	m.kept.Timeline.Watch(func(number uint64, record []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		defer cancel()
		r.timeline.Follow(ctx, number, record)
	})
}

// end closes the sockets of a login or key that another node has ended.
func (m *member) end(owner string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		defer cancel()
		_, _ = m.r.hub.EndSession(ctx, owner)
	}()
}
