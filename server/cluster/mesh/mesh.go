package mesh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options of Open.
type Options struct {
	Name   string // of the cluster
	Node   string // of this machine, unique in the cluster
	Secret string // shared by all nodes
	// Listen is the address and port on which other nodes are awaited, "": there are none;
	// Advertise is the address that they are told, "": the same.
	Listen, Advertise string
	// Routes are the addresses of other nodes; this node's own may be among them. One that
	// is alive is enough to find all the others.
	Routes []string
	Folder string // of JetStream's files
	// NATS is an existing NATS to use instead; then only Node counts of the above.
	NATS *NATS
	Logf func(format string, args ...any) // nil: dropped
}

// NATS is an existing NATS with JetStream.
type NATS struct {
	URLs  []string
	Creds string // file with credentials; "": none
}

// Accounts of the embedded NATS.
const (
	accountLog   = "LOG"
	accountVoice = "VOICE"
)

// Mesh is a node's place in the cluster.
type Mesh struct {
	Log    *nats.Conn // orders, and what must survive
	Voice  *nats.Conn // frames
	Stream jetstream.JetStream

	node   string
	server *server.Server // nil: an existing NATS is used
	log    *serverLog
	once   sync.Once
}

// Open starts NATS, or connects to it, and waits until the cluster has a majority.
func Open(ctx context.Context, o Options) (m *Mesh, err error) {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	m = &Mesh{node: o.Node}
	defer func() {
		if err != nil {
			m.Close()
			m = nil
		}
	}()
	if o.NATS != nil {
		return m, m.connectTo(ctx, o)
	}
	if err := m.embed(o); err != nil {
		return m, err
	}
	return m, m.join(ctx, o)
}

// embed starts the NATS server of this process.
func (m *Mesh) embed(o Options) error {
	options, err := o.server()
	if err != nil {
		return err
	}
	tune()
	if m.server, err = server.NewServer(options); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	m.log = &serverLog{logf: o.Logf}
	m.server.SetLoggerV2(m.log, false, false, false)
	m.server.Start()
	for end := time.Now().Add(startTime); !m.server.ReadyForConnections(100 * time.Millisecond); {
		if m.log.failure() == nil && time.Now().Before(end) {
			continue
		}
		return errors.Join(fmt.Errorf("cluster: NATS did not start on %s", o.Listen), m.log.failure())
	}
	for _, c := range []struct {
		to      **nats.Conn
		account string
	}{{&m.Log, accountLog}, {&m.Voice, accountVoice}} {
		word, err := password(o.Secret, c.account)
		if err != nil {
			return err
		}
		if *c.to, err = nats.Connect("", nats.InProcessServer(m.server), nats.Name("squelch "+o.Node), nats.UserInfo(c.account, word),
			nats.NoReconnect(), nats.ErrorHandler(complain(o.Logf)), only(c.account)); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	m.Stream, err = jetstream.New(m.Log, jetstream.WithDefaultTimeout(writeTimeout))
	return err
}

// server are the options of the embedded server. Its port for clients is on loopback and
// any free one, because NATS does not begin to make routes without it; the password that
// it wants is this process's.
func (o Options) server() (*server.Options, error) {
	if o.Listen == "" { // a node without others
		return o.alone()
	}
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("cluster.listen: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("cluster.listen: %q is no port", port)
	}
	secure, err := routeTLS(o.Secret)
	if err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: o.Node, Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: o.Folder, SyncAlways: true, JetStreamMaxStore: maxStore, JetStreamMaxMemory: maxMemory,
		MaxPayload: MaxPayload, MaxPending: maxPending,
		Cluster: server.ClusterOpts{Name: o.Name, Host: host, Port: number, Advertise: o.Advertise,
			TLSConfig: secure, TLSTimeout: 5, PinnedAccounts: []string{accountVoice}},
	}
	if err := o.accounts(options); err != nil {
		return nil, err
	}
	for _, route := range o.Routes {
		if _, _, err := net.SplitHostPort(route); err != nil {
			return nil, fmt.Errorf("cluster.routes: %q is not of the form HOST:PORT: %w", route, err)
		}
		options.Routes = append(options.Routes, &url.URL{Scheme: "nats-route", Host: route})
	}
	return options, nil
}

// alone are the options of a server without a cluster.
func (o Options) alone() (*server.Options, error) {
	options := &server.Options{ServerName: o.Node, DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: o.Folder, SyncAlways: true, JetStreamMaxStore: maxStore, JetStreamMaxMemory: maxMemory,
		MaxPayload: MaxPayload, MaxPending: maxPending}
	return options, o.accounts(options)
}

// accounts gives a server its accounts. They are read as a configuration, because only so
// does the one with streams have them from the start: a node that others already assign
// streams to would refuse them.
func (o Options) accounts(options *server.Options) error {
	log, err := password(o.Secret, accountLog)
	if err != nil {
		return err
	}
	voice, err := password(o.Secret, accountVoice)
	if err != nil {
		return err
	}
	var read server.Options
	if err := read.ProcessConfigString(fmt.Sprintf("accounts { %[1]s { jetstream: enabled, users: [ { user: %[1]s, password: %[2]q } ] }, %[3]s { users: [ { user: %[3]s, password: %[4]q } ] } }",
		accountLog, log, accountVoice, voice)); err != nil {
		return err
	}
	options.Accounts, options.Users = read.Accounts, read.Users
	return nil
}

