package host

import (
	"log"
	"net/http"
	"time"
)

const (
	// maxHeader is the largest request header in bytes. Browsers send about 2
	// KiB, cookies of other applications on the same host included.
	maxHeader = 32 << 10
	// headerTimeout bounds reading a request's header, so that a slow sender holds a
	// connection and nothing else.
	headerTimeout = 10 * time.Second
	// readTimeout bounds reading a whole request: 1 MB of a polling transport
	// at 300 kbit/s.
	readTimeout = 30 * time.Second
	// writeTimeout bounds a whole answer: 1 MB of status at 300 kbit/s, twice.
	writeTimeout = 60 * time.Second
	// idleTimeout is how long a quiet kept-alive connection stays open. Bots
	// poll once a minute.
	idleTimeout = 2 * time.Minute
)

// newServer makes the HTTP server. A handler may set other deadlines for an answer
// that takes longer. They end for a WebSocket when it is upgraded (net/http clears
// the deadlines of a hijacked connection).
func newServer(errors *log.Logger) *http.Server {
	return &http.Server{
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          errors,
	}
}
