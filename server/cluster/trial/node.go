package trial

import (
	"context"
	"fmt"
	"time"

	"squelch/core"
	"squelch/server/cluster"
	"squelch/server/cluster/mesh"
)

// NodeOptions of Start. Name, Listen, Routes and Folder are required.
type NodeOptions struct {
	Name   string   `json:"name"`
	Listen string   `json:"listen"`
	Routes []string `json:"routes"`
	// Advertise is the address that other nodes are told, "": Listen.
	Advertise string `json:"advertise,omitempty"`
	Folder    string `json:"folder"`
	Build     string `json:"build,omitempty"`
	Strict    bool   `json:"strict,omitempty"`
	Slow      int    `json:"slow,omitempty"` // see lease.Options
	// NATS is an existing NATS with one server; nil: it runs in each node.
	NATS *mesh.NATS `json:"nats,omitempty"`
	// Ahead is how far the machine's clock goes wrong.
	Ahead time.Duration `json:"ahead,omitempty"`
	// StoreDelay is how long the disk takes for each write, on top.
	StoreDelay time.Duration                    `json:"storeDelay,omitempty"`
	Logf       func(format string, args ...any) `json:"-"`
}

// Node is a node of a cluster.
type Node struct {
	*cluster.Node
	o NodeOptions
}

// Start joins a cluster. It waits for a majority of the nodes.
func Start(ctx context.Context, o NodeOptions) (*Node, error) {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	replicas := 3
	if o.NATS != nil {
		replicas = 1
	}
	n, err := cluster.Join(ctx, cluster.NodeOptions{Build: o.Build, Replicas: replicas, Strict: o.Strict, Slow: o.Slow, Logf: o.Logf,
		Mesh: mesh.Options{Name: "trial", Node: o.Name, Secret: "of the trial", Listen: o.Listen, Advertise: o.Advertise, Routes: o.Routes, Folder: o.Folder, NATS: o.NATS}})
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", o.Name, err)
	}
	return &Node{n, o}, nil
}

// Three starts three nodes in this process; edits change their options.
func Three(ctx context.Context, routes, folders []string, logf func(string, ...any), edits ...func(o *NodeOptions)) ([]*Node, error) {
	type started struct {
		n   *Node
		err error
	}
	var waits []chan started
	for i := range routes {
		done := make(chan started, 1)
		waits = append(waits, done)
		go func() {
			o := NodeOptions{Name: fmt.Sprint("n", i), Listen: routes[i], Routes: routes, Folder: folders[i], Logf: logf}
			for _, edit := range edits {
				edit(&o)
			}
			n, err := Start(ctx, o)
			done <- started{n, err}
		}()
	}
	var nodes []*Node
	var failed error
	for _, done := range waits {
		s := <-done
		if s.err != nil {
			failed = s.err
			continue
		}
		nodes = append(nodes, s.n)
	}
	if failed != nil {
		for _, n := range nodes {
			n.Close()
		}
		return nil, failed
	}
	return nodes, nil
}

// Frequency is that of a channel of Config.
func Frequency(channel int) core.Frequency {
	return core.Frequency(150_000_000 + channel*12_500)
}

// Config is a radio with so many channels.
func Config(channels int) core.Config {
	c := core.DefaultConfig()
	z := core.Zone{Name: "All"}
	for i := range channels {
		z.Channels = append(z.Channels, core.Channel{Name: fmt.Sprint("Ch ", i), Type: core.Conventional, Frequency: Frequency(i)})
	}
	c.Zones = []core.Zone{z}
	return c
}
