package sandbox

import "golang.org/x/sys/unix"

// confine takes from the process what a theme's script has no use for, should it ever
// get out of the engine: it opens nothing more, neither files nor connections, writes no
// file, and starts nothing. Its memory has a last limit, above the one that is watched.
func confine() error {
	const slack = 2 // Go and the WebAssembly runtime reserve more than they use
	for what, most := range map[int]uint64{
		unix.RLIMIT_FSIZE: 0,
		unix.RLIMIT_CORE:  0,
		unix.RLIMIT_DATA:  slack * maxMemory,
	} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	// What is open stays open.
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: 0})
}
