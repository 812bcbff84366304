//go:build !linux && !darwin && !freebsd && !windows

package filelock

import "errors"

// FreeBytes is not known here.
func FreeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
