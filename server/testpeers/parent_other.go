//go:build !linux

package testpeers

import "os/exec"

// bindToParent does nothing: only Linux ends a process with its parent.
func bindToParent(*exec.Cmd) {}
