package trial

// stopOwner: no process is stopped on this system; it is killed.
func stopOwner(f *field) ([]int, func()) {
	owner, _ := f.roles(true)
	return f.kill(owner)
}
