package radios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/logs"
	"squelch/server/radio"
)

// leaveTime is how long the clients and requests of a radio that is taken off the air may
// take to end.
const leaveTime = 5 * time.Second

// Folder is where the radios other than the default one have their files, in the data
// folder.
const Folder = "radios"

// Options of Start.
type Options struct {
	// Default is the radio of the main file, complete.
	Default radio.Options
	// Data is the data folder.
	Data string
	// Read reads the configuration of another radio, as strictly as squelch check does, and
	// gives its warnings. Nil: config.OpenRadio.
	Read func(ctx context.Context, file string) (*config.Loaded, []string, error)
	// Generated is told the secrets that were made for another radio. Nil: nobody is.
	Generated func(name string, secrets []radio.Secret)
}

// Radios are the radios of a host on the air. It is a host.Radio.
type Radios struct {
	o       Options
	log     *slog.Logger
	main    *radio.Radio
	table   atomic.Pointer[table]
	file    atomic.Pointer[config.Loaded] // the main one as it was read last
	kept    *kept
	changed sync.Mutex        // one change of the list at a time
	others  map[string]*other // by name; changed with mu held
	mu      sync.Mutex
	closing bool // nothing is added any more
}

// other is a radio besides the default one.
type other struct {
	name   string
	file   string
	loaded *config.Loaded
	radio  *radio.Radio // nil: it has failed
	reason string       // why
	using  sync.WaitGroup

	mu    sync.Mutex
	gone  bool     // no request begins any more
	hosts []string // of the main file, and of its own serverAddress
}

// Start puts the default radio on the air, and then the others. One of those that fails is
// reported, and stops nobody.
func Start(ctx context.Context, o Options) (*Radios, error) {
	if o.Read == nil {
		o.Read = func(_ context.Context, file string) (*config.Loaded, []string, error) {
			l, err := config.OpenRadio(file)
			if err != nil {
				return nil, nil, err
			}
			return l, l.Warnings, nil
		}
	}
	r := &Radios{o: o, log: o.Default.Log, others: map[string]*other{}}
	r.kept = &kept{folder: filepath.Join(o.Data, Folder, storeFolder), logf: logs.Printf(r.log, logs.Notice)}
	if o.Default.Cluster != nil { // whose nodes keep all radios
		r.kept.keep = o.Default.Cluster.Keep
	}
	r.table.Store(&table{})
	o.Default.Neighbours = r
	main, err := radio.Start(ctx, o.Default)
	if err != nil {
		return nil, err
	}
	r.main = main
	r.tabulate()
	r.Change(ctx, o.Default.Config)
	return r, nil
}

// Default is the radio of the main file.
func (r *Radios) Default() *radio.Radio { return r.main }

// Find is the radio of a name; nil: there is none, or it is not on the air.
func (r *Radios) Find(name string) *radio.Radio {
	if name == config.MainRadio {
		return r.main
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.others[name]; o != nil {
		return o.radio
	}
	return nil
}

// Change makes the list of radios that of the main file as it was just read: it adds,
// removes, and reads the files of those that stay again. changed says whether the list is
// another one; warnings are what is wrong with single radios. Those that it does not
// concern notice nothing.
func (r *Radios) Change(ctx context.Context, main *config.Loaded) (changed bool, warnings []string) {
	r.changed.Lock()
	defer r.changed.Unlock()
	if r.closing {
		return false, nil
	}
	r.file.Store(main)
	wanted := map[string]config.RadioFile{}
	for _, f := range main.Server.Radios {
		wanted[f.Name] = f
	}
	for name, o := range r.list() {
		if f, stays := wanted[name]; !stays || f.File != o.file {
			changed = true
			r.set(name, nil)
			r.tabulate() // nobody new comes
			o.end(r.log)
			r.log.Info("a radio was taken off the air", "radio", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		f, o := wanted[name], r.list()[name]
		var warn []string
		var err error
		if o != nil && o.radio != nil {
			changed = o.called(hostsOf(f, o.loaded)) || changed
			warn, err = o.reload(ctx)
		} else {
			again := o != nil
			o, warn, err = r.begin(ctx, f)
			r.set(name, o)
			changed = changed || !again || err == nil
		}
		for _, w := range warn {
			warnings = append(warnings, "radio "+name+": "+w)
		}
		if err != nil {
			warnings = append(warnings, "radio "+name+": "+oneLine(err))
		}
	}
	r.tabulate()
	for _, w := range warnings {
		r.log.Warn(w)
	}
	return changed, warnings
}

// oneLine is an error in one line, with the first mistake of several.
func oneLine(err error) string {
	first, rest, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(" (and %d more; squelch check lists them)", strings.Count(rest, "\n")+1)
	}
	return first
}

// list is a copy of the others.
func (r *Radios) list() map[string]*other {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.others)
}

func (r *Radios) set(name string, o *other) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o == nil {
		delete(r.others, name)
	} else {
		r.others[name] = o
	}
}

