package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"squelch/server/cluster"
	"squelch/server/cluster/keep"
	"squelch/server/cluster/mesh"
	"squelch/server/cluster/mirror"
	"squelch/server/config"
	"squelch/server/host"
	"squelch/server/logs"
	"squelch/server/radio"
)

// clusterFolder is where a node of a cluster keeps its part of what the nodes share, in the
// data folder.
const clusterFolder = "cluster"

// clusterFlags are the flags of serve for a radio on several nodes; they override
// Config.cluster.
type clusterFlags struct {
	name, node, listen, advertise, url string
	routes, nats                       []string
	creds                              string
}

func addClusterFlags(fl *pflag.FlagSet, f *clusterFlags) {
	fl.StringVar(&f.name, "cluster", "", "share the radio with the other nodes of the cluster of this `name`; their secret is Config.cluster.secret or SQUELCH_CLUSTER_SECRET")
	fl.StringVar(&f.node, "node", "", "`name` of this node in its cluster; default: the machine's name")
	fl.StringVar(&f.listen, "cluster-listen", "", "`address` and port for the other nodes; default: :7790")
	fl.StringVar(&f.advertise, "cluster-advertise", "", "`address` and port that other nodes are told; default: that of --cluster-listen")
	fl.StringSliceVar(&f.routes, "routes", nil, "`addresses` of other nodes, HOST:PORT with commas between them; this node's own may be among them")
	fl.StringVar(&f.url, "node-url", "", "`URL` under which clients find this node; default: Config.serverAddress")
	fl.StringSliceVar(&f.nats, "nats", nil, "`URLs` of an existing NATS with JetStream, instead of one in each node")
	fl.StringVar(&f.creds, "nats-creds", "", "`file` with the credentials for --nats")
}

// override puts the flags over Config.cluster, and fills in what both leave out.
func (f *clusterFlags) override(s *config.ServerConfig) error {
	if s.Cluster == nil && f.name == "" {
		if f.node != "" || f.listen != "" || len(f.routes) > 0 || len(f.nats) > 0 {
			return usageError{errors.New("--node, --cluster-listen, --routes and --nats need --cluster NAME, or Config.cluster")}
		}
		return nil
	}
	if s.Cluster == nil {
		s.Cluster = &config.Cluster{Listen: fmt.Sprintf(":%d", config.DefaultClusterPort), Replicas: 3}
	}
	c := s.Cluster
	for _, o := range []struct {
		from string
		to   *string
	}{{f.name, &c.Name}, {f.node, &c.Node}, {f.listen, &c.Listen}, {f.advertise, &c.Advertise}, {f.url, &c.URL}} {
		*o.to = cmp.Or(o.from, *o.to)
	}
	if len(f.routes) > 0 {
		c.Routes = f.routes
	}
	if len(f.nats) > 0 {
		c.NATS = &config.NATS{URLs: f.nats, Creds: f.creds}
	}
	c.Node = cmp.Or(c.Node, config.HostNode())
	c.URL = strings.TrimRight(cmp.Or(c.URL, s.Address), "/")
	for flag, name := range map[string]string{"--cluster": c.Name, "--node": c.Node} {
		if !config.ClusterName(name) {
			return usageError{fmt.Errorf("%s: %q is no name of letters, digits and hyphens, such as radio-1", flag, name)}
		}
	}
	at := []struct{ flag, address string }{{"--cluster-listen", c.Listen}, {"--cluster-advertise", c.Advertise}}
	for _, route := range c.Routes {
		at = append(at, struct{ flag, address string }{"--routes", route})
	}
	for _, a := range at {
		if a.address != "" && !config.HostPort(a.address) {
			return usageError{fmt.Errorf("%s: %q is no address and port such as 10.0.0.1:%d", a.flag, a.address, config.DefaultClusterPort)}
		}
	}
	if u, err := url.Parse(c.URL); err != nil || c.URL != "" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usageError{fmt.Errorf("--node-url: %q is not of the form https://b.example.org", c.URL)}
	}
	return nil
}

