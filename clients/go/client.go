package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Client speaks with one radio. Its methods may be called from any goroutine.
type Client struct {
	base    string // of New, without a slash at its end
	nodes   nodes
	token   string // the bearer
	session string // the id of a session that the token belongs to; "": none
	http    *http.Client
	own     *http.Transport // nil: the caller's own HTTP client is used
}

// Option is one of [Key], [Session] and [HTTP].
type Option func(*Client)

// Key gives the API key. The master token and a player's token go the same way.
func Key(key string) Option { return func(c *Client) { c.token = key } }

// Session gives a dispatcher's session instead of a key, as [Client.PostDispatchAuth]
// returns it.
func Session(token, id string) Option {
	return func(c *Client) { c.token, c.session = token, id }
}

// HTTP makes REST calls go through h, for a proxy or certificates of one's own. Redirects
// are never followed.
func HTTP(h *http.Client) Option {
	return func(c *Client) {
		own := *h
		c.http, c.own = &own, nil
	}
}

// New makes a client for the radio at address, such as http://127.0.0.1:7777 or, where a host
// has several radios, https://radio.example.org/r/county. It does not connect. Without a key only what is open to everybody can be asked.
func New(address string, options ...Option) (*Client, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("address %q is not a URL: expected one like http://127.0.0.1:7777", address)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("address %q does not begin with http:// or https://: try http://%s", address, nearest(address))
	case u.Host == "":
		return nil, fmt.Errorf("address %q names no host: expected one like http://127.0.0.1:7777", address)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("address %q has more than scheme, host and path: try %s://%s%s", address, u.Scheme, u.Host, u.Path)
	}
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.ResponseHeaderTimeout = CallTime
	base := u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
	c := &Client{base: base, nodes: nodes{present: base}, http: &http.Client{Transport: own}, own: own}
	for _, o := range options {
		o(c)
	}
	if strings.ContainsFunc(c.token+c.session, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("key has a space or a character outside ASCII: expected sqk_ and 43 letters and digits, as the administration showed it")
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// nearest is the host that was probably meant.
func nearest(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = strings.TrimLeft(address, "/")
	}
	if rest == "" {
		return "127.0.0.1:7777"
	}
	return rest
}

// Close ends the idle connections of REST calls. Links have a Close of their own.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}
