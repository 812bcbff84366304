package radio

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"squelch/server/config"
)

// TestWhereATranscriberConnectsTo: into a network only where the configuration says so.
func TestWhereATranscriberConnectsTo(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, c := range []struct {
		url     string
		private []netip.Prefix
		refused string
	}{
		{"http://127.0.0.1:" + port + "/inference", nil, ""},
		{"http://localhost:" + port + "/inference", loopback, ""},
		{"http://localhost:" + port + "/inference", nil, "if that is meant, name the range in Config.transcriber.private"},
		{"https://localhost:" + port + "/inference", nil, "if that is meant, name the range in Config.transcriber.private"},
		{"http://localhost:" + port + "/inference", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "localhost leads to"},
	} {
		client, err := transcriberClient(&config.Transcriber{URL: c.url, Private: c.private, Timeout: time.Minute, AtOnce: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s, %v: %v", c.url, c.private, err)
		}
		client.CloseIdleConnections()
	}
	for _, to := range []string{"http://whisper.lan/inference", "https://whisper.lan/inference"} {
		u, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		guard := transcriberGuard(u, loopback)
		if err := guard.Check("93.184.215.14:80"); (err == nil) != (u.Scheme == "https") {
			t.Errorf("%s leads into the internet: %v", to, err)
		}
		if err := guard.Check("127.0.0.1:80"); err != nil {
			t.Errorf("%s leads where it may: %v", to, err)
		}
	}
}
