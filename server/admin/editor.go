package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// Storage stores the live edits; *store.Bucket is one.
type Storage interface {
	Get(key string) (value []byte, found bool)
	// Put returns nil when the value is durable.
	Put(ctx context.Context, key string, value []byte) error
}

// storageKey is the key of the live edits.
const storageKey = "overlay"

// stored is the durable form of the live edits.
type stored struct {
	Version  int             `json:"v"` // 1
	Revision int             `json:"revision"`
	Overlay  json.RawMessage `json:"overlay"`
}

// Editor owns the live edits: what is stored, and what is put over the file. It makes
// one change at a time.
type Editor struct {
	storage Storage

	changing sync.Mutex // held while the disk and the radio work
	revision int
	kept     json.RawMessage // the edits as they are stored; nil: there are none
	laid

	file atomic.Pointer[core.Config] // laid.base
}

// OpenEditor reads the live edits and returns the configuration to start with. Edits
// that no longer fit the file, because it has changed, are not put in force and stay
// stored until the next edit; StartNote says so. An error means that what is stored
// cannot be read.
func OpenEditor(storage Storage, base core.Config) (*Editor, core.Config, error) {
	e := &Editor{storage: storage}
	if _, err := e.read(); err != nil {
		return nil, base, err
	}
	on, err := e.fit(base)
	if err != nil {
		return nil, base, err
	}
	e.laid = on
	e.file.Store(&on.base)
	return e, on.merged, nil
}

// read takes the live edits as they are stored, and says whether they are others than those
// that are known.
func (e *Editor) read() (other bool, err error) {
	value, found := e.storage.Get(storageKey)
	if !found {
		return false, nil
	}
	var s stored
	if err := json.Unmarshal(value, &s); err != nil {
		return false, fmt.Errorf("the live edits in the data folder cannot be read: %w", err)
	}
	if s.Version != 1 {
		return false, fmt.Errorf("the live edits in the data folder have version %d; this program reads version 1", s.Version)
	}
	other = s.Revision != e.revision
	e.revision, e.kept = s.Revision, s.Overlay
	return other, nil
}

// Follow takes the edits that another service has made which shares the storage. That one
// has told the radio.
func (e *Editor) Follow() error {
	e.changing.Lock()
	defer e.changing.Unlock()
	other, err := e.read()
	if err != nil || !other {
		return err
	}
	on, err := e.fit(e.base)
	if err == nil {
		e.laid = on
	}
	return err
}

// laid is the live edits over a file.
type laid struct {
	base    core.Config // as the file says
	digest  string      // of base, so that an edit applies only to what its author saw
	overlay config.Overlay
	ignored string // why the edits are not in force; "": they are
	merged  core.Config
}

// fit lays the stored edits over a file.
func (e *Editor) fit(base core.Config) (laid, error) {
	on := laid{base: base, merged: base}
	parts, err := json.Marshal(wire.AdminPartsOf(&base))
	if err != nil {
		return on, err
	}
	sum := sha256.Sum256(parts)
	on.digest = hex.EncodeToString(sum[:6])
	if e.kept == nil {
		return on, nil
	}
	o, err := config.ParseOverlay(e.kept)
	if err == nil {
		var merged core.Config
		if merged, err = config.Apply(base, o); err == nil {
			on.overlay, on.merged = o, merged
			return on, nil
		}
	}
	on.ignored = located(err).Error()
	return on, nil
}

// StartNote returns a line for the start log; "" if there are no live edits.
func (e *Editor) StartNote() string {
	switch parts := e.overlay.Parts(); {
	case e.ignored != "":
		return "warning: the live edits from /admin do not fit the configuration file and are not in force: " + e.ignored
	case len(parts) > 0:
		return fmt.Sprintf("live edits from /admin override the configuration file for %v, until they are reset", parts)
	}
	return ""
}

// name is the revision as clients see it.
func (e *Editor) name() string { return strconv.Itoa(e.revision) + "-" + e.digest }

