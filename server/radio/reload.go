package radio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/audit"
	"squelch/server/config"
)

// oldCallbacks is how long the functions of a file that was replaced go on, for the
// questions that they were asked before: a player who connects asks three, and waits for a
// second for each at most.
const oldCallbacks = 4 * time.Second

// Reload reads the configuration again and puts it in force, under the edits of the
// administration: rules of the radio, permissions, functions, log level. What a service
// takes at a start only is named in the result. After an error everything is as
// before, unless it is an *admin.LateError; a *config.Mistakes lists what is wrong with the
// file.
func (r *Radio) Reload(ctx context.Context, by core.Actor) (out wire.AdminReloaded, err error) {
	if r.reread == nil {
		return out, admin.ErrNoFile
	}
	r.reloading.Lock()
	defer r.reloading.Unlock()
	fresh, warnings, err := r.reread(ctx)
	if err != nil {
		return out, err
	}
	r.keepSecrets(fresh)
	out = wire.AdminReloaded{Success: true, Changed: []string{}, Restart: append([]string{}, config.NeedsRestart(r.started, fresh)...), Warnings: append([]string{}, warnings...)}
	level := r.lines != nil && fresh.Server.LogLevel != r.lines.Level()
	before := r.callbacks.Load()
	fresh.Callbacks.Logf(r.infof)
	err = r.editor.Reload(ctx, r.engine, by, config.Live(r.started.Core, fresh.Core), func(changed []string, changes []admin.Difference, more int) error {
		out.Changed = append(out.Changed, changed...)
		if level {
			out.Changed = append(out.Changed, "logLevel")
		}
		detail := map[string]any{"changed": out.Changed, "restart": out.Restart, "changes": changes}
		if more > 0 {
			detail["moreChanges"] = more
		}
		if err := r.auditor().Append(ctx, audit.Entry{Actor: audit.Actor{Name: by.Name}, Surface: audit.Surface(by.Surface), Action: "admin.config.reload", Detail: detail}); err != nil {
			return err
		}
		r.callbacks.Store(fresh.Callbacks) // before the game server hears of the configuration
		return nil
	})
	late := (*admin.LateError)(nil)
	if err != nil && !errors.As(err, &late) {
		r.callbacks.Store(before)
		fresh.Callbacks.Close()
		return out, err
	}
	r.newest.Store(fresh)
	if level {
		r.lines.SetLevel(fresh.Server.LogLevel)
	}
	r.work.Go(func() {
		select {
		case <-time.After(oldCallbacks):
		case <-r.quit:
		}
		before.Close()
	})
	r.log.Info("the configuration was read again", "changed", strings.Join(out.Changed, " "), "needsRestart", strings.Join(out.Restart, " "))
	for _, w := range warnings {
		r.log.Warn(w)
	}
	if r.neighbours != nil {
		r.changeNeighbours(ctx, by, fresh, &out)
	}
	return out, err
}

// changeNeighbours has the host's other radios follow the file.
func (r *Radio) changeNeighbours(ctx context.Context, by core.Actor, fresh *config.Loaded, out *wire.AdminReloaded) {
	changed, warnings := r.neighbours.Change(ctx, fresh)
	out.Warnings = append(out.Warnings, warnings...)
	if !changed {
		return
	}
	out.Changed = append(out.Changed, "radios")
	names := []string{}
	for _, other := range r.neighbours.All() {
		names = append(names, other.Name)
	}
	r.auditor().Note(ctx, audit.Entry{Actor: audit.Actor{Name: by.Name}, Surface: audit.Surface(by.Surface), Action: "admin.radios", Detail: map[string]any{"radios": names, "warnings": warnings}})
}

// keepSecrets gives a file the secrets that it leaves out, as the start did.
func (r *Radio) keepSecrets(fresh *config.Loaded) {
	for _, secret := range []struct{ to, from *string }{
		{&fresh.Server.AuthToken, &r.started.Server.AuthToken},
		{&fresh.Server.DispatchNacID, &r.started.Server.DispatchNacID},
		{&fresh.Server.AdminPassword, &r.started.Server.AdminPassword},
	} {
		if *secret.to == "" {
			*secret.to = *secret.from
		}
	}
}

// ReloadAndLog is Reload for who waits for no answer: a signal.
func (r *Radio) ReloadAndLog(ctx context.Context) {
	_, err := r.Reload(ctx, core.Actor{Surface: core.BySystem})
	var wrong *config.Mistakes
	var late *admin.LateError
	switch {
	case errors.As(err, &wrong):
		for _, e := range wrong.All {
			r.log.Error("configuration: " + e.Error())
		}
		r.log.Error(fmt.Sprintf("the configuration has mistakes (%d) and was not taken: the radio goes on with the one it has", len(wrong.All)))
	case errors.As(err, &late):
		r.log.Error(late.Error())
	case err != nil:
		r.log.Error("the configuration was not read again", "error", err)
	}
}

// where gives the file and line of an entry of the access rules.
func (r *Radio) where(e core.ACE) (file string, line int) { return r.newest.Load().Where(e) }

// needGame are the functions that only the game server can answer.
func (r *Radio) needGame() []string { return slices.Clone(r.callbacks.Load().NeedGame()) }
