package client_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	client "squelch/clients/go"
	"squelch/core/wire"
)

// golden reads what the tests of core/wire know of the service, by route.
func golden(t *testing.T, file, value string) map[string]json.RawMessage {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "core", "wire", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]json.RawMessage{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		var line map[string]json.RawMessage
		var route string
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(line["route"], &route) == nil && all[route] == nil {
			all[route] = line[value]
		}
	}
	if err := s.Err(); err != nil || len(all) < 20 {
		t.Fatalf("%s has %d routes (%v)", file, len(all), err)
	}
	return all
}

// same compares JSON by its meaning.
func same(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// TestEveryRouteHasItsMethod calls the method of each route, by its operationId, on a server
// that answers as the real one does in its golden files. The method must ask for that
// route, send the body and the parameters that it was given, and return the whole reply.
func TestEveryRouteHasItsMethod(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var sent []byte
	status, answer := 0, []byte(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, client.Session("token", "id"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ids, bodies, replies := operationIDs(t), golden(t, "requests.jsonl", "body"), golden(t, "replies.golden.jsonl", "reply")
	for _, r := range wire.Routes {
		route := r.Method + " " + r.Path
		method := reflect.ValueOf(c).MethodByName(strings.ToUpper(ids[route][:1]) + ids[route][1:])
		if !method.IsValid() {
			t.Errorf("%s has no method %s", route, ids[route])
			continue
		}
		body := bodies[route]
		if r.Upload != "" {
			body = []byte(`"zip"`)
		}
		if r.Body != nil && body == nil {
			t.Fatalf("%s has no golden body", route)
		}
		if status, answer = r.Status, replies[route]; r.Reply == nil {
			answer = []byte("file of " + route)
		} else if answer == nil {
			t.Fatalf("%s has no golden reply", route)
		}
		args, query := arguments(t, method.Type(), body)
		out := method.Call(args)
		if err, _ := out[len(out)-1].Interface().(error); err != nil {
			t.Errorf("%s: %v", route, err)
			continue
		}
		if path := strings.NewReplacer("{file}", "a%20b").Replace(r.Path); got.Method != r.Method || got.URL.EscapedPath() != path || got.URL.RawQuery != query {
			t.Errorf("%s asked for %s %s", route, got.Method, got.URL)
		}
		if got.Header.Get("Authorization") != "Bearer token" || got.Header.Get("X-Session-Id") != "id" {
			t.Errorf("%s had the credentials %v", route, got.Header)
		}
		if !sends(t, r, sent, body) {
			t.Errorf("%s sent %s, not %s", route, sent, body)
		}
		switch value := out[0].Interface().(type) {
		case *client.File:
			b, err := io.ReadAll(value.Body)
			if value.Body.Close() != nil || err != nil || !bytes.Equal(b, answer) {
				t.Errorf("%s returned %q (%v)", route, b, err)
			}
		case string:
			if value != "/elsewhere" {
				t.Errorf("%s leads to %q", route, value)
			}
		case nil: // the error of a route that replies with nothing else
		default:
			if b, err := json.Marshal(value); err != nil || !same(b, answer) {
				t.Errorf("%s returned\n%s, not\n%s (%v)", route, b, answer, err)
			}
		}
	}
}

// operationIDs are those of the OpenAPI document, by route.
func operationIDs(t *testing.T) map[string]string {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(wire.OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			ids[strings.ToUpper(method)+" "+path] = op.OperationID
		}
	}
	return ids
}

// arguments makes those of a method: the context, a path parameter, a full query or none,
// the body. query is what the full query looks like.
func arguments(t *testing.T, method reflect.Type, body []byte) (args []reflect.Value, query string) {
	t.Helper()
	args = append(args, reflect.ValueOf(t.Context()))
	for i := 1; i < method.NumIn(); i++ {
		typ := method.In(i)
		v := reflect.New(typ).Elem()
		switch {
		case typ.Kind() == reflect.String:
			v.SetString("a b")
		case typ == reflect.TypeFor[io.Reader]():
			v.Set(reflect.ValueOf(bytes.NewReader(body)))
		case strings.HasSuffix(typ.Name(), "Query"):
			query = fill(v)
		default:
			if err := json.Unmarshal(body, v.Addr().Interface()); err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
		}
		args = append(args, v)
	}
	return args, query
}

// fill sets every parameter, numbers to 0: a number that is given is sent.
func fill(v reflect.Value) string {
	params := map[string]string{}
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name = strings.ToLower(name[:1]) + name[1:]; strings.ToUpper(name[1:]) == name[1:] { // JS
			name = strings.ToLower(name)
		}
		if f := v.Field(i); f.Kind() == reflect.String {
			f.SetString("x")
			params[name] = "x"
		} else {
			f.Set(reflect.ValueOf(new(int64)))
			params[name] = "0"
		}
	}
	var pairs []string
	for _, name := range wire.SortedKeys(params) {
		pairs = append(pairs, name+"="+params[name])
	}
	return strings.Join(pairs, "&")
}

// sends says whether the service reads the same from what was sent as from body.
func sends(t *testing.T, r wire.Route, sent, body []byte) bool {
	t.Helper()
	switch {
	case r.Upload != "":
		return bytes.Equal(sent, body)
	case r.Body == nil && r.Method == http.MethodGet:
		return len(sent) == 0
	case r.Body == nil:
		return string(sent) == "{}"
	}
	a, b := reflect.New(reflect.TypeOf(r.Body)), reflect.New(reflect.TypeOf(r.Body))
	if err := wire.Decode(body, b.Interface()); err != nil {
		t.Fatal(err)
	}
	return wire.Decode(sent, a.Interface()) == nil && sameBody(a.Interface(), b.Interface())
}

// sameBody compares bodies. What is kept of them as JSON is compared by its meaning, or not
// at all if it repeats the fields.
func sameBody(a, b any) bool {
	for _, body := range []any{a, b} {
		if list, is := body.(*wire.GamePlayers); is {
			for i := range list.Players {
				list.Players[i].Body = nil
			}
		}
	}
	x, is := a.(*wire.GameDo)
	if !is {
		return reflect.DeepEqual(a, b)
	}
	y := b.(*wire.GameDo)
	if len(x.Requests) != len(y.Requests) {
		return false
	}
	for i := range x.Requests {
		p, q := x.Requests[i], y.Requests[i]
		if p.ID != q.ID || p.Do != q.Do || !same(p.Args, q.Args) {
			return false
		}
	}
	return true
}

// TestDoSaysWhatIsWrong: errors before and after the call name what they are about.
func TestDoSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	var status int
	var retry, text string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", retry)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	c, err := client.New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for _, x := range []struct {
		status             int
		retry, text, error string
	}{
		{429, "7", `{"success":false,"error":"Too many requests"}`, "Too many requests (429)"},
		{502, "", "the proxy is down\n", "the proxy is down (502)"},
		{404, "", "", "Not Found (404)"},
		{302, "", "", "Found (302)"},
		{200, "", "<html>", "GET /api/health: the reply is not what this version expects: "},
	} {
		status, retry, text = x.status, x.retry, x.text
		_, err := c.GetHealth(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), x.error) {
			t.Errorf("status %d: the error is %v, not %q", x.status, err, x.error)
		}
	}
	if _, err := c.GetTonesFile(t.Context(), ""); err == nil || err.Error() != "GET /radio/tones/{file}: file is empty" {
		t.Errorf("an empty file: %v", err)
	}
	_, err = client.Do[wire.Success](t.Context(), c, wire.Route{Method: "GET", Path: "/radio/tones/{file}"}, nil, nil)
	if err == nil || err.Error() != "GET /radio/tones/{file}: file is missing" {
		t.Errorf("no file: %v", err)
	}
	status = 200
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.GetHealth(stopped); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                         `address "" does not begin with http:// or https://: try http://127.0.0.1:7777`,
		"radio.example:7777":       `address "radio.example:7777" does not begin with http:// or https://: try http://radio.example:7777`,
		"ws://radio.example":       `address "ws://radio.example" does not begin with http:// or https://: try http://radio.example`,
		"http://":                  `address "http://" names no host`,
		"http://a:b@radio.example": `address "http://a:b@radio.example" has more than scheme, host and path: try http://radio.example`,
	} {
		if _, err := client.New(address); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: the error is %v, not %q", address, err, want)
		}
	}
	if _, err := client.New("http://radio.example/", client.Key("sqk_abc\n")); err == nil || !strings.HasPrefix(err.Error(), "key has a space") {
		t.Errorf("a key with a newline: %v", err)
	}
}
