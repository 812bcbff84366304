package themedesk

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"squelch/server/outbound"
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
	f.client = outbound.NewClient(outbound.Options{Roots: roots, Redirects: f.mayFollow, Dial: dialTime, Wait: dialTime, Idle: maxFetches,
		Guard: outbound.Guard{Host: u.Hostname(), Advice: "if that is meant, write the address itself into Config.themes.marketplace"}})
	return f, nil
}

func (f *fetcher) close() { f.client.CloseIdleConnections() }

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
		return nil, fmt.Errorf("%s: %w", at.Redacted(), outbound.Plain(err))
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