// radio is what an Editor does to the radio; *engine.Engine is one.
type radio interface {
	Do(ctx context.Context, by core.Actor, cmd core.Command) (core.Output, error)
	View(ctx context.Context, look func(v core.View)) error
}

// Stored is a configuration with what the file and the live edits say that are stored. It does
// not wait for a change that is being made.
func (e *Editor) Stored(c core.Config) (core.Config, error) {
	now := Editor{storage: e.storage}
	if _, err := now.read(); err != nil {
		return c, err
	}
	on, err := now.fit(*e.file.Load())
	if err != nil {
		return c, err
	}
	return withParts(c, on.merged), nil
}

// Show returns the configuration in force and its revision.
func (e *Editor) Show(ctx context.Context, r radio) (wire.AdminConfig, error) {
	e.changing.Lock()
	defer e.changing.Unlock()
	return e.show(ctx, r)
}

func (e *Editor) show(ctx context.Context, r radio) (wire.AdminConfig, error) {
	out := wire.AdminConfig{Success: true, Revision: e.name(), Edited: append([]string{}, e.overlay.Parts()...), Ignored: e.ignored}
	err := r.View(ctx, func(v core.View) { out.Config = wire.AdminPartsOf(v.Config()) })
	return out, err
}

// Change is one edit: it turns the live edits into others. approve is called when the
// result is known to work, but before anything changes.
type Change struct {
	Revision string
	Make     func(config.Overlay) (config.Overlay, error)
	// Approve gets what changes, as far as an audit entry lists it, and how much more.
	Approve func(revision string, changes []Difference, more int) error
}

// Apply checks an edit, stores it, and puts it in force; everybody is then told. A
// refusal has changed nothing.
func (e *Editor) Apply(ctx context.Context, r radio, c Change) (wire.AdminConfig, error) {
	e.changing.Lock()
	defer e.changing.Unlock()
	none := wire.AdminConfig{}
	if c.Revision != e.name() {
		return none, errRevision
	}
	made, err := c.Make(e.overlay)
	if err != nil {
		return none, err
	}
	overlay, raw, record, err := durable(e.revision+1, made)
	if err != nil {
		return none, err
	}
	merged, err := config.Apply(e.base, overlay)
	if err != nil {
		jobs := e.base.JobCodeplugs
		if overlay.JobCodeplugs != nil {
			jobs = *overlay.JobCodeplugs
		}
		return none, locatedJob(err, jobs)
	}
	// The other fields may have been changed by something else than the file.
	var before core.Config
	err = r.View(ctx, func(v core.View) {
		before = *v.Config()
		merged = withParts(before, merged)
	})
	if err != nil {
		return none, err
	}
	if err := merged.Check(); err != nil {
		return none, located(err)
	}
	changes, more, err := changed(&before, &merged)
	if err != nil {
		return none, err
	}
	if err := c.Approve(strconv.Itoa(e.revision+1)+"-"+e.digest, changes, more); err != nil {
		return none, err
	}
	if err := e.storage.Put(ctx, storageKey, record); err != nil {
		return none, fmt.Errorf("saving changes failed: %w", err)
	}
	e.revision, e.overlay, e.kept, e.ignored = e.revision+1, overlay, raw, ""
	// From here on the edit stands: an error below comes from the disk, and the radio
	// has the edit already, or gets it at the next start.
	if _, err := r.Do(ctx, actor(ctx), core.ReplaceConfig{Config: merged}); err != nil {
		return none, fmt.Errorf("the edit is stored, but could not be put in force or recorded: %w", err)
	}
	return e.show(ctx, r)
}

