package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"squelch/server/audit"
	"squelch/server/config"
	"squelch/server/filelock"
	"squelch/server/radio"
	"squelch/server/radios"
	"squelch/server/store"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Check the audit log of a data folder"}
	cmd.AddCommand(auditVerifyCommand())
	return cmd
}

func auditVerifyCommand() *cobra.Command {
	var data, name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that no audit entry was changed, removed or inserted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keepPrivate()
			if err := filelock.AsOwner(data); err != nil {
				return err
			}
			st, err := store.Open(cmd.Context(), data, store.Options{MustExist: true})
			if err != nil {
				return err
			}
			defer st.Close()
			storage, done, err := kept(cmd.Context(), st, data, name)
			if err != nil {
				return err
			}
			defer done()
			report, err := audit.New(storage.Audit, time.Now).Verify(cmd.Context())
			var broken *audit.BrokenError
			if err != nil && !errors.As(err, &broken) {
				return err
			}
			if asJSON {
				out := map[string]any{"ok": broken == nil, "first": report.First, "last": report.Last, "head": report.Head}
				if broken != nil {
					out["entry"], out["reason"] = broken.Seq, broken.Reason
				}
				if encodeErr := json.NewEncoder(cmd.OutOrStdout()).Encode(out); encodeErr != nil {
					return encodeErr
				}
			} else if broken == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "entries %d to %d are intact; head %s\n", report.First, report.Last, report.Head)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", "./data", "data `folder` of a service that is stopped")
	cmd.Flags().StringVar(&name, "radio", config.MainRadio, "`name` of the radio, where a host has several")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// kept is what is kept of a radio in an open data folder.
func kept(ctx context.Context, st *store.Store, data, name string) (s *radio.Storage, done func(), err error) {
	if name == config.MainRadio {
		return radio.OnStore(st), func() {}, nil
	}
	return radios.Look(ctx, data, name, func(string, ...any) {})
}
