package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Options of NewClient. Guard is required.
type Options struct {
	Guard Guard
	Roots *x509.CertPool // nil: the machine's roots of trust
	// Redirects decides about each redirect, as http.Client.CheckRedirect does. Nil: none
	// is followed, and the answer that redirects is what the caller gets.
	Redirects func(to *http.Request, via []*http.Request) error
	Dial      time.Duration // bounds the look-up of the name with the connection, and TLS; 0: 10 s
	Wait      time.Duration // bounds the wait for an answer once the request is sent; 0: 10 s
	Idle      int           // connections that are kept for the next request; 0: 1
	Names     *net.Resolver // nil: the system's
}

const (
	// stepTime bounds each step on the way to an answer unless Options say otherwise: a
	// healthy receiver needs well under a second.
	stepTime = 10 * time.Second
	// maxHeader is the largest header of an answer, in bytes: as much as common web
	// servers let their own applications send.
	maxHeader = 64 << 10
	// idleTime is how long a connection without a request is kept.
	idleTime = time.Minute
)

// NewClient makes a client for one configured host. The caller bounds whole requests by
// their context, and reads answers up to a limit of its own.
func NewClient(o Options) *http.Client {
	if o.Dial == 0 {
		o.Dial = stepTime
	}
	if o.Wait == 0 {
		o.Wait = stepTime
	}
	if o.Idle == 0 {
		o.Idle = 1
	}
	if o.Redirects == nil {
		o.Redirects = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &http.Client{
		CheckRedirect: o.Redirects,
		Transport: &http.Transport{ // Proxy stays nil: a proxy would look names up where they cannot be checked
			DialContext: o.Guard.dial(o.Dial, o.Names), TLSClientConfig: &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: o.Dial, ResponseHeaderTimeout: o.Wait, MaxResponseHeaderBytes: maxHeader,
			DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConns: o.Idle, MaxIdleConnsPerHost: o.Idle, IdleConnTimeout: idleTime,
		},
	}
}

// Plain leaves out what net/http puts around an error: the method, and the whole URL,
// which may have a secret in it.
func Plain(err error) error {
	if within := (*Inside)(nil); errors.As(err, &within) {
		return within
	}
	if outside := (*Outside)(nil); errors.As(err, &outside) {
		return outside
	}
	if around := (*url.Error)(nil); errors.As(err, &around) {
		return around.Err
	}
	return err
}
