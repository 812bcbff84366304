package main

import (
	"errors"

	"golang.org/x/sys/windows"
)

// privileged says whether this process may change services.
func privileged() bool { return windows.GetCurrentProcessToken().IsElevated() }

// folderOwner is not asked for: services of Windows have an account without a password.
func folderOwner(string) (string, error) { return "", errors.ErrUnsupported }

// packagedUnit: there are no units.
func packagedUnit(string) string { return "" }

// makeLog has nothing to do: the service makes it, where the folder lets its account write.
func makeLog(string, string) error { return nil }