// join makes this process a node of its cluster; nil: it is alone.
func (s *service) join(ctx context.Context) (*cluster.Node, error) {
	c := s.loaded.Server.Cluster
	if c == nil {
		return nil, nil
	}
	if c.NATS == nil && len(c.Secret) == 0 {
		return nil, errors.New("the cluster has no secret: set Config.cluster.secret or SQUELCH_CLUSTER_SECRET to the same text on all nodes, such as what openssl rand -hex 32 prints")
	}
	if c.NATS == nil && len(c.Secret) < config.MinClusterSecret {
		return nil, fmt.Errorf("the secret of the cluster has %d characters and needs at least %d: whoever knows it can do everything", len(c.Secret), config.MinClusterSecret)
	}
	o := mesh.Options{Name: c.Name, Node: c.Node, Secret: c.Secret, Listen: c.Listen, Advertise: c.Advertise, Routes: c.Routes, Folder: filepath.Join(s.data, clusterFolder)}
	if c.NATS != nil {
		o.NATS = &mesh.NATS{URLs: c.NATS.URLs, Creds: c.NATS.Creds}
	}
	s.log.Info("joining the cluster", "name", c.Name, "node", c.Node, "routes", strings.Join(c.Routes, " "))
	return cluster.Join(ctx, cluster.NodeOptions{Mesh: o, Build: buildVersion(), URL: c.URL, Replicas: c.Replicas, Strict: c.Strict, Recorder: c.Recorder, Logf: logs.Printf(s.log.Logger, logs.Info)})
}

// asideName begins the names of folders in the data folder to which goes what a cluster does
// not have.
const asideName = "before-cluster-"

// share opens what the nodes of the cluster keep of a radio, and has what changes there
// copied to this node's data folder. A new cluster takes over what is in one of the data
// folders of its nodes.
func (s *service) share(ctx context.Context, h *host.Host, node *cluster.Node) (*radio.Storage, *mirror.Mirror, error) {
	c := s.loaded.Server.Cluster
	logf := logs.Printf(s.log.Logger, logs.Info)
	shared, err := mirror.Join(ctx, mirror.JoinOptions{Keep: node.Keep, Radio: config.MainRadio, Node: node.Name(), Local: mirror.OnStore(h.Store()),
		Open: func(ctx context.Context) (*keep.Radio, error) {
			return node.Radio(ctx, config.MainRadio, s.loaded.Server.Limits.TransmissionLog)
		},
		Alive: func() (names []string) {
			for _, n := range node.Nodes() {
				names = append(names, n.Name)
			}
			return names
		},
		Expect: max(c.Replicas, len(c.Routes)), Wait: mirror.SeedTime, Logf: logf})
	if err != nil {
		return nil, nil, err
	}
	begins, err := mirror.Beginning(ctx, mirror.OnKeep(shared), mirror.OnStore(h.Store()))
	if err != nil {
		return nil, nil, err
	}
	if !begins {
		aside := filepath.Join(s.data, asideName+time.Now().UTC().Format("20060102-150405"))
		s.log.Warn("this node's data folder holds another radio than the cluster, or a history that has parted from the cluster's: it is set aside, and a copy of the cluster's takes its place", "folder", aside)
		if open, err := h.SetAside(ctx, aside); !open {
			return nil, nil, err
		} else if err != nil {
			s.log.Warn("this node's data folder could not be set aside: what the nodes share is not copied to this node's data folder, so a backup made here is not one of the cluster", "error", err)
			return radio.OnKeep(shared), nil, nil
		}
	}
	return radio.OnKeep(shared), mirror.Start(mirror.Options{From: mirror.OnKeep(shared), To: mirror.OnStore(h.Store()), Logf: logf,
		Warnf: func(format string, args ...any) { s.log.Warn(fmt.Sprintf(format, args...)) }}), nil
}
