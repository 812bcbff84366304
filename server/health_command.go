package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// maxHealthAnswer is how many bytes of an answer are shown.
const maxHealthAnswer = 300

func healthCommand() *cobra.Command {
	var listen, address string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running service whether it takes traffic",
		Long: "Ask a running service on this machine whether it takes traffic (GET /readyz): exit\n" +
			"code 0 if it does, 1 if not. Containers and watchdogs use it. --listen is that of the\n" +
			"service, whether it serves HTTP or HTTPS; --url asks any other address.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkAddress("--listen", listen); err != nil {
				return usageError{err}
			}
			u, err := url.Parse(address)
			if err != nil || (address != "" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https")) {
				return usageError{fmt.Errorf("--url: %q is not of the form https://radio.example.org", address)}
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), wait)
			defer cancel()
			if address == "" {
				err = askHere(ctx, nearby(listen))
			} else {
				err = ask(ctx, http.DefaultClient, strings.TrimRight(address, "/"))
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		},
	}
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "`address` and port on which the service listens")
	cmd.Flags().StringVar(&address, "url", "", "base `URL` of a service instead, such as https://radio.example.org")
	cmd.Flags().DurationVar(&wait, "timeout", 4*time.Second, "`time` to wait for the answer")
	return cmd
}

// nearby is where a service that listens on an address is reached from its own machine.
func nearby(listen string) string {
	host, port, _ := net.SplitHostPort(listen) // the caller has checked it
	switch ip := net.ParseIP(host); {          // no name, which an image without /etc/hosts would not know
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// errHTTPS means that the port expects HTTPS.
var errHTTPS = errors.New("the port expects HTTPS")

// askHere asks over HTTP, and where the port expects it over HTTPS. What certificate it
// has does not matter: its name is that of the radio, and this is the same machine.
func askHere(ctx context.Context, address string) error {
	err := ask(ctx, http.DefaultClient, "http://"+address)
	if !errors.Is(err, errHTTPS) {
		return err
	}
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer trusting.CloseIdleConnections()
	return ask(ctx, trusting, "https://"+address)
}

// ask expects that the service at a base URL is ready.
func ask(ctx context.Context, client *http.Client, base string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxHealthAnswer))
	switch {
	case answer.StatusCode == http.StatusOK:
		return nil
	case answer.StatusCode == http.StatusBadRequest && strings.Contains(string(said), "HTTPS server"):
		return errHTTPS
	}
	return fmt.Errorf("%s answers %s: %s", base, answer.Status, strings.TrimSpace(string(said)))
}
