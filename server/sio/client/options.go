package client

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits and timeouts of the client.
const (
	// DefaultReconnectDelay and DefaultReconnectDelayMax bound the pause before
	// the next try; it doubles each time (socket.io-client's own defaults).
	DefaultReconnectDelay    = time.Second
	DefaultReconnectDelayMax = 5 * time.Second
	// DefaultJitter is the share by which a pause is made longer or shorter at
	// random (socket.io-client's randomizationFactor).
	DefaultJitter = 0.5
	// DefaultConnectTimeout is how long dialling and both handshakes may take
	// together (socket.io-client's own default).
	DefaultConnectTimeout = 20 * time.Second
	// DefaultMaxPayload is the largest message accepted, in bytes.
	DefaultMaxPayload = 16 << 20

	// writeTimeout is how long one message may take to leave.
	writeTimeout = 10 * time.Second
	// goodbyeTimeout is how long the server may take to confirm the end.
	goodbyeTimeout = 2 * time.Second
	// maxBuffered is how many events wait while there is no connection.
	maxBuffered = 1000
	// maxQueued is how many callbacks may wait before reading pauses.
	maxQueued = 1024
	// maxAttachmentBytes bounds the attachments of one event.
	maxAttachmentBytes = 64 << 20
)

// defaultPath is where Socket.IO servers are.
const defaultPath = "/socket.io/"

// Options configures a [Client].
type Options struct {
	// URL is the server, as http, https, ws or wss. A path is the namespace.
	URL string
	// Path is the Socket.IO path; empty: /socket.io/.
	Path string
	// Auth makes the auth object of every connect, a JSON object; nil: none.
	Auth func() any
	// Header is sent with the handshake.
	Header http.Header
	// TLS is used for https and wss; nil: the system's.
	TLS *tls.Config
	// NoReconnect turns reconnecting off.
	NoReconnect bool
	// ReconnectDelay, ReconnectDelayMax and Jitter shape the pauses. A negative
	// Jitter turns it off.
	ReconnectDelay, ReconnectDelayMax time.Duration
	Jitter                            float64
	// ConnectTimeout is how long a connect may take.
	ConnectTimeout time.Duration
	// MaxPayload is the largest message accepted in bytes.
	MaxPayload int

	// OnConnect is called after every connect; recovered: nothing was missed.
	OnConnect func(recovered bool)
	// OnConnectError is called for every failed try: with a *ConnectError if the server
	// refused, after which the client does not try again by itself.
	OnConnectError func(error)
	// OnDisconnect is called when a connection that OnConnect has reported is lost.
	OnDisconnect func(reason string)
	// OnEvent takes every event.
	OnEvent func(Event)
}

// ConnectError is the server's refusal.
type ConnectError struct {
	Message string `json:"message"`
	Data    []byte `json:"-"` // raw JSON; nil: none
}

func (e *ConnectError) Error() string { return "socket.io: refused: " + e.Message }

// At gives the URL and Path of a service at an address that may have a path, such as
// https://radio.example.org/r/county: there its Socket.IO is below the path, which is no
// namespace.
func At(address string) (server, path string) {
	u, err := url.Parse(address)
	if err != nil {
		return address, "" // New says what is wrong
	}
	path = strings.TrimRight(u.Path, "/") + "/socket.io/"
	u.Path, u.RawPath = "", ""
	return u.String(), path
}

// target is the websocket address and the namespace.
func (o *Options) target() (address, namespace string, err error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return "", "", fmt.Errorf("client: URL: %w", err)
	}
	switch u.Scheme {
	case "http", "ws":
		u.Scheme = "ws"
	case "https", "wss":
		u.Scheme = "wss"
	default:
		return "", "", fmt.Errorf("client: URL: scheme %q is not http, https, ws or wss", u.Scheme)
	}
	if u.Host == "" {
		return "", "", errors.New("client: URL: host missing")
	}
	namespace = strings.TrimSuffix(u.Path, "/")
	if namespace == "" {
		namespace = "/"
	}
	if u.Path = o.Path; u.Path == "" {
		u.Path = defaultPath
	}
	q := u.Query()
	q.Set("EIO", "4")
	q.Set("transport", "websocket")
	u.RawQuery = q.Encode()
	return u.String(), namespace, nil
}

// other is the address of another server, for the same namespace.
func (o *Options) other(base string) (address string, ok bool) {
	u, err := url.Parse(base)
	own, _ := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") || secure(own.Scheme) && !secure(u.Scheme) {
		return "", false
	}
	prefix := strings.TrimSuffix(u.Path, "/")
	u.Path, u.RawQuery, u.Fragment = "", "", ""
	there := Options{URL: u.String(), Path: prefix + o.last()}
	address, _, err = there.target()
	return address, err == nil
}

// last is the part of the path that is Socket.IO's. What is before it is the server's, and
// belongs to its address (At).
func (o *Options) last() string {
	if strings.HasSuffix(o.Path, defaultPath) {
		return defaultPath
	}
	return cmp.Or(o.Path, defaultPath)
}

func secure(scheme string) bool { return scheme == "https" || scheme == "wss" }

// base is the URL of a server whose address is known.
func (o *Options) base(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return o.URL
	}
	u.Scheme = strings.Replace(u.Scheme, "ws", "http", 1)
	u.Path, u.RawQuery = strings.TrimSuffix(u.Path, o.last()), ""
	return u.String()
}

func (o Options) withDefaults() Options {
	if o.ReconnectDelay <= 0 {
		o.ReconnectDelay = DefaultReconnectDelay
	}
	if o.ReconnectDelayMax <= 0 {
		o.ReconnectDelayMax = max(DefaultReconnectDelayMax, o.ReconnectDelay)
	}
	if o.Jitter == 0 {
		o.Jitter = DefaultJitter
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.MaxPayload <= 0 {
		o.MaxPayload = DefaultMaxPayload
	}
	return o
}

// pause is how long to wait before try n, counted from 0.
func (o *Options) pause(n int) time.Duration {
	d := o.ReconnectDelay
	for ; n > 0 && d < o.ReconnectDelayMax; n-- {
		d *= 2
	}
	d = min(d, o.ReconnectDelayMax)
	if o.Jitter > 0 {
		d += time.Duration((2*rand.Float64() - 1) * o.Jitter * float64(d))
	}
	return max(d, 0)
}
