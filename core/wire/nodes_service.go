//go:build !wasm

package wire

import "reflect"

// ServiceEvents is the table of what a service sends beside ServerEvents: it is about the
// service and not about the radio, so a simulation never does.
type ServiceEvents struct {
	Nodes Nodes `event:"nodes" doc:"Extension: the other nodes of a cluster, on connect and when they change. A client whose link breaks goes to one of them, with the same credentials, and asks for the id that it had; a service that is alone sends none"`
}

// Shapes of the nodes of a cluster.
type (
	// Nodes are where a client may go when its node is gone.
	Nodes struct {
		Self  string        `json:"self"`  // the name of the node that says this
		Nodes []NodeAddress `json:"nodes"` // the others that take clients
		// Leaving: this node ends all links now. The client goes to another one at once.
		Leaving bool `json:"leaving,omitempty"`
	}
	// NodeAddress is a node, with the address under which clients reach it: scheme and host,
	// such as https://b.example.org, and a path if it serves several radios.
	NodeAddress struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
)

// URLs are the addresses of the others.
func (n Nodes) URLs() []string {
	urls := make([]string, len(n.Nodes))
	for i, one := range n.Nodes {
		urls[i] = one.URL
	}
	return urls
}

// NodesEvent is the name of the event that carries Nodes.
var NodesEvent = reflect.TypeFor[ServiceEvents]().Field(0).Tag.Get("event")
