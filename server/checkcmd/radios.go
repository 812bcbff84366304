package checkcmd

import (
	"context"
	"errors"
	"fmt"

	"squelch/server/config"
)

// radios checks the files of the host's other radios, each as strictly as the main one.
// What is found names the radio.
func (r *report) radios(ctx context.Context, t Terms) {
	if r.loaded == nil {
		return
	}
	hosts := map[string]string{}
	for _, one := range r.loaded.Server.Radios {
		loaded, warn, err := Examine(ctx, one.File, Terms{Listen: t.Listen, AllowDefault: t.AllowDefault, Other: true})
		for _, w := range warn {
			r.warn = append(r.warn, "radio "+one.Name+": "+w)
		}
		var wrong *config.Mistakes
		switch {
		case errors.As(err, &wrong):
			for _, e := range wrong.All {
				named := *e
				named.Msg = fmt.Sprintf("%s (radio %s)", e.Msg, one.Name)
				r.errs = append(r.errs, &named)
			}
			continue
		case err != nil:
			r.errs = append(r.errs, &config.Error{File: one.File, Msg: fmt.Sprintf("%v (radio %s)", err, one.Name)})
			continue
		}
		loaded.Callbacks.Close()
		for _, host := range append([]string{loaded.OwnHost()}, one.Hosts...) {
			if other := hosts[host]; host != "" && other != "" && other != one.Name {
				r.errs = append(r.errs, &config.Error{File: one.File, Key: "serverAddress", Msg: fmt.Sprintf("%s is the host name of the radio %s already (radio %s)", host, other, one.Name)})
			}
			hosts[host] = one.Name
		}
		r.others = append(r.others, one.Name+" "+loaded.Core.ServerName)
	}
}
