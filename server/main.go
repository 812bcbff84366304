// Command squelch is a radio channel service for game servers.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"squelch/server/bench"
	"squelch/server/checkcmd"
	"squelch/server/clientcmd"
	"squelch/server/imbecmd"
	"squelch/server/replaycmd"
)

// Exit codes of every subcommand.
const (
	exitFailed = 1 // the work could not be done
	exitUsage  = 2 // flags or arguments are wrong
)

// usageError marks an error of flags or arguments.
type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := rootCommand().ExecuteContext(ctx)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "squelch:", err)
	var usage usageError
	if errors.As(err, &usage) {
		os.Exit(exitUsage)
	}
	os.Exit(exitFailed)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "squelch",
		Short:         "Radio channels for game servers",
		Long:          "Squelch carries push-to-talk radio for game servers: players and dispatchers talk\non channels, bots use REST and Socket.IO, operators script it in Lua.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
	})
	root.AddCommand(serveCommand(), versionCommand(), auditCommand(), secretsCommand(), checkcmd.Command(), clientcmd.Command(), replaycmd.Command(), imbecmd.Command(), bench.Command())
	root.CompletionOptions.HiddenDefaultCmd = true
	checkArguments(root)
	return root
}

// checkArguments makes wrong arguments an error of usage, as wrong flags are.
func checkArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
}
