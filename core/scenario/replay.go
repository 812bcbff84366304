package scenario

import (
	"strings"
	"time"

	"squelch/core"
)

// Watcher sees what a story gives to the radio, so that another build can be given
// the same. Each function may be nil.
type Watcher struct {
	Begin func(core.Config, core.Data)                         // a radio starts, or starts again
	Step  func(now time.Time, by core.Actor, cmd core.Command) // without a command: a Tick
	Block func(*core.State)                                    // a block of a file has been run
}

// Replay runs a whole scenario file and gives it back with the transcripts that the
// radio makes now: if the result equals the file, the radio does what it says. A file
// consists of blocks with blank lines between them: "setup" or "radio", input lines,
// "----" and the transcript.
func Replay(file string) (string, error) { return ReplayWatched(file, Watcher{}) }

// ReplayWatched is Replay with a Watcher.
func ReplayWatched(file string, watch Watcher) (string, error) {
	story, err := newStory("", watch)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	blocks := strings.Split(strings.TrimRight(file, "\n"), "\n\n")
	for i, b := range blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		input, _, isBlock := strings.Cut(b, "\n----")
		out.WriteString(input + "\n")
		if !isBlock {
			continue
		}
		out.WriteString("----\n")
		directive, lines := Directive(input)
		var text string
		if story, text, err = story.Run(directive, lines); err != nil {
			return "", err
		}
		out.WriteString(text)
		if watch.Block != nil {
			watch.Block(story.state)
		}
	}
	return out.String(), nil
}

func (t *Story) begins(c core.Config, d core.Data) {
	if t.watch.Begin != nil {
		t.watch.Begin(c, d)
	}
}

func (t *Story) steps(by core.Actor, c core.Command) {
	if t.watch.Step != nil {
		t.watch.Step(t.now, by, c)
	}
}

// Directive splits a block's input into its first line, which is a directive, and
// the lines below it. Comments above the directive are left out.
func Directive(input string) (directive, lines string) {
	rest := input
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	directive, lines, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(directive), lines
}

// Run runs one block: "setup" starts a new story with the settings in lines, anything
// else goes on with this one. It returns the story with which to go on, and the
// transcript.
func (t *Story) Run(directive, lines string) (*Story, string, error) {
	if directive != "setup" {
		return t, t.Tell(lines), nil
	}
	fresh, err := newStory(lines, t.watch)
	if err != nil {
		return nil, "", err
	}
	return fresh, "ready\n", nil
}
