package recdesk

import "time"

// SetPatience changes how long a reader may take nothing.
func (d *Desk) SetPatience(t time.Duration) { d.patience = t }
