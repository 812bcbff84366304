// Command answer answers every call on a channel with a recorded voice.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	client "squelch/clients/go"
	"squelch/clients/go/examples/bot"
	"squelch/core"
	"squelch/core/wire"
)

func main() {
	b := bot.New("answer", "answer takes the floor when somebody has talked on its channel, and says what is in a\n"+
		"file. Its key needs the scope talk. Two of them on one channel would answer each other:\n"+
		"give each the other's id with --ignore.")
	channel := b.String("channel", "154.755", "frequency to answer on")
	file := b.String("file", "", "Ogg Opus file to say; required")
	wait := b.Duration("wait", 500*time.Millisecond, "how long to wait after a call")
	ignore := b.String("ignore", "", "user ids whose calls are not answered, separated by commas")
	id := b.Int("id", -41, "dispatcher id to ask for, negative")
	name := b.String("name", "Answer bot", "name on the radio")
	b.Main(func(ctx context.Context, c *client.Client) error {
		a := answerer{wait: *wait, calls: make(chan core.UserID, 1), ignore: map[core.UserID]bool{}}
		var err error
		if a.channel, err = client.Frequency(*channel); err != nil {
			return bot.Usage("--channel: %w", err)
		}
		if a.voice, err = read(*file); err != nil {
			return bot.Usage("--file: %w", err)
		}
		for text := range strings.SplitSeq(*ignore, ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return bot.Usage("--ignore: %q is not a user id, such as -42", text)
			}
			a.ignore[core.UserID(n)] = true
		}
		return a.run(ctx, c, core.UserID(*id), *name)
	})
}

// read reads the voice to say.
func read(path string) ([][]byte, error) {
	if path == "" {
		return nil, errors.New("missing: expected an Ogg Opus file, as opusenc writes it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	packets, err := client.ReadOgg(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return packets, nil
}

// answerer answers.
type answerer struct {
	channel wire.Frequency
	voice   [][]byte
	wait    time.Duration
	ignore  map[core.UserID]bool
	calls   chan core.UserID // who has talked; has room for one: more are answered at once
}

func (a *answerer) run(ctx context.Context, c *client.Client, id core.UserID, name string) error {
	link, err := c.Connect(ctx, id, client.OnTalkingState(a.talking),
		client.OnTrouble(func(_ *client.Link, err error) { fmt.Printf("trouble: %v\n", err) }))
	if err != nil {
		return err
	}
	defer link.Close()
	text := wire.Text(name)
	if err := link.UpdateUserInfo(ctx, wire.UpdateUserInfo{Name: &text}); err != nil {
		return err
	}
	if err := link.SetSpeakerChannel(ctx, a.channel); err != nil {
		return fmt.Errorf("--channel %s: %w", a.channel.At, err)
	}
	fmt.Printf("ready on %s as user %s\n", a.channel.At, link.User())
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-link.Done():
			return link.Err()
		case caller := <-a.calls:
			if err := a.answer(ctx, link, caller); err != nil {
				return err
			}
		}
	}
}

// talking notes the end of a call. What this bot says itself is none.
func (a *answerer) talking(l *client.Link, t wire.TalkingState) {
	if t.State || t.Frequency != a.channel.At.String() || t.ServerID == l.User() || a.ignore[t.ServerID] {
		return
	}
	select {
	case a.calls <- t.ServerID:
	default: // one that waits is answered already
	}
}

// answer talks, unless somebody else does: the end of that is a call again.
func (a *answerer) answer(ctx context.Context, l *client.Link, caller core.UserID) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(a.wait):
	}
	err := l.Talk(ctx, a.channel, a.voice)
	switch {
	case err == nil:
		fmt.Printf("answered user %s with %d packets\n", caller, len(a.voice))
	case ctx.Err() != nil:
		return ctx.Err()
	case client.Busy(err):
		fmt.Printf("no answer to user %s: %v\n", caller, err)
	case l.Err() != nil:
		return l.Err()
	default: // the floor or the connection was lost
		fmt.Printf("the answer to user %s was cut off: %v\n", caller, err)
	}
	return nil
}
