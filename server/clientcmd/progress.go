package clientcmd

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far the playing is: a bar on a terminal, a line for each tenth
// elsewhere, nothing with --json.
type progress struct {
	bar   *progressbar.ProgressBar
	w     io.Writer
	n, of int
}

func (s *session) progress(of int) *progress {
	p := &progress{of: of}
	f, file := s.note.(*os.File)
	switch {
	case s.json:
	case file && term.IsTerminal(int(f.Fd())):
		p.bar = progressbar.NewOptions(of, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription("playing"),
			progressbar.OptionSetItsString("packets"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
	default:
		p.w = s.note
	}
	return p
}

func (p *progress) step() {
	p.n++
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
	if p.w != nil && p.n*10/p.of != (p.n-1)*10/p.of {
		fmt.Fprintf(p.w, "playing: %d of %d packets\n", p.n, p.of)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
