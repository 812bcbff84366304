package outbound_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/server/outbound"
	"squelch/server/testpeers/dns"
)

func TestOnlyAddressesOfTheInternetArePublic(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "2606:4700::1111": true, "172.32.0.1": true, "100.63.255.255": true, "100.128.0.1": true,
		"127.0.0.1": false, "127.8.8.8": false, "::1": false, "0.0.0.0": false, "0.1.2.3": false, "::": false,
		"10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "fd00::1": false, "fd00:ec2::254": false, "fc00::1": false,
		"169.254.169.254": false, "169.254.0.1": false, "fe80::1": false, "100.64.0.1": false, "100.100.100.200": false, "192.0.0.192": false,
		"198.18.0.1": false, "224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false, "ff02::1": false, "2001:db8::1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false, "fec0::1": false, "::7f00:1": false, "3fff::1": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::ffff:8.8.8.8": true,
		"::ffff:0:127.0.0.1": false, "::ffff:0:8.8.8.8": false, "4000::1": false,
	} {
		if got := outbound.Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is public: %v", text, got)
		}
	}
}

func TestWhereAHostMayLead(t *testing.T) {
	ten := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for _, c := range []struct {
		host, address string
		allowed       []netip.Prefix
		refused       string
	}{
		{"example.org", "93.184.216.34:443", nil, ""},
		{"example.org", "[::ffff:93.184.216.34]:443", nil, ""},
		{"example.org", "169.254.169.254:443", nil, "example.org leads to 169.254.169.254, an address inside of a network; name it"},
		{"example.org", "[::ffff:127.0.0.1]:443", nil, "leads to 127.0.0.1"},
		{"example.org", "[fe80::1%eth0]:443", nil, "leads to fe80::1"},
		{"10.0.0.5", "10.0.0.5:443", nil, ""},
		{"fd00::5", "[fd00::5]:443", nil, ""},
		{"10.0.0.5", "10.0.0.6:443", nil, "leads to 10.0.0.6"},
		{"0x7f.1", "127.0.0.1:443", nil, "leads to 127.0.0.1"},
		{"2130706433", "127.0.0.1:443", nil, "leads to 127.0.0.1"},
		{"example.org", "10.1.2.3:443", ten, ""},
		{"example.org", "[::ffff:10.1.2.3]:443", ten, ""},
		{"example.org", "10.2.2.3:443", ten, "leads to 10.2.2.3"},
		{"example.org", "127.0.0.1:443", ten, "leads to 127.0.0.1"},
	} {
		err := outbound.Guard{Host: c.host, Allowed: c.allowed, Advice: "name it"}.Check(c.address)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s at %s: %v, want %q", c.host, c.address, err, c.refused)
		}
	}
}

// TestWhatIsMeantMustBeNamed: with Named an address in the host is not enough, and with
// Only what is not named is refused, on the internet too.
func TestWhatIsMeantMustBeNamed(t *testing.T) {
	ten := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for _, c := range []struct {
		guard   outbound.Guard
		address string
		refused string
	}{
		{outbound.Guard{Host: "10.0.0.5", Named: true}, "10.0.0.5:80", "10.0.0.5 leads to 10.0.0.5, an address inside of a network"},
		{outbound.Guard{Host: "10.1.0.5", Named: true, Allowed: ten}, "10.1.0.5:80", ""},
		{outbound.Guard{Host: "bot", Only: true, Allowed: ten}, "10.1.0.5:80", ""},
		{outbound.Guard{Host: "bot", Only: true, Allowed: ten}, "93.184.216.34:80", "bot leads to 93.184.216.34, an address that is not named"},
		{outbound.Guard{Host: "bot", Only: true, Allowed: ten}, "127.0.0.1:80", "bot leads to 127.0.0.1, an address inside of a network"},
	} {
		err := c.guard.Check(c.address)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%+v at %s: %v, want %q", c.guard, c.address, err, c.refused)
		}
	}
}

// receiver counts who reaches it, on every address of this machine.
func receiver(t *testing.T, h http.HandlerFunc) (port string, reached *atomic.Int32) {
	t.Helper()
	reached = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		if h != nil {
			h(w, r)
		}
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port, reached
}

func get(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.Body.Close()
}

