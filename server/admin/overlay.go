package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// maxAlert is the largest alert config object in bytes, as over REST.
const maxAlert = 16 << 10

func invalid(field, message string) *core.Error {
	return &core.Error{Kind: core.Invalid, Field: field, Message: field + " " + message}
}

// over puts the given parts over live edits. It checks what core.Config.Check does
// not, because the loader of a file fills in such values.
func over(o config.Overlay, p wire.AdminParts) (config.Overlay, error) {
	if p.Zones != nil {
		zones := []core.Zone{}
		for i, z := range p.Zones {
			if err := checkZone(fmt.Sprintf("zones[%d]", i+1), z); err != nil {
				return o, err
			}
			zones = append(zones, z.Zone())
		}
		o.Zones = &zones
	}
	if p.Alerts != nil {
		alerts, err := alertsOf(p.Alerts)
		if err != nil {
			return o, err
		}
		o.Alerts = &alerts
	}
	if p.Tones != nil {
		for i, t := range p.Tones {
			if strings.ContainsAny(t.File, `/\`) {
				return o, invalid(fmt.Sprintf("tones[%d].file", i+1), "must be a file name without folders")
			}
		}
		o.Tones = &p.Tones
	}
	if v := p.Volumes; v != nil {
		o.Volumes = &core.Volumes{Voice: v.Voice, SFX: v.SFX, Audio3D: v.Audio3D, Step: v.Step}
	}
	if err := groupsOver(&o, p.AnnouncementGroups); err != nil {
		return o, err
	}
	if err := layoutsOver(&o, p.Layouts); err != nil {
		return o, err
	}
	return o, codeplugsOver(&o, p)
}

func checkZone(at string, z wire.AdminZone) error {
	if strings.TrimSpace(z.Name) == "" {
		return invalid(at+".name", "is missing")
	}
	lists := map[string][]string{at + ".nacIds": z.NacIDs}
	for i, c := range z.Channels {
		ch := fmt.Sprintf("%s.channels[%d]", at, i+1)
		if strings.TrimSpace(c.Name) == "" {
			return invalid(ch+".name", "is missing")
		}
		if n := len(c.FrequencyRange); n != 0 && n != 2 {
			return invalid(ch+".frequencyRange", "must be two frequencies, low and high")
		}
		lists[ch+".allowedNacs"], lists[ch+".scanAllowedNacs"], lists[ch+".gps.visibleToNacs"] = c.AllowedNacs, c.ScanAllowedNacs, c.GPS.VisibleToNacs
	}
	for _, path := range wire.SortedKeys(lists) {
		for i, nac := range lists[path] {
			if strings.TrimSpace(nac) == "" {
				return invalid(fmt.Sprintf("%s[%d]", path, i+1), "is empty")
			}
		}
	}
	return nil
}

// alertsOf reads alerts by the rules of the file, as the next start does.
func alertsOf(alerts []wire.Alert) ([]config.AlertEntry, error) {
	out := []config.AlertEntry{}
	for i, a := range alerts {
		at := fmt.Sprintf("alerts[%d]", i+1)
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		if len(raw) > maxAlert {
			return nil, invalid(at, fmt.Sprintf("must have at most %d bytes", maxAlert))
		}
		var entry config.AlertEntry
		if err := json.Unmarshal(raw, &entry); err != nil {
			var e *config.Error
			if errors.As(err, &e) && e.Key != "" {
				return nil, invalid(at+"."+strings.TrimPrefix(e.Key, "."), e.Msg)
			}
			return nil, invalid(at, "is not an alert config object")
		}
		out = append(out, entry)
	}
	return out, nil
}

func groupsOver(o *config.Overlay, groups []wire.AdminGroup) error {
	if groups == nil {
		return nil
	}
	out := []core.AnnouncementGroup{}
	for i, g := range groups {
		if strings.TrimSpace(g.Name) == "" {
			return invalid(fmt.Sprintf("announcementGroups[%d].name", i+1), "is missing")
		}
		out = append(out, core.AnnouncementGroup(g))
	}
	o.AnnouncementGroups = &out
	return nil
}

func layoutsOver(o *config.Overlay, layouts []wire.Layout) error {
	if layouts == nil {
		return nil
	}
	out := []core.Layout{}
	for i, l := range layouts {
		layout, err := l.Layout(fmt.Sprintf("layouts[%d]", i+1))
		if err != nil {
			return err
		}
		out = append(out, layout)
	}
	o.Layouts = &out
	return nil
}

func codeplugsOver(o *config.Overlay, p wire.AdminParts) error {
	if p.Codeplugs != nil {
		plugs := []core.Codeplug{}
		for i, c := range p.Codeplugs {
			at := fmt.Sprintf("codeplugs[%d]", i+1)
			switch {
			case c.AnnouncementVolume < 0 || c.AnnouncementVolume > 100:
				return invalid(at+".announcementVolume", "must be 0-100")
			case c.Emergency.HotMicMs < 0 || c.Emergency.HotMicMs > maxHotMic:
				return invalid(at+".emergency.hotMicMs", fmt.Sprintf("must be 0 to %d", maxHotMic))
			}
			plugs = append(plugs, c.Codeplug())
		}
		o.Codeplugs = &plugs
	}
	if p.JobCodeplugs != nil {
		jobs, seen := []core.JobCodeplug{}, map[string]bool{}
		for i, j := range p.JobCodeplugs {
			at := fmt.Sprintf("jobCodeplugs[%d].job", i+1)
			if strings.TrimSpace(j.Job) == "" || seen[j.Job] {
				return invalid(at, "is missing or occurs twice")
			}
			seen[j.Job] = true
			jobs = append(jobs, core.JobCodeplug(j))
		}
		o.JobCodeplugs = &jobs
	}
	return nil
}

// maxHotMic is the longest hot microphone in milliseconds, as in the file.
const maxHotMic = 600_000

// volumePaths are paths that differ between the file and the document.
var volumePaths = map[string]string{"voiceVolume": "volumes.voice", "sfxVolume": "volumes.sfx",
	"default3DVolume": "volumes.audio3d", "volumeStep": "volumes.step"}

// located gives an error of core.Config.Check the path in the document. Other errors
// are refusals without a path.
func located(err error) *core.Error {
	var e *core.Error
	if !errors.As(err, &e) {
		return &core.Error{Kind: core.Invalid, Message: err.Error()}
	}
	if path := volumePaths[e.Field]; path != "" {
		return &core.Error{Kind: e.Kind, Field: path, Message: path + strings.TrimPrefix(e.Message, e.Field)}
	}
	return e
}

// locatedJob gives an error about a job, which the core identifies by name, the path
// of its row among jobs.
func locatedJob(err error, jobs []core.JobCodeplug) *core.Error {
	e := located(err)
	for i, j := range jobs {
		if e.Field == "jobCodeplugs."+j.Job {
			return invalid(fmt.Sprintf("jobCodeplugs[%d].codeplug", i+1), "names codeplug "+j.Codeplug+", which does not exist")
		}
	}
	return e
}
