// Package bot is what the example bots have in common: flags, the address and the key from
// the environment, exit codes, and the end at Ctrl-C.
package bot

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	client "squelch/clients/go"
)

// Exit codes of a bot.
const (
	exitFailed = 1 // the radio refuses, or does not answer
	exitUsage  = 2 // flags or the environment are wrong; nothing was done
)

// demo is the address of a radio on this machine.
const demo = "http://127.0.0.1:7777"

// Bot is a program with flags.
type Bot struct {
	*flag.FlagSet
	url *string
}

// UsageError is an error of flags or arguments.
type UsageError struct{ error }

// Usage makes a UsageError.
func Usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// New makes a bot; about is what --help says, with the scopes that its key needs.
func New(name, about string) *Bot {
	b := &Bot{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	b.url = b.String("url", cmp.Or(os.Getenv("SQUELCH_URL"), demo), "address of the radio; by default SQUELCH_URL")
	b.FlagSet.Usage = func() {
		fmt.Fprintf(b.Output(), "%s\n\nThe API key is in SQUELCH_KEY: other users of a machine can read flags.\n\nFlags:\n", about)
		b.PrintDefaults()
		fmt.Fprint(b.Output(), "\nExit status: 0 success, also at Ctrl-C; 1 failure; 2 wrong flags.\n")
	}
	return b
}

// Main reads the flags, runs the bot until it returns or Ctrl-C, and exits.
func (b *Bot) Main(run func(context.Context, *client.Client) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := b.main(ctx, os.Args[1:], run)
	stop()
	os.Exit(code)
}

func (b *Bot) main(ctx context.Context, args []string, run func(context.Context, *client.Client) error) int {
	if len(args) > 0 && (args[0] == "--help" || args[0] == "-help" || args[0] == "-h") {
		b.SetOutput(os.Stdout)
	}
	switch err := b.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil: // the flag package has said why
		return exitUsage
	}
	err := b.connect(ctx, run)
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return 0
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", b.Name(), err)
	if errors.As(err, new(UsageError)) {
		return exitUsage
	}
	return exitFailed
}

func (b *Bot) connect(ctx context.Context, run func(context.Context, *client.Client) error) error {
	key := os.Getenv("SQUELCH_KEY")
	if key == "" {
		return Usage("SQUELCH_KEY is missing: expected an API key, sqk_…; create one at /admin, API keys")
	}
	c, err := client.New(*b.url, client.Key(key))
	if err != nil {
		return Usage("--url or SQUELCH_URL: %w", err)
	}
	defer c.Close()
	return run(ctx, c)
}