// begin puts another radio on the air. One that fails is an other all the same, with the
// reason.
func (r *Radios) begin(ctx context.Context, f config.RadioFile) (o *other, warnings []string, err error) {
	o = &other{name: f.Name, file: f.File, hosts: f.Hosts}
	defer func() {
		if err != nil {
			o.reason = oneLine(err)
			if o.loaded != nil {
				o.loaded.Callbacks.Close()
			}
		}
	}()
	read := func(ctx context.Context) (*config.Loaded, []string, error) {
		l, warn, err := r.o.Read(ctx, f.File)
		if err == nil {
			l.Join(r.file.Load(), f.Name)
		}
		return l, warn, err
	}
	loaded, warnings, err := read(ctx)
	if err != nil {
		return o, nil, err
	}
	loaded.Account = config.Account{} // squelch check tells what became of each line
	o.loaded, o.hosts = loaded, hostsOf(f, loaded)
	folder := filepath.Join(r.o.Data, Folder, f.Name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return o, warnings, err
	}
	storage, err := r.kept.of(ctx, f.Name, loaded.Server.Limits.TransmissionLog)
	if err != nil {
		return o, warnings, err
	}
	generated, err := radio.Secrets(ctx, storage.Secrets, loaded)
	if r.o.Generated != nil && len(generated) > 0 {
		r.o.Generated(f.Name, generated)
	}
	if err != nil {
		return o, warnings, err
	}
	ro := radio.Options{Name: f.Name, Config: loaded, Reread: read, Store: storage, Folder: folder, Ports: r.o.Default.Ports, Cluster: r.o.Default.Cluster,
		Panel: r.o.Default.Panel, Build: r.o.Default.Build, Log: r.log.With("radio", f.Name)}
	if r.o.Default.Lines != nil {
		ro.Lines = r.o.Default.Lines.Of(f.Name)
		ro.Log = ro.Lines.Logger
	}
	o.radio, err = radio.Start(ctx, ro)
	return o, warnings, err
}

// reload reads the file of a radio again, for the host.
func (o *other) reload(ctx context.Context) (warnings []string, err error) {
	out, err := o.radio.Reload(ctx, core.Actor{Surface: core.BySystem})
	return out.Warnings, err
}

// hostsOf are the host names that mean a radio.
func hostsOf(f config.RadioFile, l *config.Loaded) []string {
	own := l.OwnHost()
	if own == "" || slices.Contains(f.Hosts, own) {
		return f.Hosts
	}
	return append(slices.Clone(f.Hosts), own)
}

// called notes the host names that mean a radio; true: they are others than before.
func (o *other) called(hosts []string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	other := !slices.Equal(o.hosts, hosts)
	o.hosts = hosts
	return other
}

// names are the host names that mean the radio.
func (o *other) names() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hosts
}

// enter counts a request; false: the radio is being taken off the air.
func (o *other) enter() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone || o.radio == nil {
		return false
	}
	o.using.Add(1)
	return true
}

// end takes a radio off the air: sockets, then requests, then the radio.
func (o *other) end(log *slog.Logger) {
	if o.radio == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	if err := o.radio.HangUp(ctx); err != nil {
		log.Warn("clients did not leave in time", "radio", o.name, "error", err)
	}
	o.mu.Lock()
	o.gone = true
	o.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		o.using.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		log.Warn("requests did not end in time", "radio", o.name)
	}
	o.radio.Close()
}

// HangUp ends the clients of all radios.
func (r *Radios) HangUp(ctx context.Context) error {
	r.changed.Lock() // what is being added is added first
	r.closing = true
	r.changed.Unlock()
	errs := make(chan error)
	all := r.list()
	for _, o := range all {
		go func() {
			if o.radio == nil {
				errs <- nil
				return
			}
			errs <- o.radio.HangUp(ctx)
		}()
	}
	err := r.main.HangUp(ctx)
	for range all {
		err = errors.Join(err, <-errs)
	}
	return err
}

// Close ends the radios. It is called when no request is running any more.
func (r *Radios) Close() {
	var work sync.WaitGroup
	for _, o := range r.list() {
		if o.radio != nil {
			work.Go(o.radio.Close)
		}
	}
	r.main.Close()
	work.Wait()
	r.kept.close()
}

// All lists the radios for the administration of the host, the default one first.
func (r *Radios) All() []wire.AdminRadio {
	all := []wire.AdminRadio{describe(config.MainRadio, r.o.Default.Config.Core.ServerName, "/", nil, r.main, "")}
	others := slices.SortedFunc(maps.Values(r.list()), func(a, b *other) int { return cmp.Compare(a.name, b.name) })
	for _, o := range others {
		title := ""
		if o.loaded != nil {
			title = o.loaded.Core.ServerName
		}
		all = append(all, describe(o.name, title, prefixOf(o.name)+"/", o.names(), o.radio, o.reason))
	}
	return all
}

func describe(name, title, path string, hosts []string, on *radio.Radio, reason string) wire.AdminRadio {
	a := wire.AdminRadio{Name: name, Title: title, Path: path, Hosts: append([]string{}, hosts...), State: wire.RadioOnAir, Reason: reason}
	if on == nil {
		a.State = wire.RadioFailed
		return a
	}
	a.Clients = on.Clients()
	if why := on.Ready(); why != "" {
		a.State, a.Reason = wire.RadioTroubled, why
	}
	return a
}
