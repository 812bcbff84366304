package admin

import (
	"context"
	"encoding/json"
	"fmt"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// Stored is what a Storage holds, when it was read from somewhere.
type Stored map[string][]byte

// Get is Storage.Get.
func (s Stored) Get(key string) ([]byte, bool) { value, found := s[key]; return value, found }

// Put keeps a value in memory.
func (s Stored) Put(_ context.Context, key string, value []byte) error { s[key] = value; return nil }

// Export returns the parts that the live edits override as they are in force; with all, all
// parts. An error says that the edits do not fit the file.
func (e *Editor) Export(all bool) (parts wire.AdminParts, err error) {
	e.changing.Lock()
	defer e.changing.Unlock()
	if e.ignored != "" {
		return parts, fmt.Errorf("the changes that were made at /admin do not fit the configuration file: %s", e.ignored)
	}
	full := wire.AdminPartsOf(&e.merged)
	if all {
		return full, nil
	}
	for _, part := range e.overlay.Parts() {
		switch part {
		case "zones":
			parts.Zones = full.Zones
		case "alerts":
			parts.Alerts = full.Alerts
		case "tones":
			parts.Tones = full.Tones
		case "volumes":
			parts.Volumes = full.Volumes
		case "announcementGroups":
			parts.AnnouncementGroups = full.AnnouncementGroups
		case "codeplugs":
			parts.Codeplugs = full.Codeplugs
		case "jobCodeplugs":
			parts.JobCodeplugs = full.JobCodeplugs
		case "layouts":
			parts.Layouts = full.Layouts
		}
	}
	return parts, nil
}

// Import makes parts the live edits of a radio that is not on the air, over those that
// there are, and returns the names of all that are edited then. approve is called when they
// are known to work, but before they are stored.
func (e *Editor) Import(ctx context.Context, parts []byte, approve func(edited []string) error) ([]string, error) {
	e.changing.Lock()
	defer e.changing.Unlock()
	if e.ignored != "" { // they would be lost
		return nil, fmt.Errorf("the changes that were made at /admin do not fit the configuration file (is --config the right one?): %s", e.ignored)
	}
	var in wire.AdminParts
	if err := wire.DecodeEdit(parts, &in); err != nil {
		return nil, err
	}
	made, err := over(e.overlay, in)
	if err != nil {
		return nil, err
	}
	if fresh, err := over(config.Overlay{}, in); err != nil || len(fresh.Parts()) == 0 {
		return nil, &core.Error{Kind: core.Invalid, Message: fmt.Sprintf("There must be at least one part: %v", partNames)}
	}
	overlay, raw, record, err := durable(e.revision+1, made)
	if err != nil {
		return nil, err
	}
	if _, err := config.Apply(e.base, overlay); err != nil {
		return nil, located(err)
	}
	if err := approve(overlay.Parts()); err != nil {
		return nil, err
	}
	if err := e.storage.Put(ctx, storageKey, record); err != nil {
		return nil, err
	}
	e.revision, e.kept = e.revision+1, json.RawMessage(raw)
	on, err := e.fit(e.base)
	e.laid = on
	return overlay.Parts(), err
}
