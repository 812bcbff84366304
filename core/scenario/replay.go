package scenario

import (
	"strings"
	"time"

	"squelch/core"
)

// Watcher sees what a story gives to the radio, so that another build can be
// given the same. Members that are nil are left out.
type Watcher struct {
	Begin func(core.Config, core.Data)                         // a radio starts, or starts again
	Step  func(now time.Time, by core.Actor, cmd core.Command) // without a command: a Tick
	Block func(*core.State)                                    // a block of a file has been told
}

// Replay runs a whole scenario file and gives it back with the transcript that
// the radio makes: it is as written when the result is the file. A file is
// blocks of "setup" or "radio", input lines, "----" and the transcript, with
// blank lines between.
func Replay(file string) (string, error) { return ReplayWatched(file, Watcher{}) }

// ReplayWatched is Replay with somebody who watches.
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

// Directive splits a block's input into its first word and the lines below it,
// comments above it left out.
func Directive(input string) (directive, lines string) {
	rest := input
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	directive, lines, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(directive), lines
}

// Run does one block: "setup" starts another story with settings, "radio" goes
// on with this one.
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
