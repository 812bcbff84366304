package rest

import (
	"log"
	"net/http"
)

// NewServer makes the HTTP server of the service, with the time-outs of this
// package. WebSockets are free of them once they are upgraded (net/http clears
// the deadlines of a hijacked connection). errors may be nil.
func NewServer(handler http.Handler, errors *log.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          errors,
	}
}
