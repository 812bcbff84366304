//go:build unix

package filelock

import (
	"fmt"
	"os"
	"syscall"
)

// AsOwner makes a command that root runs on the folder of another user go on as that user.
// Otherwise the service, which runs as that user, could not read what the command writes.
func AsOwner(folder string) error {
	info, err := os.Stat(folder)
	if err != nil || os.Geteuid() != 0 {
		return nil // who opens the folder says what is wrong with it
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	for _, step := range []func() error{
		func() error { return syscall.Setgroups(nil) },
		func() error { return syscall.Setgid(int(owner.Gid)) },
		func() error { return syscall.Setuid(int(owner.Uid)) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("cannot go on as the owner of %s (user %d), run the command as that user: %w", folder, owner.Uid, err)
		}
	}
	return nil
}
