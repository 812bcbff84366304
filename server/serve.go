package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"squelch/server/bench/figures"
	"squelch/server/config"
)

// serveFlags are the flags of serve; they override the file.
type serveFlags struct {
	config, data        string
	listen, media       string
	cert, key, auto     string
	journal             string
	allowDefaultSecrets bool
	figures             bool
}

// gcPercent keeps the heap's headroom small: voice makes little garbage, so
// collecting more often has no measurable cost (`squelch bench relay`), and 500
// clients take a tenth less memory. GOGC overrides.
const gcPercent = 40

const defaultListen = "127.0.0.1:7777"

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the radio service",
		Long: "Run the radio service: REST, Socket.IO and the dispatch panel on one port.\n" +
			"Without --config a complete demo radio starts. Secrets missing from the\n" +
			"configuration are generated, shown on the first start, and kept in the data folder,\n" +
			"where squelch secrets reads them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keepPrivate()
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
			if (f.cert == "") != (f.key == "") {
				return usageError{fmt.Errorf("--tls-cert and --tls-key must be given together")}
			}
			if f.auto != "" && f.cert != "" {
				return usageError{fmt.Errorf("--tls-auto and --tls-cert are mutually exclusive")}
			}
			if err := errors.Join(checkAddress("--listen", f.listen), checkAddress("--media", f.media)); err != nil {
				return usageError{err}
			}
			loaded, err := config.Open(f.config)
			if err != nil {
				return err
			}
			defer loaded.Callbacks.Close()
			override(&loaded.Server, f)
			s := &service{loaded: loaded, data: f.data, listen: f.listenAddress(cmd, loaded), media: f.media,
				journal: f.journal, allowDefault: f.allowDefaultSecrets, out: cmd.OutOrStdout(), log: newLog()}
			if f.figures {
				go figures.Answer(cmd.InOrStdin(), cmd.OutOrStdout()) // ends with the process
			}
			return s.run(cmd.Context())
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `file` (config.lua; permissions.cfg is read beside it)")
	fl.StringVar(&f.data, "data", "./data", "data `folder`")
	fl.StringVar(&f.listen, "listen", defaultListen, "`address` and port of REST, Socket.IO and panel; the default port is Config.serverPort")
	fl.StringVar(&f.media, "media", "", "`address` and UDP port of WebRTC voice; default: the host of --listen, with webrtc.udpPort of the configuration or 7778 (on loopback the next free port if 7778 is taken)")
	fl.StringVar(&f.cert, "tls-cert", "", "certificate `file` (PEM)")
	fl.StringVar(&f.key, "tls-key", "", "key `file` (PEM)")
	fl.StringVar(&f.auto, "tls-auto", "", "get a certificate for `host` by ACME (needs port 443)")
	fl.StringVar(&f.journal, "journal", "", "write every command to a `file` that squelch replay can play; journals of earlier runs are kept as file.1, file.2, …")
	fl.BoolVar(&f.allowDefaultSecrets, "allow-default-secrets", false, "start even with placeholder secrets on a public address")
	fl.BoolVar(&f.figures, "figures", false, "answer the questions of a benchmark on standard input")
	_ = fl.MarkHidden("figures")
	return cmd
}

func override(s *config.ServerConfig, f serveFlags) {
	switch {
	case f.auto != "":
		s.TLS = config.TLS{Auto: f.auto, HSTS: s.TLS.HSTS}
	case f.cert != "":
		s.TLS = config.TLS{Cert: f.cert, Key: f.key, HSTS: s.TLS.HSTS}
	}
}

// checkAddress accepts an address with a port, or nothing.
func checkAddress(flag, address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if n, portErr := strconv.Atoi(port); err != nil || portErr != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s: %q is not of the form ADDRESS:PORT, such as 127.0.0.1:7777", flag, address)
	}
	return nil
}

// listenAddress: a flag wins; else the configured port on the default host.
func (f serveFlags) listenAddress(cmd *cobra.Command, l *config.Loaded) string {
	if cmd.Flags().Changed("listen") && f.listen != "" {
		return f.listen
	}
	host, _, _ := strings.Cut(defaultListen, ":")
	return fmt.Sprintf("%s:%d", host, l.Server.Port)
}
