package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// Bounds of explain.
const (
	explainTime  = 10 * time.Second // for a service's answer
	explainBytes = 4 << 20          // of an answer
)

// explainFlags are those of explain.
type explainFlags struct {
	url, key          string
	config, nac, name string
	identifiers       []string
	asJSON            bool
}

func explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain USER-ID [FREQUENCY] [ACTION]",
		Short: "Say why a unit may use a channel, or may not",
		Long: "Say why a unit may use a channel, or may not: every rule that was asked, file and line\n" +
			"of access rules, and what to change. ACTION is connect (transmit, the default), scan\n" +
			"(listen), gps (see its units on the map) or dispatch (without FREQUENCY).\n\n" +
			"With --url, ask a running service about somebody who is on the radio; the key needs the\n" +
			"scope dispatch. With --config, ask the files about a player who does not have to exist:\n" +
			"--nac and --identifier say what the game server would.",
		Example: "  squelch explain 7 154.755 --key sqk_…\n" +
			"  squelch explain 7 154.755 scan --config config.lua --nac police --identifier license:0123abcd",
		Args: cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := url.Values{"userId": {args[0]}}
			for _, arg := range args[1:] {
				if core.Action(arg) == core.ActDispatch || len(q["frequency"]) > 0 {
					q.Set("action", arg)
				} else {
					q.Set("frequency", arg)
				}
			}
			ask, err := wire.ReadQuestion(q)
			if err != nil {
				return usageError{err}
			}
			var e wire.Explained
			if f.config != "" {
				e, err = f.ofFiles(ask, cmd.ErrOrStderr())
			} else {
				e, err = f.ofService(cmd.Context(), q)
			}
			if err != nil {
				return err
			}
			if f.asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(e)
			}
			return printExplained(cmd.OutOrStdout(), e)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.url, "url", "http://"+defaultListen, "base `URL` of the service")
	fl.StringVar(&f.key, "key", "", "API `key` with the scope dispatch, or the master token; better in SQUELCH_KEY")
	fl.StringVar(&f.config, "config", "", "ask this configuration `file` instead of a service")
	fl.StringVar(&f.nac, "nac", "", "with --config: `NAC` id of the player")
	fl.StringVar(&f.name, "name", "", "with --config: `name` of the player")
	fl.StringArrayVar(&f.identifiers, "identifier", nil, "with --config: `identifier` of the player, such as license:0123abcd; may be given more than once")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	_ = cmd.MarkFlagFilename("config", "lua")
	return cmd
}

// notAsked are the functions of a configuration that decide about access, and what to do
// instead.
var notAsked = []struct{ name, instead string }{
	{"radioAccessCheck", "the answer is for a player whom it admits"},
	{"getUserNacId", "give what it returns with --nac"},
}

// ofFiles asks a radio that is made from the files, with nobody on it but the player.
func (f *explainFlags) ofFiles(ask wire.Question, notes io.Writer) (out wire.Explained, err error) {
	l, err := config.Load(f.config)
	if err != nil {
		return out, err
	}
	defer l.Callbacks.Close()
	for _, f := range notAsked {
		if l.Callbacks.Has(f.name) {
			fmt.Fprintf(notes, "note: Config.%s was not asked, because it may need the game: %s\n", f.name, f.instead)
		}
	}
	s, err := core.New(l.Core)
	if err != nil {
		return out, err
	}
	facts := core.Facts{Name: f.name, Nac: f.nac, Identifiers: f.identifiers}
	if _, err := s.Step(time.Now(), core.Actor{Surface: core.BySystem}, core.Register{User: ask.User, Facts: facts}); err != nil {
		return out, err
	}
	e, err := s.View().Explain(ask.User, ask.Frequency, ask.Action)
	return wire.ExplainedOf(e, l.Where), err
}

// ofService asks a running service.
func (f *explainFlags) ofService(ctx context.Context, q url.Values) (out wire.Explained, err error) {
	ctx, cancel := context.WithTimeout(ctx, explainTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(f.url, "/")+"/radio/dispatch/explain?"+q.Encode(), nil)
	if err != nil {
		return out, usageError{fmt.Errorf("--url: %w", err)}
	}
	if f.key == "" {
		return out, usageError{errors.New("--key or SQUELCH_KEY is missing: an API key with the scope dispatch (/admin, API keys), or the master token; --config FILE asks the files instead")}
	}
	r.Header.Set("Authorization", "Bearer "+f.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return out, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, explainBytes))
	if err != nil {
		return out, err
	}
	if answer.StatusCode != http.StatusOK {
		var refused struct{ Error string }
		if json.Unmarshal(text, &refused) != nil || refused.Error == "" {
			refused.Error = answer.Status
		}
		return out, fmt.Errorf("%s: %s", f.url, refused.Error)
	}
	return out, json.Unmarshal(text, &out)
}

// printExplained prints an explanation for people.
func printExplained(out io.Writer, e wire.Explained) error {
	verdict := "may not"
	if e.Allowed {
		verdict = "may"
	}
	what := map[string]string{"connect": "transmit on", "scan": "listen to", "gps": "see the units of", "dispatch": "do what dispatchers may do"}[e.Action]
	channel := strings.TrimSpace(e.Channel + " " + e.Frequency)
	who := strings.TrimSpace(e.Name + " (" + e.UserID.String() + ")")
	fmt.Fprintf(out, "%s %s %s\n", who, verdict, strings.TrimSpace(what+" "+channel))
	for _, r := range e.Rules {
		where := ""
		if r.Line > 0 {
			where = fmt.Sprintf("  [%s:%d]", r.File, r.Line)
		}
		fmt.Fprintf(out, "  %-8s %-17s %s%s\n", r.Says, r.Rule, r.Text, where)
	}
	for i, c := range e.Change {
		lead := "      or:"
		if i == 0 {
			lead = "to allow:"
		}
		fmt.Fprintf(out, "%s %s\n", lead, c)
	}
	return nil
}
