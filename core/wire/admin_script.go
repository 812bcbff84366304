//go:build !wasm

package wire

// Shapes of the administration's scripts. Times are ms since the epoch.
type (
	AdminScriptList struct {
		Scripts []AdminScript `json:"scripts"`
	}
	// AdminScript is a script that runs in the service, or should.
	AdminScript struct {
		Name     string   `json:"name"`
		State    string   `json:"state"` // starting, started, waiting (to be started again), stopped
		Since    int64    `json:"since"`
		Restarts int      `json:"restarts"`          // after it had to be stopped
		Problem  string   `json:"problem,omitempty"` // why it was last stopped
		Exports  []string `json:"exports"`
		Events   []string `json:"events"` // that it handles
	}
	AdminScriptRestart struct {
		Name Text `json:"name" wire:"required"`
	}
)

// adminScriptRoutes are the routes of the scripts.
var adminScriptRoutes = []Route{
	adminGet("/admin/api/scripts", AdminScriptList{}, "Scripts that run in the service, and their state"),
	adminChange(post, "/admin/api/scripts/restart", AdminScriptRestart{}, Success{}, "Reload a script's files and restart it; 409: a file has a mistake", 404, 409),
}
