package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"squelch/server/config"
	"squelch/server/radios"
	"squelch/server/store"
)

func secretsCommand() *cobra.Command {
	var data, radio string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "secrets",
		Short: "Show the secrets that were generated on the first start",
		Long: "Show the secrets that the first start generated because the configuration\n" +
			"does not set them. The service may be running.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			values, err := secretsIn(cmd.Context(), data, radio)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				secrets := map[string]string{}
				for name, value := range values {
					secrets[name] = string(value)
				}
				return json.NewEncoder(out).Encode(secrets)
			}
			for _, name := range slices.Sorted(maps.Keys(values)) {
				fmt.Fprintf(out, "%-14s %s\n", name, values[name])
			}
			if len(values) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "none: the configuration sets them all")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", "./data", "data `folder` of a service")
	cmd.Flags().StringVar(&radio, "radio", config.MainRadio, "`name` of the radio, where a host has several")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func secretsIn(ctx context.Context, data, radio string) (map[string][]byte, error) {
	if radio == config.MainRadio {
		return store.ReadSecrets(data)
	}
	return radios.ReadSecrets(ctx, data, radio)
}
