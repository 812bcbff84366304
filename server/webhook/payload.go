package webhook

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// Payload is the body of the template "json", and what other templates are given. What it
// has of an entry of the timeline means what it means there.
type Payload struct {
	Version int    `json:"version"`           // 1; a field that changes its meaning counts it up, a new one does not
	ID      string `json:"id"`                // Squelch-Id; of a transmission, that of its recording too
	Event   string `json:"event"`             // Squelch-Event
	Radio   string `json:"radio"`             // serverName of the configuration
	Channel string `json:"channel,omitempty"` // name of frequency, or of controlFrequency
	Zone    string `json:"zone,omitempty"`    // the first one that has it
	wire.TimelineEntry
}

const version = 1

// payload makes the body's contents. Frequencies of a transmission are those of its
// patch: for filters, not for receivers.
func payload(ev Event, radio string, c *core.Config) *Payload {
	p := &Payload{Version: version, ID: ev.ID, Event: ev.Kind, Radio: radio, TimelineEntry: ev.Entry}
	p.TimelineEntry.ID = ev.ID
	if p.Kind == core.MomentTransmission {
		p.Frequencies = nil
	}
	for _, f := range []string{p.ControlFrequency, p.Frequency} {
		if f != "" && p.Channel == "" {
			p.Channel, p.Zone = channelOf(f, c)
		}
	}
	return p
}

// channelOf finds the name of a channel; "" if it has none.
func channelOf(frequency string, c *core.Config) (name, zone string) {
	f, err := core.ParseFrequency(frequency)
	if err != nil || c == nil {
		return "", ""
	}
	for _, z := range c.Zones {
		for _, ch := range z.Channels {
			if ch.Frequency == f {
				return ch.Name, z.Name
			}
		}
	}
	return "", ""
}

// fields is the payload by its JSON names, with a value for each of them: "" for texts,
// 0 for numbers that there are not. Numbers are in the form of JSON, which no range goes
// over.
func (p *Payload) fields() map[string]any {
	out := map[string]any{}
	collect(reflect.ValueOf(*p), out)
	return out
}

func collect(v reflect.Value, out map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			collect(v.Field(i), out)
			continue
		}
		if _, shadowed := out[name]; shadowed {
			continue
		}
		switch x := v.Field(i); x.Kind() {
		case reflect.String:
			out[name] = x.String()
		case reflect.Bool:
			out[name] = x.Bool()
		case reflect.Slice:
			out[name] = x.Interface()
		case reflect.Pointer: // the recording: it is finished after its transmission has been told
		default:
			b, _ := json.Marshal(x.Interface())
			out[name] = json.Number(strings.Trim(string(b), `"`))
		}
	}
}

func fieldNames() []string { return wire.SortedKeys((&Payload{}).fields()) }

// samples are payloads of every kind that belongs to some events, with as much in them as
// there may be, and with as little.
func samples(events []string) (all []*Payload) {
	for _, kind := range append(wire.SortedKeys(kinds), kindTranscript, kindTest) {
		event := kinds[kind]
		if event == "" {
			event = kind
		}
		if event != kindTest && !slices.Contains(events, event) {
			continue
		}
		little := wire.TimelineEntry{Seq: 7, ID: kind + "-7", Kind: kind, At: 1_700_000_000_000}
		much := little
		much.EndedAt, much.DurationMs, much.ServerID, much.Name, much.UnitID = 1_700_000_002_500, 2500, 12, `Ann "Red" O'Neil`, "4A-12"
		much.Frequency, much.ControlFrequency, much.PatchID, much.Encoding = "154.755", "154.7", "p-1", "opus"
		much.By, much.ByName, much.Detail, much.Reason, much.Frequencies, much.EmergencyID = -2, "Dispatch 1", "line one\nline \\ two", "why", []string{"154.755", "155.1"}, "e-3"
		much.Transcript = "copy that"
		for _, e := range []wire.TimelineEntry{much, little} {
			all = append(all, &Payload{Version: version, ID: e.ID, Event: event, Radio: "Example", TimelineEntry: e})
		}
		all[len(all)-2].Channel, all[len(all)-2].Zone = "Dispatch", "Police"
	}
	return all
}

// Check says what is wrong with webhooks, beyond what the configuration's own reader
// sees.
func Check(hooks []config.Webhook) (wrong []*config.Error) {
	for _, h := range hooks {
		if _, err := renderOf(h); err != nil {
			wrong = append(wrong, asMistake(h, err))
		}
		if err := addressed(h); err != nil {
			wrong = append(wrong, h.Mistake("url", err.Error()))
		}
	}
	return wrong
}
