package contract

import (
	"flag"
	"fmt"
	"net/http"
	"os"

	"go.uber.org/goleak"

	"squelch/core/wire"
)

// Verify is for goleak.VerifyTestMain of a package's tests. It ends the process with a failure
// if, in a run of all of them, a route has given no good answer; but for those that are
// excused, with where they are tested.
func Verify(routes []wire.Route, excused map[string]string) goleak.Option {
	return goleak.Cleanup(func(code int) { os.Exit(whole(code, routes, excused)) })
}

// Run is Verify for a package that does not look for leaks.
func Run(m interface{ Run() int }, routes []wire.Route, excused map[string]string) int {
	return whole(m.Run(), routes, excused)
}

func whole(code int, routes []wire.Route, excused map[string]string) int {
	if code == 0 && flag.Lookup("test.run").Value.String() == "" {
		return missing(routes, excused)
	}
	return code
}

func missing(routes []wire.Route, excused map[string]string) (code int) {
	c, err := Load()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, route := range c.Unseen(routes) {
		if excused[route] == "" {
			fmt.Fprintf(os.Stderr, "no test has had a good answer of %s\n", route)
			code = 1
		}
	}
	for route := range excused {
		if c.SeenReply(route) {
			fmt.Fprintf(os.Stderr, "a test has a good answer of %s: it needs no excuse\n", route)
			code = 1
		}
	}
	return code
}

// Answer holds the answer to a request against the document.
func Answer(r *http.Request, status int, body []byte) error {
	c, err := Load()
	if err != nil {
		return err
	}
	return c.Reply(c.Route(r.Method, r.URL.Path), status, body)
}
