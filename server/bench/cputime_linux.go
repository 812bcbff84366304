package bench

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time of a process, user and system, from its own clock
// (clock_getcpuclockid(3)): /proc has it only in steps of 10 ms, which is half a
// microsecond for each packet of a short run.
func cpuTime(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED, include/linux/posix-timers_types.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0, fmt.Errorf("the CPU clock of process %d cannot be read: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
