package config

// Nearest finds the known name that a misspelt one may have meant: the same in
// another case, or with at most a third of its letters wrong; "" when none is.
func Nearest(name string, names []string) string { return nearest(name, names) }
