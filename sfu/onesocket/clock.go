package onesocket

import "time"

// clock is the time since the engine began, in ns, which does not follow changes of the wall
// clock. It is never 0, which means "not yet".
func (e *engine) clock() int64 {
	if e.time != nil {
		return e.time()
	}
	return int64(time.Since(e.began)) + 1
}