// Reload puts another file in force, under the live edits. approve is called when that is
// known to work, but before anything changes. Edits that are in force and do not fit the
// file are a refusal: nothing has changed then. After a *LateError the file counts as taken.
func (e *Editor) Reload(ctx context.Context, r radio, by core.Actor, base core.Config, approve func(changed []string, changes []Difference, more int) error) error {
	e.changing.Lock()
	defer e.changing.Unlock()
	on, err := e.fit(base)
	if err != nil {
		return err
	}
	if on.ignored != "" && e.ignored == "" {
		return &core.Error{Kind: core.Conflict, Message: "The changes that were made at /admin do not fit the file: " + on.ignored + ". Restore that section from the file at /admin, or change the file"}
	}
	var before core.Config
	if err := r.View(ctx, func(v core.View) { before = *v.Config() }); err != nil {
		return err
	}
	changes, more, err := changed(&before, &on.merged)
	if err != nil {
		return err
	}
	if err := on.merged.Check(); err != nil {
		return located(err)
	}
	if err := approve(config.ChangedRules(&before, &on.merged), changes, more); err != nil {
		return err
	}
	_, err = r.Do(ctx, by, core.ReplaceConfig{Config: on.merged})
	if refused := (*core.Error)(nil); errors.As(err, &refused) {
		return err
	}
	e.laid = on
	e.file.Store(&on.base)
	if err != nil {
		return &LateError{err}
	}
	return nil
}

// LateError is an error after a change was ordered: the radio has it, or will have it. It
// comes from the disk, or from the end of the radio or of the request.
type LateError struct{ Err error }

func (e *LateError) Error() string {
	return "the configuration was read and is in force or about to be, but the radio has not confirmed it: " + e.Err.Error()
}

func (e *LateError) Unwrap() error { return e.Err }

// durable returns the live edits as the next start will read them, because these have to be
// put in force now; as JSON; and the record of them that is stored.
func durable(revision int, o config.Overlay) (again config.Overlay, raw, record []byte, err error) {
	if raw, err = json.Marshal(o); err != nil {
		return o, nil, nil, err
	}
	if len(raw) > config.MaxOverlay {
		return o, nil, nil, &core.Error{Kind: core.Invalid, Message: fmt.Sprintf("The live edits together must have at most %d bytes", config.MaxOverlay)}
	}
	if again, err = config.ParseOverlay(raw); err != nil {
		return o, nil, nil, located(err)
	}
	record, err = json.Marshal(stored{Version: 1, Revision: revision, Overlay: raw})
	return again, raw, record, err
}

// withParts is c, with the editable parts taken from another configuration.
func withParts(c, from core.Config) core.Config {
	c.Zones, c.Alerts, c.Tones, c.Volumes = from.Zones, from.Alerts, from.Tones, from.Volumes
	c.AnnouncementGroups, c.Codeplugs, c.JobCodeplugs = from.AnnouncementGroups, from.Codeplugs, from.JobCodeplugs
	c.Layouts = from.Layouts
	return c
}

// partNames are the parts that can be edited live and reset.
var partNames = config.Overlay{
	Zones: new([]core.Zone), Alerts: new([]config.AlertEntry), Tones: new([]core.Tone), Volumes: new(core.Volumes),
	AnnouncementGroups: new([]core.AnnouncementGroup), Codeplugs: new([]core.Codeplug), JobCodeplugs: new([]core.JobCodeplug),
	Layouts: new([]core.Layout),
}.Parts()

// without sets parts back to the file.
func without(o config.Overlay, parts []string) (config.Overlay, error) {
	for i, part := range parts {
		if !slices.Contains(partNames, part) {
			at := fmt.Sprintf("parts[%d]", i+1)
			return o, &core.Error{Kind: core.Invalid, Field: at, Message: fmt.Sprintf("%s must be one of %v", at, partNames)}
		}
	}
	gone := func(part string) bool { return len(parts) == 0 || slices.Contains(parts, part) }
	if gone("zones") {
		o.Zones = nil
	}
	if gone("alerts") {
		o.Alerts = nil
	}
	if gone("tones") {
		o.Tones = nil
	}
	if gone("volumes") {
		o.Volumes = nil
	}
	if gone("announcementGroups") {
		o.AnnouncementGroups = nil
	}
	if gone("codeplugs") {
		o.Codeplugs = nil
	}
	if gone("jobCodeplugs") {
		o.JobCodeplugs = nil
	}
	if gone("layouts") {
		o.Layouts = nil
	}
	return o, nil
}
