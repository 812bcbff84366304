// Package clientcmd is `squelch client`: a radio on the command line that talks,
// listens and records, for demos, tests and bots.
package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"squelch/core"
)

// options are the flags.
type options struct {
	server   string
	token    string
	session  string
	nac      string
	callsign string
	id       int
	speak    string
	scan     []string
	play     string
	repeat   int
	override bool
	record   string
	webrtc   bool
	lasts    time.Duration
	json     bool
	file     string // of --script
	resource string
}

// Command is `squelch client`.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "client",
		Short: "Talk, listen and record on a running radio",
		Long: "Connect as a dispatcher (--nac-id, or --token with a negative --id) or as a player\n" +
			"(--token with a player token), join and scan channels, play an Ogg Opus file at its\n" +
			"own pace and record what is heard, packet by packet. Stop when --for is over or the\n" +
			"file has been played, or at Ctrl-C. A lost connection is re-established, and a key-up\n" +
			"repeated.\n\n" +
			"With --script a Lua file uses the radio through the client exports, as client scripts\n" +
			"do in the game: exports['radio']:connectToFrequency('154.755'). While it transmits,\n" +
			"the file of --play is sent, then silence. Functions of RadioConfig (talkCheck,\n" +
			"batteryTick, bgSirenCheck) are the script's to set; what the service sends comes as\n" +
			"events, AddEventHandler('radio:talkingState', …). It stays until os.exit(status), --for\n" +
			"or Ctrl-C. Without --json only what the script prints goes to the standard output.\n\n" +
			"Exit status: 0 success, 1 failure (such as a busy channel, or an error in the script),\n" +
			"2 wrong flags; a script that calls os.exit sets its own.",
		Example: "  squelch client --nac-id 1234567890 --callsign Listener --id -2 --scan 154.755 --record heard.ogg --for 20s\n" +
			"  squelch client --nac-id 1234567890 --callsign Talker --speak 154.755 --play speech.ogg\n" +
			"  squelch client --token MASTER --id -3 --scan 154.755,460.25 --json\n" +
			"  squelch client --token PLAYERTOKEN --id 12 --script patrol.lua --play speech.ogg --for 1m",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			ctx := cmd.Context()
			if o.lasts > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, o.lasts)
				defer cancel()
			}
			err := newSession(o, cmd.OutOrStdout(), cmd.ErrOrStderr()).run(ctx)
			if errors.Is(err, context.Canceled) || (o.lasts > 0 && errors.Is(err, context.DeadlineExceeded)) {
				return nil // Ctrl-C, or the time is over
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.server, "server", "http://127.0.0.1:7777", "`URL` of the radio, such as https://radio.example.org/r/county where a host has several")
	fl.StringVar(&o.token, "token", "", "master, session or player token, or API key")
	fl.StringVar(&o.session, "session", "", "session `id` that belongs to a session token")
	fl.StringVar(&o.nac, "nac-id", "", "dispatch NAC id to log in with")
	fl.StringVar(&o.callsign, "callsign", "", "callsign to log in with")
	fl.IntVar(&o.id, "id", -1, "user id: negative for a dispatcher, positive for a player")
	fl.StringVar(&o.speak, "speak", "", "`frequency` to tune to and talk on")
	fl.StringSliceVar(&o.scan, "scan", nil, "`frequencies` to scan, separated by commas")
	fl.StringVar(&o.play, "play", "", "Ogg Opus `file` to play")
	fl.IntVar(&o.repeat, "repeat", 1, "how many times to play it")
	fl.BoolVar(&o.override, "override", false, "key up even when the channel is busy (audited)")
	fl.StringVar(&o.record, "record", "", "Ogg Opus `file` to record to")
	fl.BoolVar(&o.webrtc, "webrtc", false, "carry voice over WebRTC instead of Socket.IO")
	fl.DurationVar(&o.lasts, "for", 0, "how long to stay; 0 means until done or Ctrl-C")
	fl.StringVar(&o.file, "script", "", "Lua `file` that uses the radio as the game's client scripts do; stays until os.exit, --for or Ctrl-C")
	fl.StringVar(&o.resource, "resource", "radio", "`name` by which --script calls the exports")
	fl.BoolVar(&o.json, "json", false, "print every event as a JSON line")
	return cmd
}

// check refuses flags that cannot work, and writes frequencies as the radio does.
func (o *options) check() error {
	switch {
	case o.token == "" && o.nac == "":
		return errors.New("--token or --nac-id is required")
	case o.token != "" && o.nac != "":
		return errors.New("--token and --nac-id are mutually exclusive")
	case o.nac != "" && o.callsign == "":
		return errors.New("--nac-id requires --callsign")
	case o.id == 0:
		return errors.New("--id must not be 0")
	case o.play != "" && o.speak == "" && o.file == "":
		return errors.New("--play requires --speak or --script")
	case o.session != "" && o.token == "":
		return errors.New("--session requires --token")
	case o.nac != "" && o.id > 0:
		return errors.New("--nac-id logs in a dispatcher: --id must be negative")
	case o.override && o.play == "" && o.file == "":
		return errors.New("--override requires --play or --script")
	case o.resource == "":
		return errors.New("--resource must not be empty")
	case o.repeat < 1:
		return errors.New("--repeat must be at least 1")
	case o.repeat > 1 && o.play == "":
		return errors.New("--repeat requires --play")
	case o.lasts < 0:
		return errors.New("--for must not be negative")
	}
	o.server = strings.TrimRight(o.server, "/")
	if u, err := url.Parse(o.server); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("--server: %q is not an http or https URL", o.server)
	}
	if o.speak != "" {
		f, err := core.ParseFrequency(o.speak)
		if err != nil {
			return fmt.Errorf("--speak: %q is not a frequency", o.speak)
		}
		o.speak = f.String()
	}
	for i, text := range o.scan {
		f, err := core.ParseFrequency(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("--scan: %q is not a frequency", text)
		}
		o.scan[i] = f.String()
	}
	return nil
}
