package address

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// prefixKey marks the context of a request whose path was longer.
type prefixKey struct{}

// Prefix is what was taken off the path of a request, such as /r/county: paths in answers to
// it begin with that. "": nothing was.
func Prefix(r *http.Request) string {
	p, _ := r.Context().Value(prefixKey{}).(string)
	return p
}

// WithoutPrefix takes a prefix off the path of a request. False: its path does not begin with
// it as it was sent.
func WithoutPrefix(r *http.Request, prefix string) (*http.Request, bool) {
	path, is := strings.CutPrefix(r.URL.Path, prefix)
	raw, isRaw := strings.CutPrefix(r.URL.RawPath, prefix)
	if !is || r.URL.RawPath != "" && !isRaw {
		return r, false
	}
	shorter := r.WithContext(context.WithValue(r.Context(), prefixKey{}, prefix))
	shorter.URL = new(url.URL)
	*shorter.URL = *r.URL
	shorter.URL.Path, shorter.URL.RawPath = path, raw
	return shorter, true
}
