package door

// The simulation has no desks: their routes are not in its list.
func deskJob(string) Job { return "" }

func deskPath(path string) string { return path }

func deskBody(any) error { return nil }

func ofDesk(Job) bool { return false }
