package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"squelch/server/filelock"
)

const lockName = "recordings.lock"

// lockFolder takes the exclusive right to the folder. The operating system releases it
// when the process ends; the file stays, because another process may be about to lock it.
func lockFolder(root *os.Root) (*os.File, error) {
	file, err := root.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, diskError(root.Name(), err)
	}
	if err := filelock.Try(file); err != nil {
		defer file.Close()
		if errors.Is(err, filelock.ErrHeld) {
			return nil, fmt.Errorf("%w: %s is used by process %s; stop it first, or name another folder", ErrLocked, root.Name(), holder(file))
		}
		return nil, fmt.Errorf("%s cannot be locked: %w", file.Name(), err)
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	if err != nil {
		return nil, errors.Join(diskError(file.Name(), err), file.Close())
	}
	return file, nil
}

func holder(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 32))
	if pid, convErr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && convErr == nil {
		return strconv.Itoa(pid)
	}
	return "(unknown pid)"
}
