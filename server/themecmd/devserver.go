package themecmd

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"squelch/server/panel"
	"squelch/themes"
)

const (
	// devAlive is how often a page is told that nothing has changed, so that a lost
	// connection is noticed.
	devAlive = 15 * time.Second
	// eventsPath is where the lab hears of changes.
	eventsPath = "/dev/events"
)

// devHandler serves the panel, the themes and the news of a folder, to this machine.
func devHandler(w *watcher) http.Handler {
	page := panel.New()
	mux := http.NewServeMux()
	mux.Handle(themes.Path, w.library)
	mux.HandleFunc("GET "+eventsPath, w.serveEvents)
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && r.URL.RawQuery == "" {
			http.Redirect(rw, r, "/"+labQuery(w.state().Slug), http.StatusFound)
			return
		}
		page.ServeHTTP(rw, r)
	})
	return onlyHere(mux)
}

// onlyHere answers requests that name this machine, so that no page of another host
// becomes one of ours by a name server that lies (DNS rebinding).
func onlyHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
			host = host[1 : len(host)-1]
		}
		if !loopback(host) {
			http.Error(w, fmt.Sprintf("This is %q to you; it answers only as localhost or by a loopback address.", r.Host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveEvents tells how the folder is, now and after each change, as server-sent events.
func (w *watcher) serveEvents(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("Cache-Control", "no-store")
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	out := http.NewResponseController(rw)
	alive := time.NewTicker(devAlive)
	defer alive.Stop()
	for {
		now, changed := w.next()
		data, err := json.Marshal(now)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(rw, "event: folder\ndata: %s\n\n", data); err != nil || out.Flush() != nil {
			return
		}
		for waiting := true; waiting; {
			select {
			case <-r.Context().Done():
				return
			case <-changed:
				waiting = false
			case <-alive.C:
				if _, err := fmt.Fprint(rw, ": nothing new\n\n"); err != nil || out.Flush() != nil {
					return
				}
			}
		}
	}
}
