package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"squelch/server/bench/figures"
	"squelch/server/checkcmd"
	"squelch/server/config"
	"squelch/server/logs"
)

// serveFlags are the flags of serve; they override the file.
type serveFlags struct {
	config, data        string
	listen, media       string
	cert, key, auto     string
	journal             string
	logLevel, logFormat string
	debug               string
	allowDefaultSecrets bool
	figures             bool
	logFile             string
	cluster             clusterFlags
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
			"Secrets may come from SQUELCH_AUTH_TOKEN, SQUELCH_DISPATCH_NAC_ID and\n" +
			"SQUELCH_ADMIN_PASSWORD, that of a cluster from SQUELCH_CLUSTER_SECRET;\n" +
			"SQUELCH_AUTH_TOKEN_FILE and so on name files that hold them.\n" +
			"Without --config a complete demo radio starts. Secrets missing from the\n" +
			"configuration are generated, shown on the first start, and kept in the data folder,\n" +
			"where squelch secrets reads them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			keepPrivate()
			if f.logFile != "" {
				file, err := logs.OpenFile(f.logFile)
				if err != nil {
					return fmt.Errorf("--log-file: %w", err)
				}
				cmd.SetOut(file)
				cmd.SetErr(file)
				defer file.Close()
			}
			defer func() { // whoever reads the file has no console
				if err != nil && f.logFile != "" {
					fmt.Fprintln(cmd.ErrOrStderr(), "squelch:", err)
				}
			}()
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
			if err := checkServe(f); err != nil {
				return err
			}
			format, err := logs.ParseFormat(f.logFormat)
			if err != nil {
				return err // checkServe has read it
			}
			loaded, err := config.Open(f.config)
			if err != nil {
				return err
			}
			defer loaded.Callbacks.Close()
			if err := errors.Join(f.override(loaded), environment(loaded)); err != nil {
				return err
			}
			log := logs.New(logs.Options{Level: loaded.Server.LogLevel, Format: format, Out: cmd.ErrOrStderr(), Timeless: os.Getenv(journalStream) != ""})
			defer log.Close()
			for _, doubt := range unknownVariables(cmd.Root(), os.Environ()) {
				log.Warn(doubt)
			}
			s := &service{loaded: loaded, data: f.data, listen: f.listenAddress(cmd, loaded), media: f.media, debug: f.debug,
				journal: f.journal, allowDefault: f.allowDefaultSecrets, kept: f.logFile != "" || os.Getenv(journalStream) != "", out: cmd.OutOrStdout(), log: log}
			if f.figures {
				go figures.Answer(cmd.InOrStdin(), cmd.OutOrStdout()) // ends with the process
			}
			if f.config != "" {
				s.reread = func(ctx context.Context) (*config.Loaded, []string, error) { return f.reread(ctx, s.listen) }
			}
			return s.run(cmd.Context())
		},
	}
	addServeFlags(cmd.Flags(), &f)
	completeServe(cmd)
	return cmd
}

// checkServe checks the flags of serve that can be checked without the configuration.
func checkServe(f serveFlags) error {
	if (f.cert == "") != (f.key == "") {
		return usageError{fmt.Errorf("--tls-cert and --tls-key must be given together")}
	}
	if f.auto != "" && f.cert != "" {
		return usageError{fmt.Errorf("--tls-auto and --tls-cert are mutually exclusive")}
	}
	if err := errors.Join(checkAddress("--listen", f.listen), checkAddress("--media", f.media), checkAddress("--debug-listen", f.debug)); err != nil {
		return usageError{err}
	}
	if _, err := logs.ParseFormat(f.logFormat); err != nil {
		return usageError{fmt.Errorf("--log-format: %w", err)}
	}
	if f.logLevel != "" {
		if _, err := logs.ParseLevel(f.logLevel); err != nil {
			return usageError{fmt.Errorf("--log-level: %w", err)}
		}
	}
	return nil
}

