package config

// Nearest returns the known name that a misspelt one may have meant: one that differs
// only in case, or with at most a third of its letters wrong; "" if there is none.
func Nearest(name string, names []string) string { return nearest(name, names) }
