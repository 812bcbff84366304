package themedesk

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// site is a web server over TLS whose certificate only its own pool trusts.
func site(t *testing.T, h http.Handler) (*httptest.Server, *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, roots
}

func TestWhatAFetcherTakes(t *testing.T) {
	mux, over := http.NewServeMux(), make(chan struct{})
	mux.HandleFunc("/m/index.json", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("the index")) })
	mux.HandleFunc("/m/a.zip", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("0123456789")) })
	mux.HandleFunc("/m/stream.zip", func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			_, _ = w.Write([]byte("0123456789"))
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/m/moved.zip", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "a.zip", http.StatusFound) })
	mux.HandleFunc("/m/away.zip", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://evil.example.org/a.zip", http.StatusFound)
	})
	mux.HandleFunc("/m/clear.zip", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+"/m/a.zip", http.StatusFound)
	})
	mux.HandleFunc("/m/loop.zip", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "loop.zip", http.StatusFound) })
	mux.HandleFunc("/m/slow.zip", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-over
	})
	s, roots := site(t, mux)
	f, err := newFetcher(s.URL+"/m/index.json", roots)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	defer close(over)
	for _, c := range []struct{ name, want, refused string }{
		{"", "the index", ""},
		{"a.zip", "0123456789", ""},
		{"/m/a.zip", "0123456789", ""},
		{"moved.zip", "0123456789", ""},
		{"gone.zip", "", "/m/gone.zip: the answer is 404 Not Found, not 200"},
		{"stream.zip", "", "it is larger than 10 bytes"},
		{"away.zip", "", "it redirects to evil.example.org, which is another host"},
		{"clear.zip", "", "which is another host"},
		{"loop.zip", "", "it redirects more than 3 times"},
		{"https://evil.example.org/a.zip", "", "it is not at the origin of the index"},
		{"//evil.example.org/a.zip", "", "it is not at the origin of the index"},
		{"http:a.zip", "", "it is not at the origin of the index"},
		{"file:///etc/passwd", "", "it is not at the origin of the index"},
		{"https://user@" + s.Listener.Addr().String() + "/m/a.zip", "", "it is not at the origin of the index"},
		{":", "", "is no address"},
	} {
		got, err := f.get(t.Context(), c.name, 10, time.Minute)
		if string(got) != c.want || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%q: %q, %v, want %q %q", c.name, got, err, c.want, c.refused)
		}
	}
	if _, err := f.get(t.Context(), "slow.zip", 10, 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "it did not come within 50ms") {
		t.Errorf("a slow answer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.get(ctx, "a.zip", 10, time.Minute); err == nil {
		t.Error("fetched for nobody")
	}
}

// TestANameThatLeadsInside: localhost is looked up as any name is, and refused at the
// connection; a stranger's certificate is refused too.
func TestANameThatLeadsInside(t *testing.T) {
	asked := 0
	s, roots := site(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "https://"), ":")
	f, err := newFetcher("https://localhost:"+port+"/index.json", roots)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.get(t.Context(), "", 10, time.Minute); err == nil || !strings.Contains(err.Error(), "localhost leads to ") {
		t.Errorf("%v", err)
	}
	if f, err = newFetcher(s.URL+"/index.json", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.get(t.Context(), "", 10, time.Minute); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
	if asked != 0 {
		t.Errorf("asked %d times", asked)
	}
	for _, index := range []string{"http://themes.example.org/index.json", "themes.example.org", "https://", "ftp://x/index.json", "https://%"} {
		if _, err := newFetcher(index, nil); err == nil {
			t.Errorf("%q is taken", index)
		}
	}
	for _, index := range []string{"https://user:secret@themes.example.org/index.json", "https://user@themes.example.org/index.json"} {
		if _, err := newFetcher(index, nil); err == nil || !strings.Contains(err.Error(), "Config.themes.marketplace must not have a user name") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", index, err)
		}
	}
}
