package config

import (
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Cluster is what the file says about the other nodes that share the radio.
type Cluster struct {
	Name      string   // of the cluster
	Node      string   // of this machine; default: its host name
	Listen    string   // address and port for other nodes
	Advertise string   // the address that others are told; "": the same
	Routes    []string // addresses of other nodes, HOST:PORT
	Secret    string   // that all nodes share
	URL       string   // where clients find this node; "": serverAddress
	Recorder  string   // the node that records; "": the one that owns the radio
	Replicas  int      // on how many nodes is kept what must survive
	Strict    bool     // wait for the end of a lease in any case
	NATS      *NATS    // an existing NATS; nil: it runs in each node
}

// NATS is an existing NATS.
type NATS struct {
	URLs  []string
	Creds string // file with credentials; "": none
}

// DefaultClusterPort is the port for other nodes.
const DefaultClusterPort = 7790

// MinClusterSecret is the least length of the secret of a cluster, in bytes: whoever has it
// reads and decides everything.
const MinClusterSecret = 16

var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,62}$`)

// ClusterName says whether a text may be the name of a node or a cluster.
func ClusterName(text string) bool { return nodeName.MatchString(text) }

// HostNode is the name of this machine as the name of a node.
func HostNode() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

func (r *reader) cluster(v value, folder string) *Cluster {
	if v.none() || v.v == lua.LFalse || !v.table() {
		return nil
	}
	v.known("name", "node", "listen", "advertise", "routes", "secret", "url", "recorder", "replicas", "strict", "nats")
	c := &Cluster{Name: strings.TrimSpace(v.get("name").text("squelch")), Node: strings.TrimSpace(v.get("node").text("")), Listen: v.get("listen").hostPort(":" + strconv.Itoa(DefaultClusterPort)),
		Advertise: v.get("advertise").hostPort(""), Secret: strings.TrimSpace(v.get("secret").text("")), URL: v.get("url").address(), Recorder: strings.TrimSpace(v.get("recorder").text("")),
		Replicas: int(v.get("replicas").whole(3, 1, 5)), Strict: v.get("strict").flag(false)}
	for _, route := range v.get("routes").scalars() {
		switch at := route.hostPort(""); {
		case at == "":
		case slices.Contains(c.Routes, at):
			r.warnAs(Ignored, "cluster.routes "+at, route.path, "%s is there twice: each node has an address of its own", at)
		default:
			c.Routes = append(c.Routes, at)
		}
	}
	for _, name := range []struct {
		key, text string
	}{{"name", c.Name}, {"node", c.Node}, {"recorder", c.Recorder}} {
		if name.text != "" && !ClusterName(name.text) {
			v.get(name.key).wrong("a name of letters, digits and hyphens, such as radio-1")
		}
	}
	if c.Replicas%2 == 0 {
		v.get("replicas").wrong("1, 3 or 5")
	}
	if n := v.get("nats"); !n.none() && n.table() {
		n.known("urls", "creds")
		c.NATS = &NATS{Creds: strings.TrimSpace(n.get("creds").text(""))}
		if folder != "" {
			c.NATS.Creds = beside(folder, c.NATS.Creds)
		}
		for _, u := range n.get("urls").scalars() {
			c.NATS.URLs = append(c.NATS.URLs, strings.TrimSpace(u.text("")))
		}
		if len(c.NATS.URLs) == 0 {
			n.wrong("a table with urls, such as { urls = { \"nats://10.0.0.5:4222\" } }")
		}
		if len(c.Routes) > 0 {
			r.warnAs(Ignored, "cluster.routes", field(v.path, "routes"), "have no effect with nats: the nodes meet there")
		}
		return c
	}
	if s := v.get("secret"); c.Secret != "" && len(c.Secret) < MinClusterSecret {
		s.wrong("at least " + strconv.Itoa(MinClusterSecret) + " characters: whoever knows it can do everything")
	}
	return c
}

// hostPort reads an address with a port.
func (v value) hostPort(standard string) string {
	text := strings.TrimSpace(v.text(standard))
	if text == "" {
		return ""
	}
	if !HostPort(text) {
		v.wrong("an address and port such as 10.0.0.1:" + strconv.Itoa(DefaultClusterPort))
		return standard
	}
	return text
}

// HostPort says whether a text is an address with a port.
func HostPort(text string) bool {
	_, port, err := net.SplitHostPort(text)
	n, wrong := strconv.Atoi(port)
	return err == nil && wrong == nil && n >= 1 && n <= 65535
}
