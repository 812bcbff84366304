// Package loopback finds free addresses of this machine for nodes that find each other by them.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports are taken from below those that systems give to whoever wants any (from 32768 on),
// because a node comes back to its own.
const (
	firstPort = 20_000
	lastPort  = 31_999
	portTries = 1000
)

// Ports are free addresses on loopback.
func Ports(n int) (all []string, err error) {
	for range portTries {
		if len(all) == n {
			return all, nil
		}
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", firstPort+rand.IntN(lastPort-firstPort+1)))
		if err != nil {
			continue
		}
		defer func() { _ = l.Close() }()
		all = append(all, l.Addr().String())
	}
	return nil, errors.New("there are no free ports")
}
