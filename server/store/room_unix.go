//go:build linux || darwin || freebsd

package store

import "golang.org/x/sys/unix"

// freeBytes is how much this process may still write on the disk of dir.
func freeBytes(dir string) (int64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil
}
