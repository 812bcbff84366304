//go:build unix

package config

import "golang.org/x/sys/unix"

// writable says whether this process may write in a folder.
func writable(folder string) bool { return unix.Access(folder, unix.W_OK) == nil }
