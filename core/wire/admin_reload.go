//go:build !wasm

package wire

// Shapes of the reading again of the configuration file.
type (
	// AdminReloaded is what reading the file again has changed.
	AdminReloaded struct {
		Success  bool     `json:"success"`
		Changed  []string `json:"changed"`  // keys whose new values are in force
		Restart  []string `json:"restart"`  // keys whose new values need a restart
		Warnings []string `json:"warnings"` // as "squelch check" gives them
	}
	// AdminMistake is a mistake in a configuration file.
	AdminMistake struct {
		File    string `json:"file,omitempty"`
		Line    int    `json:"line,omitempty"` // 0: not known
		Key     string `json:"key,omitempty"`  // such as zones[2].channels[1].frequency
		Message string `json:"message"`
	}
)

// adminReloadRoutes are those of the configuration file.
var adminReloadRoutes = []Route{
	adminChange(post, "/admin/api/reload", nil, AdminReloaded{}, "Read the configuration file again; 409: it has mistakes, which are listed, and nothing has changed", 409),
}