// join waits for a majority, and lets this node keep streams.
func (m *Mesh) join(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	told := time.Now()
	for o.Listen != "" && !m.server.JetStreamIsCurrent() {
		if err := m.log.failure(); err != nil { // such as a port that is taken
			return fmt.Errorf("cluster: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cluster: no majority of the nodes was found within %s; routes are tried to %v", joinTime, o.Routes)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			o.Logf("warning: cluster: waiting for a majority of the nodes (routes: %v, connected: %d)", o.Routes, m.server.NumRoutes())
		}
	}
	return nil
}

// CatchUp waits until this node's copies of streams have what the others have. Until then this
// node is no replacement for another one: if that one dies, there may be no majority that has
// everything.
func (m *Mesh) CatchUp(ctx context.Context, streams ...string) error {
	if m.server == nil {
		return nil
	}
	for _, stream := range streams {
		for {
			caught, err := m.caughtUp(ctx, stream)
			if caught {
				break
			}
			select {
			case <-ctx.Done():
				return errors.Join(fmt.Errorf("stream %s: this node's copy is behind: %w", stream, ctx.Err()), err)
			case <-time.After(catchUpAgain):
			}
		}
	}
	return nil
}

// caughtUp asks the cluster whether a copy of a stream belongs here, which this node may not know
// yet, and then looks at the copy. A question that comes while the stream has no leader is not
// answered, so it does not wait for long.
func (m *Mesh) caughtUp(ctx context.Context, stream string) (bool, error) {
	try, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	s, err := m.Stream.Stream(try, stream)
	if err != nil {
		return false, err
	}
	c := s.CachedInfo().Cluster
	here := c != nil && (c.Leader == m.node || slices.ContainsFunc(c.Replicas, func(r *jetstream.PeerInfo) bool { return r.Name == m.node }))
	return !here || m.server.JetStreamIsStreamCurrent(accountLog, stream), nil
}

// connectTo connects to an existing NATS. Its clients come back by themselves.
func (m *Mesh) connectTo(ctx context.Context, o Options) (err error) {
	options := []nats.Option{nats.Name("squelch " + o.Node), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.ErrorHandler(complain(o.Logf))}
	if o.NATS.Creds != "" {
		options = append(options, nats.UserCredentials(o.NATS.Creds))
	}
	for _, c := range []struct {
		to      **nats.Conn
		account string
	}{{&m.Log, accountLog}, {&m.Voice, accountVoice}} {
		at := nats.GetDefaultOptions()
		at.Servers = o.NATS.URLs
		for _, option := range append(options, only(c.account)) {
			if err := option(&at); err != nil {
				return fmt.Errorf("nats: %w", err)
			}
		}
		if *c.to, err = at.Connect(); err != nil {
			return fmt.Errorf("nats: %v: %w", o.NATS.URLs, err)
		}
	}
	if m.Stream, err = jetstream.New(m.Log, jetstream.WithDefaultTimeout(writeTimeout)); err != nil {
		return err
	}
	if _, err := m.Stream.AccountInfo(ctx); err != nil {
		return fmt.Errorf("nats: %v has no JetStream: %w", o.NATS.URLs, err)
	}
	return nil
}

// Embedded says whether NATS runs in this process, and so dies with it.
func (m *Mesh) Embedded() bool { return m.server != nil }

// Peers is how many other nodes are connected; -1: an existing NATS knows.
func (m *Mesh) Peers() int {
	if m.server == nil {
		return -1
	}
	return m.server.NumRemotes()
}

// Members are the names of the nodes that JetStream counts, whether they are there or not, as
// the node knows that leads it; nil: this one does not.
func (m *Mesh) Members() (names []string) {
	if m.server == nil {
		return nil
	}
	is, err := m.server.Jsz(nil)
	if err != nil || is.Meta == nil || is.Meta.Leader != m.node {
		return nil
	}
	names = append(names, m.node)
	for _, r := range is.Meta.Replicas {
		names = append(names, r.Name)
	}
	return names
}

// Close ends the connections and the server.
func (m *Mesh) Close() {
	m.once.Do(func() {
		for _, c := range []*nats.Conn{m.Voice, m.Log} {
			if c != nil {
				c.Close()
			}
		}
		if m.server != nil {
			m.server.Shutdown()
			m.server.WaitForShutdown()
		}
	})
}

// only is what a connection has that the other has not. This node's own frames do not come back
// to it, and what cannot be sent at once is not kept until an existing NATS is there again: then
// it is too old to be heard.
func only(account string) nats.Option {
	return func(o *nats.Options) error {
		if account == accountVoice {
			o.NoEcho, o.ReconnectBufSize = true, -1
		}
		return nil
	}
}

func complain(logf func(string, ...any)) nats.ErrHandler {
	return func(_ *nats.Conn, s *nats.Subscription, err error) {
		if s != nil {
			logf("cluster: %s: %v", s.Subject, err)
			return
		}
		logf("cluster: %v", err)
	}
}
