package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
)

// Served lists what the router serves, as "METHOD path".
func (h *Handler) Served() []string {
	var all []string
	err := chi.Walk(h.api(), func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		all = append(all, method+" "+strings.Replace(path, ":"+fileName, "", 1))
		return nil
	})
	if err != nil {
		panic(err)
	}
	slices.Sort(all)
	return all
}
