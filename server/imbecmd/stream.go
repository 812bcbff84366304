package imbecmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// stream is one run of a command: input, output, and perhaps a progress bar.
type stream struct {
	in    *bufio.Reader
	out   *bufio.Writer
	close []func() error
}

// openStream opens IN and OUT. A bar is drawn on stderr when IN is a file and
// stderr is a terminal, or when progress asks for it.
func openStream(cmd *cobra.Command, in, out string, progress bool) (*stream, error) {
	s := &stream{}
	var src io.Reader = cmd.InOrStdin()
	size := int64(-1)
	if in != "-" {
		file, err := os.Open(in)
		if err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
		s.close = append(s.close, file.Close)
		info, err := file.Stat()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("input: %w", err), s.finish())
		}
		if info.IsDir() {
			return nil, errors.Join(fmt.Errorf("input: %s is a directory", in), s.finish())
		}
		if info.Mode().IsRegular() {
			size = info.Size()
		}
		src = file
	}
	if size != 0 && (progress || size > 0 && term.IsTerminal(int(os.Stderr.Fd()))) {
		bar := newBar(cmd.ErrOrStderr(), cmd.Name(), size)
		s.close = append(s.close, bar.finish)
		bar.src, src = src, bar
	}
	s.in = bufio.NewReaderSize(src, 1<<16)

	var dst = cmd.OutOrStdout()
	if out != "-" {
		if same(in, out) {
			return nil, errors.Join(fmt.Errorf("output: %s is the input", out), s.finish())
		}
		file, err := os.Create(out)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("output: %w", err), s.finish())
		}
		s.close = append(s.close, file.Close)
		dst = file
	}
	s.out = bufio.NewWriterSize(dst, 1<<16)
	return s, nil
}

// barRead is how many bytes are read between two updates of the bar: half a second of
// samples.
const barRead = 8000

// bar passes input through and shows the progress.
type bar struct {
	src    io.Reader
	bar    *progressbar.ProgressBar
	stderr io.Writer
}

// newBar draws on stderr; size -1 is unknown and gives a spinner.
func newBar(stderr io.Writer, name string, size int64) *bar {
	return &bar{stderr: stderr, bar: progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(name),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond))}
}

// Read never fails because of the bar: a file that grows while it is read only leaves
// the bar full.
func (b *bar) Read(p []byte) (int, error) {
	n, err := b.src.Read(p[:min(len(p), barRead)])
	_ = b.bar.Add(n)
	return n, err
}

func (b *bar) finish() error {
	_ = b.bar.Exit()
	_, err := fmt.Fprintln(b.stderr)
	return err
}

// same says whether both names are the same file.
func same(a, b string) bool {
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
}

// flushIfIdle passes on what is ready if no input waits, so that buffers do not hold
// up a live pipe.
func (s *stream) flushIfIdle() error {
	if s.in.Buffered() > 0 {
		return nil
	}
	return s.out.Flush()
}

func (s *stream) finish() error {
	var errs []error
	if s.out != nil {
		errs = append(errs, s.out.Flush())
	}
	for _, c := range s.close {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// frame reads the next whole frame; false at the end of input.
func (s *stream) frame(buf []byte, number int) (bool, error) {
	n, err := io.ReadFull(s.in, buf)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, io.EOF):
		return false, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return false, fmt.Errorf("input ends inside frame %d: %d of %d bytes", number, n, len(buf))
	}
	return false, fmt.Errorf("input: %w", err)
}
