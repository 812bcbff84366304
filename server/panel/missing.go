package panel

import (
	"fmt"
	"net/http"
	"strings"

	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/reply"
)

// missing answers for a path that does not exist: a page for a browser, JSON for
// everybody else.
func missing(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		reply.JSON(w, http.StatusNotFound, wire.Failure{Error: "No such path"})
		return
	}
	protect(w.Header())
	w.Header().Set("Content-Type", types[".html"])
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w, missingPage, address.Prefix(r)) // a browser that has gone is not an error
}

// missingPage does not repeat the path, because anybody can put one into a link.
const missingPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No such page - Squelch</title>
<style>:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 30rem; padding: 0 1rem }</style>
<h1>No such page</h1>
<p>There is nothing at this address. <a href="%s/">Go to the dispatch console</a></p>
</html>
`