// addServeFlags adds the flags of serve; service install has them too.
func addServeFlags(fl *pflag.FlagSet, f *serveFlags) {
	fl.StringVar(&f.config, "config", "", "configuration `file` (config.lua; permissions.cfg is read beside it)")
	fl.StringVar(&f.data, "data", "./data", "data `folder`")
	fl.StringVar(&f.listen, "listen", defaultListen, "`address` and port of REST, Socket.IO and panel; the default port is Config.serverPort")
	fl.StringVar(&f.media, "media", "", "`address` and UDP port of WebRTC voice; default: the host of --listen, with webrtc.udpPort of the configuration or 7778 (on loopback the next free port if 7778 is taken)")
	fl.StringVar(&f.cert, "tls-cert", "", "certificate `file` (PEM)")
	fl.StringVar(&f.key, "tls-key", "", "key `file` (PEM)")
	fl.StringVar(&f.auto, "tls-auto", "", "get a certificate for `host` by ACME (needs port 443)")
	fl.StringVar(&f.journal, "journal", "", "write every command to a `file` that squelch replay can play; journals of earlier runs are kept as file.1, file.2, …")
	fl.StringVar(&f.debug, "debug-listen", "", "`address` and port of metrics and profiles without credentials, such as 127.0.0.1:7779; default: none")
	fl.StringVar(&f.logLevel, "log-level", "", "how much is logged: 0 errors only, 3 (default) what happens to the service, 4 also who connects, logs in and joins, 5 everything; or `level` by name: error, warn, notice, info, debug, verbose; overrides Config.logLevel")
	fl.StringVar(&f.logFormat, "log-format", string(logs.Text), "`form` of the log on standard error: text or json")
	fl.StringVar(&f.logFile, "log-file", "", "write output and log to a `file` instead, for a service without a console; at 16 MB it is put aside as file.1")
	fl.BoolVar(&f.allowDefaultSecrets, "allow-default-secrets", false, "start even with placeholder secrets on a public address")
	addClusterFlags(fl, &f.cluster)
	fl.BoolVar(&f.figures, "figures", false, "answer the questions of a benchmark on standard input")
	_ = fl.MarkHidden("figures")
}

// completeServe tells shells what the values of flags are.
func completeServe(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"log-format": {string(logs.Text), string(logs.JSON)},
		"log-level":  {"error", "warn", "notice", "info", "debug", "verbose"},
		"listen":     {defaultListen, "0.0.0.0:7777"},
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = cmd.MarkFlagFilename("config", "lua")
	_ = cmd.MarkFlagFilename("tls-cert", "pem", "crt")
	_ = cmd.MarkFlagFilename("tls-key", "pem", "key")
	_ = cmd.MarkFlagDirname("data")
}

// override puts flags over the file.
func (f serveFlags) override(l *config.Loaded) (err error) {
	s := &l.Server
	switch {
	case f.auto != "":
		s.TLS = config.TLS{Auto: f.auto, HSTS: s.TLS.HSTS}
	case f.cert != "":
		s.TLS = config.TLS{Cert: f.cert, Key: f.key, HSTS: s.TLS.HSTS}
	}
	if f.logLevel != "" {
		if s.LogLevel, err = logs.ParseLevel(f.logLevel); err != nil {
			return usageError{fmt.Errorf("--log-level: %w", err)}
		}
	}
	return f.cluster.override(s)
}

// environment puts secrets of the environment over the file and the flags.
func environment(l *config.Loaded) error { return secretsOf(l, os.Getenv) }

// reread reads the configuration again, as strictly as squelch check does.
func (f serveFlags) reread(ctx context.Context, listen string) (*config.Loaded, []string, error) {
	return checkcmd.Examine(ctx, f.config, checkcmd.Terms{Listen: listen, AllowDefault: f.allowDefaultSecrets,
		Over: func(l *config.Loaded) error { return errors.Join(f.override(l), environment(l)) }})
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
