package themedesk

// Look does what Watch does now and then.
func (d *Desk) Look() { d.look() }