// TestNamesThatLeadInside: whatever a name leads to is looked at when the connection is
// made.
func TestNamesThatLeadInside(t *testing.T) {
	port, reached := receiver(t, nil)
	names := dns.New(t)
	for _, ip := range []string{"127.0.0.1", "169.254.169.254", "::1", "10.0.0.1", "fd00:ec2::254", "::ffff:127.0.0.1", "0.0.0.0", "::"} {
		names.Answer("hooks.example.org", []netip.Addr{netip.MustParseAddr(ip)})
		client := outbound.NewClient(outbound.Options{Names: names.Resolver(), Guard: outbound.Guard{Host: "hooks.example.org"}})
		err := get(t, client, "http://hooks.example.org:"+port+"/")
		if inside := (*outbound.Inside)(nil); !errors.As(err, &inside) {
			t.Errorf("%s: %v", ip, err)
		}
		if err := outbound.Plain(err); !strings.HasPrefix(err.Error(), "hooks.example.org leads to ") {
			t.Errorf("%s: %v", ip, err)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("reached %d times", n)
	}
	client := outbound.NewClient(outbound.Options{Names: names.Resolver(),
		Guard: outbound.Guard{Host: "hooks.example.org", Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	names.Answer("hooks.example.org", []netip.Addr{netip.MustParseAddr("127.0.0.1")})
	if err := get(t, client, "http://hooks.example.org:"+port+"/"); err != nil || reached.Load() != 1 {
		t.Errorf("an address that is named: %v, reached %d times", err, reached.Load())
	}
}

// TestANameThatChangesItsMind: between a check of the name and the connection its answer
// becomes another one. The address of the connection is what counts.
func TestANameThatChangesItsMind(t *testing.T) {
	port, reached := receiver(t, nil)
	names := dns.New(t)
	names.Answer("hooks.example.org", []netip.Addr{netip.MustParseAddr("93.184.216.34")}, []netip.Addr{netip.MustParseAddr("127.0.0.1")})
	found, err := names.Resolver().LookupNetIP(t.Context(), "ip4", "hooks.example.org")
	if err != nil || len(found) != 1 || !outbound.Public(found[0]) {
		t.Fatalf("the check sees %v, %v", found, err)
	}
	client := outbound.NewClient(outbound.Options{Names: names.Resolver(), Guard: outbound.Guard{Host: "hooks.example.org"}})
	err = get(t, client, "http://hooks.example.org:"+port+"/")
	if inside := (*outbound.Inside)(nil); !errors.As(err, &inside) || reached.Load() != 0 {
		t.Errorf("%v, reached %d times", err, reached.Load())
	}
	if names.Asked("hooks.example.org") != 2 {
		t.Errorf("looked up %d times", names.Asked("hooks.example.org"))
	}
}

// TestRedirectsAreNotFollowed: the answer that redirects is the answer.
func TestRedirectsAreNotFollowed(t *testing.T) {
	inside, reached := receiver(t, nil)
	port, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+inside+"/", http.StatusTemporaryRedirect)
	})
	client := outbound.NewClient(outbound.Options{Guard: outbound.Guard{Host: "127.0.0.1"}})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+port+"/", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusTemporaryRedirect || reached.Load() != 0 {
		t.Errorf("%s, reached %d times", answer.Status, reached.Load())
	}
}

// TestAProxyIsNotUsed: the proxy of the environment would look names up elsewhere.
func TestAProxyIsNotUsed(t *testing.T) {
	port, reached := receiver(t, nil)
	proxy, asked := receiver(t, nil)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+proxy)
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:"+proxy)
	t.Setenv("NO_PROXY", "")
	client := outbound.NewClient(outbound.Options{Guard: outbound.Guard{Host: "127.0.0.1"}})
	if client.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy is used")
	}
	if err := get(t, client, "http://127.0.0.1:"+port+"/"); err != nil || reached.Load() != 1 || asked.Load() != 0 {
		t.Errorf("%v, reached %d times, the proxy %d times", err, reached.Load(), asked.Load())
	}
}

// TestErrorsNameNoPath: the path of an address may be a secret.
func TestErrorsNameNoPath(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	client := outbound.NewClient(outbound.Options{Roots: x509.NewCertPool(), Guard: outbound.Guard{Host: "127.0.0.1"}})
	err = get(t, client, "https://"+at+"/hooks/very-secret")
	if err == nil || !strings.Contains(err.Error(), "very-secret") {
		t.Fatalf("net/http tells %v", err)
	}
	if plain := outbound.Plain(err); strings.Contains(plain.Error(), "very-secret") {
		t.Errorf("%v", plain)
	}
}
