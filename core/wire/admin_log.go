//go:build !wasm

package wire

// Shapes of the service's log.
type (
	// AdminLog is the newest lines of the log, the oldest first.
	AdminLog struct {
		Lines []AdminLogLine `json:"lines"`
		Last  uint64         `json:"last"`  // number of the newest line of all; the next request's after
		Level int            `json:"level"` // up to which lines are written: 0 errors only … 5 everything
		Lost  uint64         `json:"lost"`  // lines that were left out since the start
	}
	// AdminLogLine is a line of the log.
	AdminLogLine struct {
		Seq     uint64          `json:"seq"`   // from 1 on at each start
		At      int64           `json:"at"`    // ms since the epoch
		Level   string          `json:"level"` // error, warn, notice, info, debug, verbose
		Message string          `json:"message"`
		Fields  []AdminLogField `json:"fields"` // in the order in which they are written
	}
	// AdminLogField is a value of a line, such as the user who joins.
	AdminLogField struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// adminLogRoutes are those of the service's log.
var adminLogRoutes = func() []Route {
	r := adminGet("/admin/api/log", AdminLog{}, "The newest lines of the service's log, which keeps 1000 in memory")
	r.Query = []Parameter{
		{"after", "integer", "only lines with a higher number"},
		{"level", "integer", "only lines up to this level, from 0 (errors) to 5 (all, the default)"},
		{"limit", "integer", "at most so many, the newest, from 1 to 1000 (the default)"},
	}
	return []Route{r}
}()
