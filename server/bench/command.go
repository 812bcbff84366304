// Package bench measures a service in a process of its own, with real clients, beside
// other servers in the same run.
package bench

import "github.com/spf13/cobra"

// Command is `squelch bench`.
func Command() *cobra.Command {
	cmd := &cobra.Command{Use: "bench", Short: "Measure the service in comparison with others"}
	cmd.AddCommand(voiceCommand(), relayCommand(), hostileCommand(), attackCommand(), replayCommand(), clusterCommand(), nodeCommand())
	return cmd
}
