package themedesk

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// fetcher gets files from the origin of a marketplace's index, and from nowhere else:
// over TLS, without redirects to other hosts, without the proxy of the environment
// (which would look the name up where it cannot be checked), and not from addresses
// inside of networks, where the service might reach what its administrators may not.
type fetcher struct {
	index  *url.URL
	client *http.Client
}

// newFetcher takes the roots of trust of the machine, if roots is nil.
func newFetcher(index string, roots *x509.CertPool) (*fetcher, error) {
	u, err := url.Parse(index)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the address of a marketplace must be an https URL such as https://themes.example.org/index.json")
	}
	if u.User != nil {
		return nil, errors.New("the address in Config.themes.marketplace must not have a user name or password in it: none is sent to a marketplace")
	}
	f := &fetcher{index: u}
	dialer := &net.Dialer{Timeout: dialTime, Control: f.mayDial}
	f.client = &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: dialTime, MaxResponseHeaderBytes: maxHeader,
			DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConns: maxFetches, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: f.mayFollow,
	}
	return f, nil
}

func (f *fetcher) close() { f.client.CloseIdleConnections() }

// mayDial looks at the address itself, after its name was looked up: a name that
// changes its mind between a check and the connection gains nothing.
func (f *fetcher) mayDial(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	if public(ip) {
		return nil
	}
	// Whoever writes the address itself into the configuration means it.
	if own, err := netip.ParseAddr(f.index.Hostname()); err == nil && own.Unmap() == ip {
		return nil
	}
	return &inside{f.index.Hostname(), ip}
}

// inside is a name that leads into a network.
type inside struct {
	name string
	ip   netip.Addr
}

func (e *inside) Error() string {
	return fmt.Sprintf("%s leads to %s, an address inside of a network; if that is meant, write the address itself into Config.themes.marketplace", e.name, e.ip)
}

// notPublic are the ranges that are for special purposes although netip's own questions
// do not say so (IANA IPv4 and IPv6 Special-Purpose Address Registries).
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// public says whether an address is one of the internet. 169.254.169.254 and
// fd00:ec2::254, the metadata of cloud machines, are not.
func public(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

func (f *fetcher) mayFollow(to *http.Request, via []*http.Request) error {
	if err := f.ours(to.URL); err != nil {
		return fmt.Errorf("it redirects to %s, which is another host", to.URL.Host)
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	return nil
}

var errOrigin = errors.New("it is not at the origin of the index")

// ours refuses an address of another origin than the index has.
func (f *fetcher) ours(u *url.URL) error {
	if u.Scheme != "https" || !strings.EqualFold(u.Host, f.index.Host) || u.User != nil {
		return errOrigin
	}
	return nil
}

// get fetches a file beside the index, "" for the index itself, of at most limit bytes.
// Errors name the file and what is wrong with it.
func (f *fetcher) get(ctx context.Context, name string, limit int64, within time.Duration) ([]byte, error) {
	at := f.index
	if name != "" {
		ref, err := url.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("%q is no address", name)
		}
		at = f.index.ResolveReference(ref)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	data, err := f.read(ctx, at, limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not come within %s", within)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at.Redacted(), plain(err))
	}
	return data, nil
}

func (f *fetcher) read(ctx context.Context, at *url.URL, limit int64) ([]byte, error) {
	if err := f.ours(at); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "Squelch")
	answer, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s, not 200", answer.Status)
	}
	large := fmt.Errorf("it is larger than %d bytes", limit)
	if answer.ContentLength > limit {
		return nil, large
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = large
	}
	return data, err
}

// plain leaves out what net/http puts around an error: the address is named already.
func plain(err error) error {
	if within := (*inside)(nil); errors.As(err, &within) {
		return within
	}
	if around := (*url.Error)(nil); errors.As(err, &around) {
		return around.Err
	}
	return err
}
