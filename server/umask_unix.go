//go:build unix

package main

import "golang.org/x/sys/unix"

// keepPrivate makes every file that the program writes accessible to its owner only.
func keepPrivate() { unix.Umask(0o077) }
