package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthTime is how long the service may take to say that it is ready: half of what a
// container's health check usually gives.
const healthTime = 3 * time.Second

// healthCommand asks a running service whether it is ready, for health checks in
// containers, which have no curl.
func healthCommand() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running service whether it is ready",
		Long: "Ask a running service whether it is ready: exit code 0, or 1 with the reason.\n" +
			"Without --url it asks the address that SQUELCH_LISTEN names, on this machine.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if url == "" {
				url = here(os.Getenv(variable("listen")))
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTime)
			defer cancel()
			return askReady(ctx, strings.TrimRight(url, "/"))
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "`address` of the service; default: http://127.0.0.1:7777, or as SQUELCH_LISTEN says")
	return cmd
}

// here is the URL on this machine of a service that listens at an address.
func here(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "http://" + defaultListen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func askReady(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return usageError{fmt.Errorf("--url: %w", err)}
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode == http.StatusOK {
		return nil
	}
	var refused struct{ Error string }
	text, _ := io.ReadAll(io.LimitReader(reply.Body, 64<<10))
	if json.Unmarshal(text, &refused) != nil || refused.Error == "" {
		refused.Error = reply.Status
	}
	return fmt.Errorf("the service at %s is not ready: %s", url, refused.Error)
}
