package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manualCommand prints the manual page, for those who make packages.
func manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "manual",
		Short:  "Print the manual page in the form of man",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), manual(cmd.Root()))
			return err
		},
	}
}

// manual is the page squelch(1), in the macros of man(7), made of what the commands say
// of themselves.
func manual(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SQUELCH 1 \"\" \"Squelch %s\" \"User commands\"\n", roff(buildVersion()))
	fmt.Fprintf(&b, ".SH NAME\nsquelch \\- %s\n.SH SYNOPSIS\n.B squelch\n.I command\n[flags]\n.SH DESCRIPTION\n%s\n", roff(root.Short), roff(root.Long))
	b.WriteString(".SH COMMANDS\n")
	var describe func(*cobra.Command)
	describe = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() {
			return
		}
		if cmd.HasAvailableSubCommands() {
			for _, sub := range cmd.Commands() {
				describe(sub)
			}
			return
		}
		about := cmd.Long
		if about == "" {
			about = cmd.Short
		}
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(cmd.UseLine()), roff(about))
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n\\fB\\-\\-%s\\fR \\fI%s\\fR\n%s", roff(f.Name), roff(value), roff(usage))
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
				fmt.Fprintf(&b, " (default %s)", roff(f.DefValue))
			}
			b.WriteString("\n")
		})
	}
	for _, cmd := range root.Commands() {
		describe(cmd)
	}
	fmt.Fprintf(&b, ".SH ENVIRONMENT\nEach flag has a variable: \\fB%s\\fR sets \\fB\\-\\-log\\-level\\fR. A flag that is given wins.\n", variable("log-level"))
	b.WriteString(".SH EXIT STATUS\n0: success. 1: failure, or a failed check. 2: wrong command, flags or arguments; nothing was done.\n")
	b.WriteString(".SH FILES\n.TP\n/etc/squelch/config.lua, /etc/squelch/permissions.cfg\nthe radio, where a package has installed it\n" +
		".TP\n/etc/default/squelch\nflags of the service, as variables\n.TP\n/var/lib/squelch\nthe data folder of the service\n")
	return b.String()
}

// roff escapes what man(7) would read as a macro.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
