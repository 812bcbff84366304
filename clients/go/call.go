package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"squelch/core/wire"
)

// Params are the parameters of a route by their names, those of its path and those of its
// query.
type Params map[string]string

func (p Params) text(name, value string) {
	if value != "" {
		p[name] = value
	}
}

func (p Params) number(name string, value *int64) {
	if value != nil {
		p[name] = strconv.FormatInt(*value, 10)
	}
}

// File is a reply that is not JSON. The caller closes Body.
type File struct {
	Type string // media type
	Size int64  // in bytes; -1: unknown
	Body io.ReadCloser
}

// Do calls a route and returns its reply; [Client]'s methods do the same for each route of
// wire.Routes. body is marshalled as JSON, sent as it is if it is an io.Reader, and absent
// if it is nil. The error is a [*Refusal] if the service refuses.
func Do[Reply any](ctx context.Context, c *Client, route wire.Route, params Params, body any) (Reply, error) {
	var into Reply
	ctx, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	reply, err := c.send(ctx, route, params, body)
	if err != nil {
		return into, err
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(io.LimitReader(reply.Body, MaxReply+1))
	switch {
	case err != nil:
		return into, fmt.Errorf("%s %s: %w", route.Method, route.Path, err)
	case len(b) > MaxReply:
		return into, fmt.Errorf("%s %s: the reply has more than %d bytes", route.Method, route.Path, MaxReply)
	}
	if err := json.Unmarshal(b, &into); err != nil {
		return into, fmt.Errorf("%s %s: the reply is not what this version expects: %w", route.Method, route.Path, err)
	}
	return into, nil
}

// Open calls a route whose reply is a file.
func Open(ctx context.Context, c *Client, route wire.Route, params Params, body any) (*File, error) {
	reply, err := c.send(ctx, route, params, body)
	if err != nil {
		return nil, err
	}
	return &File{reply.Header.Get("Content-Type"), reply.ContentLength, reply.Body}, nil
}

// redirect calls a route that sends the caller elsewhere, and returns where.
func redirect(ctx context.Context, c *Client, route wire.Route, params Params, body any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	reply, err := c.send(ctx, route, params, body)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	return reply.Header.Get("Location"), nil
}

// send makes the request. Any status but the route's own is a refusal.
func (c *Client) send(ctx context.Context, route wire.Route, params Params, body any) (*http.Response, error) {
	path, err := fill(route.Path, params)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", route.Method, route.Path, err)
	}
	bases := c.nodes.bases(c.base)
	if _, once := body.(io.Reader); once {
		bases = bases[:1]
	}
	for i, base := range bases {
		reply, err := c.sendTo(ctx, base+path, route, body)
		if err != nil {
			if i < len(bases)-1 && ctx.Err() == nil && unreached(err) {
				continue
			}
			return nil, err
		}
		if reply.StatusCode != route.Status {
			defer reply.Body.Close()
			return nil, refusalOf(reply)
		}
		if i > 0 {
			c.nodes.moved(base)
		}
		return reply, nil
	}
	return nil, nil // there is always one
}

// sendTo makes the request at one node.
func (c *Client) sendTo(ctx context.Context, address string, route wire.Route, body any) (*http.Response, error) {
	content, kind, err := contentOf(route, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: body: %w", route.Method, route.Path, err)
	}
	r, err := http.NewRequestWithContext(ctx, route.Method, address, content)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("Accept", "application/json, */*;q=0.5")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.session != "" {
		r.Header.Set("X-Session-Id", c.session)
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the radio at %s://%s does not answer: %w", r.URL.Scheme, r.URL.Host, err)
	}
	return reply, nil
}

// fill puts the parameters into the path, and those that it does not name into the query.
func fill(path string, params Params) (string, error) {
	query := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		place := "{" + name + "}"
		if !strings.Contains(path, place) {
			query.Set(name, params[name])
			continue
		}
		if params[name] == "" {
			return "", fmt.Errorf("%s is empty", name)
		}
		path = strings.ReplaceAll(path, place, url.PathEscape(params[name]))
	}
	if _, rest, missing := strings.Cut(path, "{"); missing {
		name, _, _ := strings.Cut(rest, "}")
		return "", fmt.Errorf("%s is missing", name)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, nil
}

func contentOf(route wire.Route, body any) (content io.Reader, kind string, err error) {
	switch b := body.(type) {
	case nil:
		if route.Method == http.MethodGet {
			return nil, "", nil
		}
		return strings.NewReader("{}"), "application/json", nil
	case io.Reader:
		return b, route.Upload, nil
	default:
		text, err := json.Marshal(b)
		return bytes.NewReader(text), "application/json", err
	}
}
