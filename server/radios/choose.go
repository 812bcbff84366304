package radios

import (
	"net"
	"net/http"
	"strings"

	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/config"
	"squelch/server/nearest"
	"squelch/server/reply"
)

// table says which radio a request means. It is never changed: a new one replaces it.
type table struct {
	names  map[string]*other // nil: the default radio
	byHost map[string]*other
	list   []string // names, for somebody who misspells one
}

// below is the beginning of the paths that name a radio.
const below = "/r/"

func prefixOf(name string) string { return below + name }

// tabulate makes the table of the radios that there are.
func (r *Radios) tabulate() {
	t := &table{names: map[string]*other{config.MainRadio: nil}, byHost: map[string]*other{}, list: []string{config.MainRadio}}
	for name, o := range r.list() {
		t.names[name] = o
		t.list = append(t.list, name)
		for _, h := range o.names() {
			t.byHost[h] = o
		}
	}
	r.table.Store(t)
}

// ServeHTTP hands a request to the radio that it means.
func (r *Radios) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	t := r.table.Load()
	host := t.byHost[hostOf(q.Host)]
	rest, named := strings.CutPrefix(q.URL.Path, below)
	if !named {
		r.serve(w, q, host)
		return
	}
	name, _, within := strings.Cut(rest, "/")
	o, known := t.names[name]
	switch {
	case !known || host != nil && o != host: // the page of another radio would be of this one's origin
		missing(w, t, name, host != nil)
	case !within:
		redirect(w, q, name)
	default:
		q, ok := address.WithoutPrefix(q, prefixOf(name))
		if !ok {
			missing(w, t, name, host != nil)
			return
		}
		r.serve(w, q, o)
	}
}

// serve serves a request of a radio; nil: of the default one.
func (r *Radios) serve(w http.ResponseWriter, q *http.Request, o *other) {
	switch {
	case o == nil:
		r.main.ServeHTTP(w, q)
	case !o.enter():
		w.Header().Set("Retry-After", "5")
		reply.JSON(w, http.StatusServiceUnavailable, wire.Failure{Error: "The radio " + o.name + " is not on the air"})
	default:
		defer o.using.Done()
		o.radio.ServeHTTP(w, q)
	}
}

// missing answers for a radio that there is not. Who asks at the host name of a radio is told
// of no other.
func missing(w http.ResponseWriter, t *table, name string, alone bool) {
	text := "There is no such radio here"
	if near := nearest.Name(name, t.list); near != "" && !alone {
		text += "; did you mean " + near + "?"
	}
	w.Header().Set("Access-Control-Allow-Origin", "*") // as the interface's own answers
	reply.JSON(w, http.StatusNotFound, wire.Failure{Error: text})
}

// redirect adds the slash without which relative addresses on a page would lead elsewhere.
func redirect(w http.ResponseWriter, q *http.Request, name string) {
	to := prefixOf(name) + "/"
	if q.URL.RawQuery != "" {
		to += "?" + q.URL.RawQuery
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusPermanentRedirect)
}

// hostOf is the host name of a request, in the form of config.RadioFile.Hosts.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
