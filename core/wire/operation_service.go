//go:build !wasm

package wire

// Ready says that the service takes traffic.
type Ready struct {
	Ready bool `json:"ready"` // true; a service that takes none refuses with the reason
}

// serviceRoutes are for those who run the service. They are no part of the radio, so a
// simulation has none.
var serviceRoutes = append([]Route{
	{Method: get, Path: "/readyz", Auth: Public, Reply: Ready{}, Status: 200, Errors: []int{503}, Extension: true,
		Doc: "Whether the service takes traffic: 200, or 503 with the reason while it starts, stops, or cannot write to its disk"},
	{Method: get, Path: "/metrics", Auth: Master, Scope: ScopeMetrics, Status: 200, Errors: []int{401, 403, 429}, Extension: true,
		Doc: "Metrics in Prometheus' text format, for an API key with the scope metrics or the master token"},
}, append(explainRoutes, clusterRoutes...)...)
