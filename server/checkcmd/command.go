// Package checkcmd is "squelch check": it reads a configuration as serve does and
// reports what is in it, or what is wrong with it.
package checkcmd

//go:generate go run ./gen

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"squelch/core"
	"squelch/server/config"
	"squelch/server/lua/sandbox"
	"squelch/server/script"
	"squelch/server/webhook"
)

// Command is the subcommand.
func Command() *cobra.Command {
	var path, old, listen string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a configuration and summarise it",
		Long: "Read a configuration as serve does and print a summary. If config.lua or permissions.cfg\n" +
			"has mistakes, print all of them with file, line and key, and exit with code 1. The\n" +
			"callbacks are tried for a player who does not exist; those that need the game, because\n" +
			"they use exports or a function of another resource, are listed: the game resource\n" +
			"answers them. The files of Config.scripts are compiled, and templates of webhooks are\n" +
			"tried with an event of each kind. The other radios of Config.radios are checked in the\n" +
			"same way, and what is wrong with them names the radio. Without --config, check the demo\n" +
			"radio. With --json, print the radio in the form that the panel's simulation reads,\n" +
			"without its secrets (no login, no token, nobody whom permissions.cfg names), or the\n" +
			"mistakes:\n" +
			"{errors: [{file, line, key, message}], warnings: []}.\n\n" +
			"With --migrate, a configuration of the older product is checked in the same way, and what\n" +
			"becomes of each key is printed in the order of the file: taken, changed, ignored, wrong, or\n" +
			"missing. The exit code is 1 if something is wrong. Nothing is written. With --json:\n" +
			"{file, lines: [{line, key, verdict, text}], permissions: [], warnings: [], counts: {}}.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := examine(cmd.Context(), cmp.Or(old, path), Terms{Listen: listen})
			if r.loaded != nil {
				defer r.loaded.Callbacks.Close()
			}
			r.radios(cmd.Context(), Terms{Listen: listen})
			if old != "" {
				return r.writeMigration(cmd.OutOrStdout(), old, asJSON)
			}
			return r.write(cmd.OutOrStdout(), cmd.ErrOrStderr(), asJSON)
		},
	}
	cmd.Flags().StringVar(&path, "config", "", "configuration `file` (config.lua; permissions.cfg is read beside it)")
	cmd.Flags().StringVar(&old, "migrate", "", "say line by line what becomes of a configuration `file` of the older product")
	cmd.MarkFlagsMutuallyExclusive("config", "migrate")
	cmd.Flags().StringVar(&listen, "listen", "", "also check what serve requires of a configuration that listens on this `address`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the radio as JSON, for a scenario of the simulation, or the mistakes")
	return cmd
}

// Terms are those of the service that will use a configuration.
type Terms struct {
	Listen       string                     // the address on which it listens; "": not known
	AllowDefault bool                       // it takes placeholder secrets on any address
	Other        bool                       // it is of another radio than the main one of a host
	Over         func(*config.Loaded) error // puts its flags and environment over the file; nil: none
}

// Examine reads a configuration as strictly as the command does, for a service. It returns
// warnings too. The caller closes the callbacks. An error lists everything that is wrong
// with the file: it is a *config.Mistakes, or comes from Over.
func Examine(ctx context.Context, path string, t Terms) (*config.Loaded, []string, error) {
	r := examine(ctx, path, t)
	if r.over != nil {
		r.loaded.Callbacks.Close()
		return nil, nil, r.over
	}
	if wrong := r.found(); wrong != nil {
		if r.loaded != nil {
			r.loaded.Callbacks.Close()
		}
		return nil, nil, wrong
	}
	return r.loaded, r.warn, nil
}

// examine reads a configuration and tries everything that serve would do with it.
func examine(ctx context.Context, path string, t Terms) *report {
	r := &report{file: path}
	if abs, err := filepath.Abs(path); err == nil {
		r.file = abs
	}
	open := config.Open
	if t.Other {
		open = config.OpenRadio
	}
	loaded, err := open(path)
	if err != nil {
		r.fail(err)
		if wrong := (*config.Mistakes)(nil); errors.As(err, &wrong) {
			r.callbacks(wrong.TryOut(ctx, samplePlayer))
		}
		return r
	}
	r.loaded = loaded
	if t.Over != nil {
		if r.over = t.Over(loaded); r.over != nil {
			return r
		}
	}
	r.warn = loaded.Warnings
	r.account = loaded.Account
	r.callbacks(loaded.Callbacks.TryOut(ctx, samplePlayer))
	r.scripts()
	r.errs = append(r.errs, webhook.Check(loaded.Server.Webhooks)...)
	if wrong := loaded.Server.Recording.FolderMistake(); wrong != nil {
		wrong.File = path
		r.errs = append(r.errs, wrong)
	}
	r.reachable(path, t)
	return r
}

// scripts reads Config.scripts as the service does.
func (r *report) scripts() {
	all := script.Read(r.loaded.Server.Scripts, r.loaded.Core.ResourceName)
	r.running = named(all, func(s *script.Resource) string { return s.Name })
	for _, err := range script.Mistakes(all) {
		e := &config.Error{Key: "scripts", Msg: err.Error()}
		if at := (*sandbox.Error)(nil); errors.As(err, &at) {
			e.File, e.Line, e.Msg = at.File, at.Line, at.Msg
		}
		r.errs = append(r.errs, e)
	}
}

// reachable checks what depends on who can reach the radio. Without an address,
// problems are warnings: serve listens only on this machine unless told otherwise.
// Secrets that the file leaves out will be generated.
func (r *report) reachable(path string, t Terms) {
	s := r.loaded.Server
	if short := config.WarnOfShortToken(s); short != "" {
		r.warn = append(r.warn, short)
	}
	for _, secret := range []*string{&s.AuthToken, &s.DispatchNacID, &s.AdminPassword} {
		if *secret == "" {
			*secret = "generated"
		}
	}
	where := t.Listen
	if where == "" {
		where = "localhost"
	}
	warnings, err := config.CheckSecrets(where, s, t.AllowDefault)
	r.warn = append(r.warn, warnings...)
	if err != nil {
		r.errs = append(r.errs, &config.Error{File: path, Msg: err.Error()})
	}
	if t.Listen != "" {
		if _, err := config.CheckExternal(t.Listen, s); err != nil {
			r.errs = append(r.errs, &config.Error{File: path, Msg: err.Error()})
		}
	} else if _, err := config.CheckExternal("any address but this machine's", s); err != nil {
		r.warn = append(r.warn, err.Error())
	}
}

func (r *report) write(out, warnings io.Writer, asJSON bool) error {
	wrong := r.found()
	if asJSON && wrong != nil {
		if err := r.writeJSON(out); err != nil {
			return err
		}
		return wrong
	}
	for _, w := range r.warn {
		if _, err := fmt.Fprintln(warnings, "warning:", w); err != nil {
			return err
		}
	}
	switch {
	case wrong != nil:
		return wrong
	case asJSON:
		return WriteRadio(out, r.loaded.Core)
	}
	return summary(out, &r.loaded.Core, r.answers(), r.running, r.others, r.loaded.Services())
}

// WriteRadio writes a radio as one JSON object, in the form of core.Config, for
// others to see.
func WriteRadio(w io.Writer, c core.Config) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(shareable(c))
}
