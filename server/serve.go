package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"squelch/server/config"
)

// serveFlags are the flags of serve; they override the file.
type serveFlags struct {
	config, data, listen string
	cert, key, auto      string
	journal              string
	allowDefaultSecrets  bool
}

// gcPercent keeps the heap's headroom small: voice makes little garbage, so
// collecting more often costs nothing that could be measured (`squelch bench
// relay`), and 500 clients take a tenth less memory. GOGC overrides.
const gcPercent = 40

const defaultListen = "127.0.0.1:7777"

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the radio service",
		Long: "Run the radio service: REST, Socket.IO and the dispatch panel on one port.\n" +
			"Without --config a complete demo radio starts. Secrets that the configuration\n" +
			"does not give are generated and shown on the first start, and kept in the data\n" +
			"folder, from which squelch secrets reads them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keepPrivate()
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
			if (f.cert == "") != (f.key == "") {
				return usageError{fmt.Errorf("--tls-cert and --tls-key belong together")}
			}
			if f.auto != "" && f.cert != "" {
				return usageError{fmt.Errorf("--tls-auto and --tls-cert exclude each other")}
			}
			loaded, err := config.Open(f.config)
			if err != nil {
				return err
			}
			defer loaded.Callbacks.Close()
			override(&loaded.Server, f)
			return runService(cmd.Context(), loaded, f.listenAddress(cmd, loaded), f.data, f.journal, f.allowDefaultSecrets)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `file` (config.lua; permissions.cfg is read beside it)")
	fl.StringVar(&f.data, "data", "./data", "data `folder`")
	fl.StringVar(&f.listen, "listen", defaultListen, "listen `address`; the default port follows Config.serverPort")
	fl.StringVar(&f.cert, "tls-cert", "", "certificate `file` (PEM)")
	fl.StringVar(&f.key, "tls-key", "", "key `file` (PEM)")
	fl.StringVar(&f.auto, "tls-auto", "", "get a certificate for `host` by ACME (needs port 443)")
	fl.StringVar(&f.journal, "journal", "", "write every command, in order, into a `file` for squelch replay; the journal of an earlier run there becomes file.1, file.2, …")
	fl.BoolVar(&f.allowDefaultSecrets, "allow-default-secrets", false, "start even with placeholder secrets on a public address")
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

// listenAddress: a flag wins; else the configured port on the default host.
func (f serveFlags) listenAddress(cmd *cobra.Command, l *config.Loaded) string {
	if cmd.Flags().Changed("listen") {
		return f.listen
	}
	host, _, _ := strings.Cut(defaultListen, ":")
	return fmt.Sprintf("%s:%d", host, l.Server.Port)
}
