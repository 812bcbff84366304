package main

import (
	"net/http"

	"squelch/server/panel"
)

// panelHandler serves the dispatch panel.
func panelHandler() http.Handler { return panel.New() }
