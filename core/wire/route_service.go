//go:build !wasm

package wire

// Parameters are the names of those that the route takes in its query.
func (r *Route) Parameters() []string {
	var names []string
	for _, p := range r.Query {
		names = append(names, p.Name)
	}
	return names
}
