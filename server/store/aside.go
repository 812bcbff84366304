package store

import (
	"context"
	"errors"
	"path/filepath"
)

// SetAside makes a new data folder to of the data folder dir, which no process uses, as Copy
// does, and then has dir begin anew when it is opened next. Nothing is lost when it is
// interrupted. Other packages' files stay where they are.
func SetAside(ctx context.Context, dir, to string) (err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release(false)) }()
	if err := Copy(ctx, dir, to); err != nil {
		return err
	}
	return writeMarker(dir, newMarker())
}
