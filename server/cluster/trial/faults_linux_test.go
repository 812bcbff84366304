package trial

import (
	"golang.org/x/sys/unix"
)

func init() {
	more = append(more, fault{name: "full disk", does: fullDisk})
}

// fullDisk lets no file of the owner grow: every write that needs room fails, as on a full
// disk. Its process is replaced at the end, as the handbook says.
func fullDisk(f *field) ([]int, func()) {
	owner, _ := f.roles(true)
	if err := unix.Prlimit(f.nodes[owner].Process().Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}, nil); err != nil {
		f.t.Error(err)
	}
	return others(owner), func() {
		f.nodes[owner].Kill()
		f.launch(owner)
	}
}
