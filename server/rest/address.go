package rest

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"squelch/server/address"
)

// secureKey marks the context of a request that reached us, or the proxy in
// front of us, over TLS.
type secureKey struct{}

// locate looks through trusted proxies: it returns the request with the caller's own
// address as RemoteAddr.
func (h *Handler) locate(r *http.Request) *http.Request {
	secure := r.TLS != nil
	from := r.RemoteAddr
	if peer, ok := address.Parse(r.RemoteAddr); ok && h.trusted(peer) {
		if list := forwarded(r); len(list) > 0 {
			from = net.JoinHostPort(h.client(peer, list).String(), "0")
		}
		if proto := r.Header.Get("X-Forwarded-Proto"); proto != "" {
			proto, _, _ = strings.Cut(proto, ",")
			secure = strings.EqualFold(strings.TrimSpace(proto), "https")
		}
	}
	located := r.WithContext(context.WithValue(r.Context(), secureKey{}, secure))
	located.RemoteAddr = from
	return located
}

func (h *Handler) trusted(a netip.Addr) bool {
	return slices.ContainsFunc(h.o.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// client is the rightmost address that is not a trusted proxy: what stands left of it
// was written by the caller itself and proves nothing.
func (h *Handler) client(peer netip.Addr, list []string) netip.Addr {
	at := peer
	for i := len(list) - 1; i >= 0 && h.trusted(at); i-- {
		next, ok := address.Parse(list[i])
		if !ok {
			break
		}
		at = next
	}
	return at
}

// forwarded returns the last addresses of all X-Forwarded-For headers as one list.
func forwarded(r *http.Request) []string {
	list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if len(list) == 1 && strings.TrimSpace(list[0]) == "" {
		return nil
	}
	return list[max(0, len(list)-maxForwarded):]
}

func secure(r *http.Request) bool {
	yes, _ := r.Context().Value(secureKey{}).(bool)
	return yes
}

// Secure says whether a request that this package has handed on (to the panel,
// Socket.IO or the administration) came over TLS, through a trusted proxy or
// directly.
func Secure(r *http.Request) bool { return secure(r) }

// base is the service's own address as this caller sees it, without a slash at the
// end.
func (h *Handler) base(r *http.Request) string {
	if h.o.PublicURL != "" {
		return strings.TrimRight(h.o.PublicURL, "/")
	}
	if secure(r) {
		return "https://" + r.Host + address.Prefix(r)
	}
	return "http://" + r.Host + address.Prefix(r)
}
