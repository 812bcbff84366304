package transcribe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"squelch/server/internal/testwhisper"
)

// client is what the radio uses, but for the addresses that it may connect to.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{ResponseHeaderTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestTheServerOfWhisper(t *testing.T) {
	t.Parallel()
	url := testwhisper.Start(t)
	wav, err := wave(bytes.NewReader(recorded(t, 75, 0)), maxVoice)
	if err != nil {
		t.Fatal(err)
	}
	file := File{"tx-7-1700000000000.wav", "audio/wav", wav}
	refusal := (*Refusal)(nil)
	for _, c := range []struct {
		name   string
		field  string
		fields [][2]string
		file   File
		text   string
		err    string
		final  bool
	}{
		{"a recording", "file", [][2]string{{"language", "de"}, {"response_format", "json"}}, file, " I hear 1493 milliseconds.\n In de.\n", "", false},
		{"without more fields", "file", nil, file, " I hear 1493 milliseconds.\n In en.\n", "", false},
		{"as text", "file", [][2]string{{"response_format", "text"}}, file, "", `it answers "text/html; charset=utf-8", expected application/json with "text", or text/plain`, false},
		{"another field", "audio", nil, file, "", "it answers 400 Bad Request", true},
		{"Ogg", "file", nil, File{"tx-7-1700000000000.ogg", "audio/ogg", recorded(t, 75, 0)}, "", `it answers 400 Bad Request: {"error":"failed to read audio data: no WAV"}`, true},
	} {
		e := &Endpoint{URL: url, Field: c.field, Fields: c.fields, Client: client(t)}
		got, err := e.Transcribe(t.Context(), c.file)
		if got != c.text || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || errors.As(err, &refusal) != c.final) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestWhatServersAnswer: none of it does more harm than to lose its own text.
func TestWhatServersAnswer(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") }))
	defer elsewhere.Close()
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		text  string
		err   string
		final bool
	}{
		{"JSON", answer(200, "application/json; charset=utf-8", `{"text":" Shots fired.\n","language":"en"}`), " Shots fired.\n", "", false},
		{"text", answer(200, "text/plain", "Shots fired."), "Shots fired.", "", false},
		{"nothing said", answer(200, "application/json", `{"text":""}`), "", "", false},
		{"an error with status 200", answer(200, "application/json", `{"error":"failed to read WAV file"}`), "", "it answers an error: failed to read WAV file", false},
		{"JSON without text", answer(200, "application/json", `{"segments":[]}`), "", `its answer has no "text"`, false},
		{"text that is none", answer(200, "application/json", `{"text":{"a":1}}`), "", "its answer is not JSON", false},
		{"no JSON", answer(200, "application/json", `<html>`), "", "its answer is not JSON", false},
		{"a page", answer(200, "text/html", `<html>`), "", `it answers "text/html"`, false},
		{"500", answer(500, "text/plain", "out\x1b[2J of memory"), "", "it answers 500 Internal Server Error: out [2J of memory", false},
		{"503", answer(503, "text/plain", ""), "", "it answers 503 Service Unavailable", false},
		{"429", answer(429, "text/plain", ""), "", "it answers 429", false},
		{"413", answer(413, "text/plain", "too long"), "", "it answers 413 Request Entity Too Large: too long", true},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "", "it answers 307 Temporary Redirect", false},
		{"a flood", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "", "it answers more than 64 KB", false},
		{"a lie about its length", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "", "unexpected EOF", false},
		{"a connection that ends", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "", "EOF", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.serve)
			defer s.Close()
			e := &Endpoint{URL: s.URL + "/?key=secret", Field: "file", Client: client(t)}
			got, err := e.Transcribe(t.Context(), aFile)
			refusal := (*Refusal)(nil)
			if got != c.text || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || errors.As(err, &refusal) != c.final) {
				t.Errorf("%q, %v", got, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows the address: %v", err)
			}
		})
	}
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	if _, err := (&Endpoint{URL: s.URL + "/?key=secret", Field: "file", Client: client(t)}).Transcribe(t.Context(), aFile); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody listens: %v", err)
	}
}

// TestWhatAServerRepeatsIsLeftOut: web servers repeat a request that they do not understand,
// and its secrets must not be in the log.
func TestWhatAServerRepeatsIsLeftOut(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, echo string){
		"refused": func(w http.ResponseWriter, echo string) { http.Error(w, "Cannot POST "+echo, http.StatusNotFound) },
		"failing": func(w http.ResponseWriter, echo string) { http.Error(w, "Cannot POST "+echo, http.StatusBadGateway) },
		"cut": func(w http.ResponseWriter, echo string) {
			http.Error(w, "Cannot POST "+strings.Repeat(" ", maxReason-30)+echo, http.StatusNotFound)
		},
		"an error with status 200": func(w http.ResponseWriter, echo string) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]string{"error": "Cannot POST " + echo})
		},
		"a type": func(w http.ResponseWriter, echo string) {
			w.Header().Set("Content-Type", "Cannot POST "+echo)
			_, _ = io.WriteString(w, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer(w, r.RequestURI+" of "+r.FormValue("token")+" with "+r.Header.Get("Authorization")+", key "+r.URL.Query().Get("key"))
			}))
			defer s.Close()
			e := &Endpoint{URL: s.URL + "/hooks/very-secret?key=open+sesame", Field: "file", Fields: [][2]string{{"token", "fully-secret"}},
				Headers: [][2]string{{"Authorization", "Bearer quite-secret"}}, Client: client(t)}
			_, err := e.Transcribe(t.Context(), aFile)
			if err == nil || !strings.Contains(err.Error(), "Cannot POST") || name != "cut" && !strings.Contains(err.Error(), "…") {
				t.Fatal(err)
			}
			for _, secret := range []string{"/hooks", "very-sec", "sesame", "quite-sec", "fully-sec"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q has %q", err, secret)
				}
			}
		})
	}
}

// TestARequestHasWhatIsConfigured: fields in their order, then the file, and the headers.
func TestARequestHasWhatIsConfigured(t *testing.T) {
	got := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		got = r.Method + " " + r.URL.String() + " " + r.Header.Get("Authorization") + " " + r.Header.Get("User-Agent")
		for {
			part, err := parts.NextPart()
			if err != nil {
				break
			}
			text, _ := io.ReadAll(part)
			got += fmt.Sprintf("; %s %s %s %s", part.FormName(), part.FileName(), part.Header.Get("Content-Type"), text)
		}
		w.Header().Set("Content-Type", "text/plain")
	}))
	defer s.Close()
	e := &Endpoint{URL: s.URL + "/v1?x=1", Field: "audio", Fields: [][2]string{{"language", "en"}, {"model", "a"}}, Headers: [][2]string{{"Authorization", "Bearer 1"}}, Client: client(t)}
	if _, err := e.Transcribe(t.Context(), aFile); err != nil {
		t.Fatal(err)
	}
	if want := "POST /v1?x=1 Bearer 1 Squelch; language   en; model   a; audio tx-7-1700000000000.wav audio/wav RIFF and so on"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
