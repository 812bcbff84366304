package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxAside bounds how many journals of earlier runs are kept beside one.
const maxAside = 10_000

// beginning is how every journal begins.
var beginning = []byte(`{"squelch":"journal",`)

// create makes the file of a journal. The journal of an earlier run is kept under
// another name (aside; "": there was none), because a service that its supervisor
// restarts must not fail over it. Any other file stays as it is, and is an error.
func create(path string) (file *os.File, aside string, err error) {
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) }
	file, err = open()
	if !errors.Is(err, fs.ErrExist) || !ours(path) {
		return file, "", err
	}
	if aside, err = putAside(path); err != nil {
		return nil, "", err
	}
	file, err = open()
	return file, aside, err
}

// ours says whether the file is a journal, or what a crash leaves of one that was
// just begun: nothing, or zeros.
func ours(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	first := make([]byte, len(beginning))
	n, err := io.ReadFull(file, first)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	first = first[:n]
	return bytes.HasPrefix(beginning, first) || bytes.Count(first, []byte{0}) == n
}

// putAside gives a file the next free number.
func putAside(path string) (string, error) {
	for n := 1; n <= maxAside; n++ {
		aside := fmt.Sprintf("%s.%d", path, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		} else if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("there are %d journals beside %s: move them away", maxAside, path)
}
