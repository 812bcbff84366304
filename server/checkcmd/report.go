package checkcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"squelch/server/config"
)

// report is what check has found.
type report struct {
	loaded  *config.Loaded // nil: it does not load
	errs    []*config.Error
	over    error // Terms.Over failed
	warn    []string
	tried   []config.Tried
	running []string // names of the scripts
	others  []string // the other radios: name and title
	account config.Account
	file    string // the configuration, as mistakes name it
}

// samplePlayer is whom the callbacks are asked about.
const samplePlayer = 1

// problem is an error in the JSON output.
type problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

// found joins the errors; nil if there are none.
func (r *report) found() error {
	if len(r.errs) == 0 {
		return nil
	}
	return &config.Mistakes{All: r.errs}
}

// fail adds an error of opening the configuration.
func (r *report) fail(err error) {
	var all *config.Mistakes
	var one *config.Error
	switch {
	case errors.As(err, &all):
		r.errs = append(r.errs, all.All...)
		r.account = all.Account
		r.warn = append(r.warn, all.Warnings...)
	case errors.As(err, &one):
		r.errs = append(r.errs, one)
	default:
		r.errs = append(r.errs, &config.Error{Msg: err.Error()})
	}
}

// callbacks adds the results of trying the callbacks. What goes wrong here with one
// that only the game server can answer is no mistake.
func (r *report) callbacks(tried []config.Tried) {
	for _, t := range tried {
		if t.Err != nil && t.Game == nil {
			r.errs = append(r.errs, t.Err)
		}
	}
	r.tried = tried
}

// answers returns the callbacks and their answers about the sample player.
func (r *report) answers() []string {
	var all []string
	for _, t := range r.tried {
		switch {
		case t.Game != nil:
			all = append(all, fmt.Sprintf("%s in the game (line %d uses %s)", t.Name, t.Game.Line, t.Game.Uses))
		case t.Err == nil:
			all = append(all, fmt.Sprintf("%s(%d) %s", t.Name, samplePlayer, t.Answer))
		default:
			all = append(all, fmt.Sprintf("%s(%d) not known here", t.Name, samplePlayer))
		}
	}
	return all
}

func (r *report) writeJSON(w io.Writer) error {
	out := struct {
		Errors   []problem `json:"errors"`
		Warnings []string  `json:"warnings"`
	}{[]problem{}, append([]string{}, r.warn...)}
	for _, e := range r.errs {
		out.Errors = append(out.Errors, problem{e.File, e.Line, e.Key, e.Msg})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
