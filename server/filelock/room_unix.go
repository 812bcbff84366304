//go:build linux || darwin || freebsd

package filelock

import "golang.org/x/sys/unix"

// FreeBytes is how much this process may still write on the disk of dir.
func FreeBytes(dir string) (int64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil
}
