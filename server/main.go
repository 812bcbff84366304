// Command squelch is a radio channel service for game servers.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	svc "github.com/kardianos/service"
	"github.com/spf13/cobra"

	"squelch/server/bench"
	"squelch/server/checkcmd"
	"squelch/server/clientcmd"
	"squelch/server/imbecmd"
	"squelch/server/replaycmd"
	"squelch/server/themecmd"
)

// Exit codes of every subcommand.
const (
	exitFailed = 1 // the work could not be done
	exitUsage  = 2 // flags or arguments are wrong
)

// usageError marks an error of flags or arguments.
type usageError struct{ error }

func main() {
	if startedByManager() {
		os.Exit(underManager(os.Args[1:], svc.New))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes a command line and gives the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := rootCommand(out)
	root.SetArgs(args)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var status interface{ ExitStatus() int }
	if errors.As(err, &status) { // of a script, which has printed its own messages
		return status.ExitStatus()
	}
	fmt.Fprintln(errs, "squelch:", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func rootCommand(out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "squelch",
		Short:         "Radio channels for game servers",
		Long:          "Squelch carries push-to-talk radio for game servers: players and dispatchers talk\non channels, bots use REST and Socket.IO, operators configure it in Lua.\n\nWherever a flag is not given, the environment variable of its name sets it:\nSQUELCH_LOG_LEVEL is --log-level.",
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return fromEnvironment(cmd, os.Getenv)
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
	})
	root.AddCommand(serveCommand(), serviceCommand(theServiceDesk()), versionCommand(), auditCommand(), secretsCommand(), adminCommand(), configCommand(), backupCommand(), restoreCommand(), explainCommand(), clusterCommand(), healthCommand(), manualCommand(), resourceCommand(), checkcmd.Command(), clientcmd.Command(), replaycmd.Command(), imbecmd.Command(), themecmd.Command(), bench.Command())
	root.SetHelpCommand(helpCommand())
	root.SetOut(out) // now: the command for completion remembers it
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	return root
}

// helpCommand is cobra's, except that it fails for a command that does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return cmd.FlagErrorFunc()(cmd, err)
			case len(rest) > 0:
				return unknown(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// checkArguments makes wrong arguments and unknown subcommands usage errors, as wrong
// flags are.
func checkArguments(cmd *cobra.Command) {
	if cmd.HasSubCommands() {
		cmd.Args, cmd.SuggestionsMinimumDistance = cobra.ArbitraryArgs, 2 // letters
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown(cmd, args[0])
			}
			return cmd.Help()
		}
	}
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

// unknown returns the error for a command that does not exist, with a list of those
// that do.
func unknown(of *cobra.Command, name string) error {
	near := of.SuggestionsFor(name)
	if len(near) == 0 {
		for _, sub := range of.Commands() {
			if sub.IsAvailableCommand() {
				near = append(near, sub.Name())
			}
		}
		return of.FlagErrorFunc()(of, fmt.Errorf("unknown command %q for %q, which has %s", name, of.CommandPath(), strings.Join(near, ", ")))
	}
	return of.FlagErrorFunc()(of, fmt.Errorf("unknown command %q for %q, did you mean %s?", name, of.CommandPath(), strings.Join(near, " or ")))
}
