package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"squelch/core"
)

// Story is a radio that takes lines of text. The zero value is not usable; New makes
// one.
type Story struct {
	state  *core.State
	edits  [][]string
	now    time.Time
	wake   time.Time
	all    bool // write channel states and identities too
	audit  bool // write the audit log too
	self   bool // write users' own records too
	maps   bool // write what maps show too
	log    bool // write what newcomers learn of the transmission log too
	past   bool // write the timeline too
	script strings.Builder
	watch  Watcher
}

// start is the moment at which every story begins.
var start = time.UnixMilli(1_700_000_000_000)

// New starts a story on the Standard radio, changed by settings, one per line.
func New(settings string) (*Story, error) { return newStory(settings, Watcher{}) }

func newStory(settings string, watch Watcher) (*Story, error) {
	t := &Story{now: start, watch: watch}
	for _, line := range strings.Split(settings, "\n") {
		if w := words(line); len(w) > 0 {
			t.edits = append(t.edits, w)
		}
	}
	cfg, err := t.config()
	if err != nil {
		return nil, err
	}
	t.begins(cfg, core.Data{})
	t.state, err = core.New(cfg)
	return t, err
}

// config is the Standard radio with every change so far. It is built again each time
// because a Config in force must not be changed.
func (t *Story) config() (core.Config, error) {
	c := Standard()
	for _, e := range t.edits {
		if err := edit(&c, e); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Tell runs the lines of a text and gives the transcript: each line and, indented
// below it, what it led to.
func (t *Story) Tell(text string) string {
	t.script.Reset()
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		t.script.WriteString(line + "\n")
		t.line(line)
	}
	return t.script.String()
}

func (t *Story) say(text string) { t.script.WriteString("  " + text + "\n") }

func (t *Story) line(text string) {
	l, ok := Parse(text)
	switch {
	case !ok:
		t.say("NOT UNDERSTOOD")
	case l.Pass > 0:
		t.pass(l.Pass)
	case l.Ask != nil:
		t.ask(l.Ask)
	case l.Refused != nil:
		t.refused(l.Refused)
	case l.Edit != nil:
		t.edits = append(t.edits, l.Edit)
		cfg, err := t.config()
		if err != nil {
			t.say("NOT UNDERSTOOD: " + err.Error())
			return
		}
		t.step(l.By, core.ReplaceConfig{Config: cfg})
	default:
		t.step(l.By, l.Command)
	}
}

func (t *Story) step(by core.Actor, c core.Command) {
	t.steps(by, c)
	out, err := t.state.Step(t.now, by, c)
	t.tell(out)
	if err != nil {
		t.refused(err)
	}
}

func (t *Story) refused(err error) {
	var e *core.Error
	if !errors.As(err, &e) {
		t.say("FAILED: " + err.Error())
		return
	}
	t.say(fmt.Sprintf("refused, %s: %s", e.Kind, e.Message))
}

func (t *Story) tell(out core.Output) {
	t.wake = out.Wake()
	for _, e := range out.Events {
		switch e.Fact.(type) {
		case core.ChannelChanged, core.PlayerInfoChanged:
			if !t.all {
				continue
			}
		case core.TransmissionsShown:
			if !t.log {
				continue
			}
		case core.SelfChanged:
			if !t.self {
				continue
			}
		case core.UnitsLocated:
			if !t.maps {
				continue
			}
		}
		t.say(Narrate(e))
		if rec, ok := core.Audit(e); ok && t.audit {
			t.say(fmt.Sprintf("log: %s by %d (%s) after %dms: target %d on %s: %s", rec.Action, rec.By.User, rec.By.Surface, rec.At-start.UnixMilli(),
				rec.Target, or(rec.Frequency.String(), "-"), or(rec.Detail, "-")))
		}
	}
	if t.past {
		for _, m := range core.Moments(out, t.state.View()) {
			t.say("timeline: " + moment(m))
		}
	}
}

// pass lets time pass and ticks at each moment that the radio asked for.
func (t *Story) pass(d time.Duration) {
	end := t.now.Add(d)
	for !t.wake.IsZero() && !t.wake.After(end) {
		t.now = t.wake
		t.steps(core.Actor{}, nil)
		out := t.state.Tick(t.now)
		for _, e := range out.Events {
			if !t.quiet(e.Fact) {
				t.say(fmt.Sprintf("at %v:", t.now.Sub(start)))
				break
			}
		}
		t.tell(out)
	}
	t.now = end
}

// quiet says whether a fact is not worth the line that says when it happened.
func (t *Story) quiet(f core.Fact) bool {
	switch f.(type) {
	case core.UnitsLocated:
		return !t.maps
	case core.ChannelChanged, core.SelfChanged:
		return true
	}
	return false
}

// ask answers a question about the state.
func (t *Story) ask(w []string) {
	v := t.state.View()
	switch {
	case w[0] == "routes":
		t.routes()
	case w[0] == "status":
		for _, c := range v.ActiveChannels() {
			t.say(Channel(c))
		}
	case w[0] == "present":
		for _, u := range v.OnTheRadio() {
			text := "is connected"
			if u.Lost {
				text = "may come back"
			}
			t.say(fmt.Sprintf("%d %s", u.ID, text))
		}
	case w[0] == "patches":
		for _, p := range v.Patches() {
			t.say(patch(p))
		}
	case w[0] == "alerts":
		for _, a := range v.Alerts() {
			t.say(fmt.Sprintf("%q on %s", a.Alert.Name, a.Frequency))
		}
	case w[0] == "panics":
		for _, p := range v.Panics() {
			t.say(fmt.Sprintf("%d on %s", p.User, p.Frequency))
		}
	case w[0] == "transmissions":
		for _, e := range v.Transmissions() {
			t.say(transmission(e))
		}
	case w[0] == "emergencies":
		for _, r := range v.Emergencies() {
			t.emergency(r)
		}
	case w[0] == "tell" && len(w) == 2:
		t.all = w[1] == "everything"
		t.audit = w[1] == "audit"
		t.self = w[1] == "self"
		t.maps = w[1] == "maps"
		t.log = w[1] == "log"
		t.past = w[1] == "timeline"
	case w[0] == "edit": // changes the file, which is read at the next restart
		t.edits = append(t.edits, w[1:])
	case w[0] == "restart":
		t.restart()
	case w[0] == "who" && len(w) == 2:
		t.who(core.UserID(number(w[1])))
	case w[0] == "access" && len(w) == 2:
		t.access(core.UserID(number(w[1])))
	case w[0] == "mirror" && len(w) == 2:
		t.mirror(core.UserID(number(w[1])))
	case w[0] == "alias" && len(w) == 3:
		t.say(v.Alias(w[1], core.UserID(number(w[2]))).String())
	default:
		t.say("NOT UNDERSTOOD")
	}
}

// emergency shows an open record, with its moments.
func (t *Story) emergency(r core.EmergencyRecord) {
	after := func(at int64) string { return (time.Duration(at-start.UnixMilli()) * time.Millisecond).String() }
	text := inWords(r) + ": raised at " + after(r.RaisedAt)
	if r.AckAt > 0 {
		text += ", acknowledged at " + after(r.AckAt)
	}
	if r.EndedAt > 0 {
		text += ", ended at " + after(r.EndedAt)
	}
	t.say(text)
}

func (t *Story) routes() {
	for _, r := range t.state.Routes().All() {
		at := or(r.Keyed.String(), "self-test")
		if r.Digital {
			at += " (digital)"
		}
		t.say(fmt.Sprintf("%d on %s:", r.Talker, at))
		for _, l := range r.Legs {
			text := fmt.Sprintf("  %d as %s on %s", l.Listener, l.Reason, or(l.Frequency.String(), "-"))
			if l.Patch != 0 {
				text += " by " + core.PatchID(l.Patch)
			}
			if l.Digital {
				text += " (digital)"
			}
			if l.Fade > 0 {
				text += fmt.Sprintf(" signal %d", l.Signal())
			}
			t.say(text)
		}
	}
	if len(t.state.Routes().All()) == 0 {
		t.say("silence")
	}
}

// restart starts the service again with what it had saved.
func (t *Story) restart() {
	cfg, err := t.config()
	if err != nil {
		t.say("FAILED: " + err.Error())
		return
	}
	saved := t.state.Snapshot().Durable()
	t.begins(cfg, saved)
	state, err := core.Restore(cfg, saved)
	if err != nil {
		t.say("FAILED: " + err.Error())
		return
	}
	t.state = state
	t.steps(core.Actor{}, nil)
	t.tell(t.state.Tick(t.now))
}

func (t *Story) who(id core.UserID) {
	u, known := t.state.View().User(id)
	if !known {
		t.say("nobody")
		return
	}
	at := or(u.Current.String(), "no channel")
	if u.Control != 0 {
		at += " of " + u.Control.String()
	}
	t.say(fmt.Sprintf("%d name %q nac %q callsign %q unit %q on %s scans %s talking %t", u.ID, u.Name, u.Nac, u.Callsign, u.Unit, at, freqs(u.Scans), u.Talking))
}

// access lists what a user may use.
func (t *Story) access(id core.UserID) {
	v := t.state.View()
	var talk, scan []core.Frequency
	for _, c := range v.Channels() {
		if v.MayTransmit(id, c.Frequency) {
			talk = append(talk, c.Frequency)
		}
		if v.MayScan(id, c.Frequency) {
			scan = append(scan, c.Frequency)
		}
	}
	t.say("talks on " + freqs(talk))
	t.say("scans " + freqs(scan))
	if g, ok := v.Grants(id); ok {
		t.say(fmt.Sprintf("granted connect %s scan %s gps %s zones %v dispatch %t nac %q", grant(g.Connect), grant(g.Scan), grant(g.GPS), zones(g.Zones), g.Dispatch, g.Nac))
	}
}

// mirror shows a user as the game server sees it.
func (t *Story) mirror(id core.UserID) {
	v := t.state.View()
	u, known := v.GameUser(id)
	if !known {
		t.say("nobody")
		return
	}
	d := v.Verdict(id, map[string]*core.Verdict{})
	t.say(fmt.Sprintf("%d name %q nac %q access %t linked %t on %s talking %s panic %s", u.ID, u.Name, u.Nac, u.Access, u.Linked,
		or(u.Current.String(), "no channel"), freqs(u.Talking), freqs(u.Panics)))
	t.say(fmt.Sprintf("may talk on %s, scan %s, sees zones %v", freqs(d.Connect), freqs(d.Scan), d.Zones))
}

func grant(g core.Grant) string {
	if g.Listed {
		return freqs(g.Frequencies)
	}
	return fmt.Sprint(g.All)
}

func zones(g core.ZoneGrant) string {
	if g.Listed {
		return fmt.Sprint(g.Zones)
	}
	return fmt.Sprint(g.All)
}
