package parity

import (
	"math/rand"
	"reflect"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
)

// Traffic is a run of n valid and invalid commands and ticks, by units, dispatchers,
// scripts and bots, on the radio of the scenarios, drawn from a seed. Every command of
// the core may occur, with arguments that mean something on that radio.
func Traffic(seed int64, n int) (Run, error) {
	d := dice{rand.New(rand.NewSource(seed))}
	run := Run{Name: "traffic"}
	if err := run.New(wire.Start{Config: scenario.Standard()}); err != nil {
		return run, err
	}
	radio, err := core.New(scenario.Standard()) // knows which emergencies are open
	if err != nil {
		return run, err
	}
	at := int64(1_700_000_000_000)
	owners := map[core.UserID]string{}
	var back core.Command // recovers a link that has just broken
	for i := range n {
		at += d.pass()
		o := wire.Order{At: at}
		switch {
		case back != nil:
			o.By.Surface, o.Command, back = core.BySocket, back, nil
		case !d.one(15):
			o.By, o.Command = d.order()
			o.Command = d.tending(o.Command, radio.View().Emergencies())
		}
		switch c := o.Command.(type) {
		case core.Connect:
			owners[c.Want] = c.Owner
		case core.Unlink:
			if !c.Clean && d.one(3) {
				back = core.Recover{User: c.User, Owner: owners[c.User]}
			}
		}
		if err := run.Order(o); err != nil {
			return run, err
		}
		if o.Command == nil {
			radio.Tick(time.UnixMilli(at))
		} else {
			_, _ = radio.Step(time.UnixMilli(at), o.By, o.Command) // many are refused
		}
		if (i+1)%250 == 0 {
			run.Hash()
		}
	}
	run.Hash()
	return run, nil
}

// tending has a command that tends to an emergency mean an open one.
func (d dice) tending(c core.Command, open []core.EmergencyRecord) core.Command {
	if len(open) == 0 || d.one(6) {
		return c
	}
	id := open[d.Intn(len(open))].ID()
	switch c := c.(type) {
	case core.AcknowledgeEmergency:
		c.ID = id
		return c
	case core.CloseEmergency:
		c.ID, c.Reason = id, pick(d, core.CloseReasons...)
		return c
	}
	return c
}

type dice struct{ *rand.Rand }

func pick[T any](d dice, of ...T) T { return of[d.Intn(len(of))] }

func (d dice) one(in int) bool { return d.Intn(in) == 0 }

// pass is the time until the next command, in ms.
func (d dice) pass() int64 {
	if d.one(150) {
		return int64(d.Intn(90_000))
	}
	return int64(d.Intn(400))
}

// often are the commands that make up most of a radio's day, with weights out of 200.
var often = []struct {
	weight  int
	command core.Command
}{{40, core.KeyUp{}}, {20, core.KeyDown{}}, {30, core.JoinAsSpeaker{}}, {30, core.Connect{}}, {6, core.Heard{}},
	{6, core.StartScan{}}, {6, core.MoveUser{}}, {5, core.CreatePatch{}}, {4, core.SetPanic{}}, {4, core.Register{}}}

// rare are commands that undo much. One with the number n is given once in n times that
// it is drawn.
var rare = map[string]int{"ReplaceConfig": 5, "Drop": 2, "Kick": 2, "SetRadio": 2}

func (d dice) command() core.Command {
	for {
		all := wire.Commands()
		n := d.Intn(200)
		for _, o := range often {
			if n -= o.weight; n < 0 {
				return d.filled(reflect.TypeOf(o.command))
			}
		}
		if t := all[d.Intn(len(all))]; rare[t.Name()] == 0 || d.one(rare[t.Name()]) {
			return d.filled(t)
		}
	}
}

func (d dice) filled(t reflect.Type) core.Command {
	c := reflect.New(t).Elem()
	d.fill(c, t.Name())
	return c.Interface().(core.Command)
}

// order is a command with its actor: mostly the user whom it concerns.
func (d dice) order() (core.Actor, core.Command) {
	c := d.command()
	if _, own := c.(core.SetStorage); own && !d.one(4) {
		return core.Actor{Surface: core.BySystem}, c
	}
	me := core.UserID(0)
	if f := reflect.ValueOf(c).FieldByName("User"); f.IsValid() {
		me = core.UserID(f.Int())
	}
	if d.Intn(10) < 7 && me != 0 {
		return core.Actor{User: me, Surface: core.BySocket}, c
	}
	return pick(d, core.Actor{Surface: core.ByLua, Name: "Stra\xdfe"}, core.Actor{Surface: core.ByREST, User: -1, Name: "Desk"},
		core.Actor{User: -1, Surface: core.BySocket}, core.Actor{User: d.user(), Surface: core.BySocket}), c
}

func (d dice) user() core.UserID {
	return pick(d, core.UserID(-1), -1, -1, -2, -2, -3, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 99)
}

var channels = strings.Fields("154.755 154.755 154.755 154.815 460.25 770.5 155.1 856 856 856 33.4 856.0125 999")

func (d dice) frequency() core.Frequency {
	if d.one(4) {
		return 0
	}
	f, err := core.ParseFrequency(pick(d, channels...))
	if err != nil {
		return 0
	}
	return f
}

// words are texts that mean something, by the names of their fields.
var words = map[string][]string{
	"Owner": {"", "s1", "s2", "s3"}, "Nac": {"", "police", "patrol", "fire", "cadet", "desk-1"},
	"CallbackNac": {"", "", "", "police", "detective"}, "CallbackName": {"", "", "", "Officer"},
	"Group": {"city", "", "nowhere"}, "ID": {"p-1", "p-2", "p-3", "p-4", "p-5", "p-9"}, "Tone": {"BEEP", "ALERT_A", "beep", "?"},
	"Callsign": {"Adam-12", "K-9", "", " "}, "Layout": {"large", "small"}, "Theme": {"dark", "light"}, "Type": {"info", "warning"},
	"Activate": {"BEEP", "ALERT_A", ""}, "Repeat": {"BEEP", ""}, "Deactivate": {"ALERT_B", ""}, "Raw": {"", `{"name":"Own"}`},
	"Reason": {"", "", "", "the disk is full"}, "Color": {"red", ""}, "DeactivateColor": {"grey"}, "DeactivateLabel": {"OFF"}, "Label": {"", "North and Tac"},
}

func (d dice) text(field string) string {
	if list := words[field]; list != nil {
		return pick(d, list...)
	}
	return pick(d, "Alice", "Bob", "", "Ünit 4", "\u200dEve", "Stra\xdfe", "SIGNAL 100", "license:a")
}

// seldom are flags that are set less than half the time: one with the number n, once in
// n draws.
var seldom = map[string]int{"Refused": 40, "Override": 6, "TogglePower": 20, "Dispatch": 4, "Clean": 3}

// fill draws every field of a value.
func (d dice) fill(v reflect.Value, field string) {
	switch at := v.Addr().Interface().(type) {
	case *core.UserID:
		if *at = d.user(); field == "TakeOver" && !d.one(6) {
			*at = 0
		}
	case *core.Frequency:
		*at = d.frequency()
	case *core.Config:
		*at = d.config()
	case *core.Choice:
		*at = pick(d, core.Unsaid, core.Yes, core.No)
	case *string:
		*at = d.text(field)
	case *bool:
		*at = d.one(max(seldom[field], 2))
	case *int:
		*at = d.Intn(4)
	case *float64:
		*at = pick(d, 0, 0.5, 0.5, 1, 1, 1, 1, 3, 300, 700.25, -1)
		if field == "Volume" || field == "ToneVolume" || field == "Volume3D" {
			*at = min(*at, 1)
		}
	default:
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				d.fill(v.Field(i), v.Type().Field(i).Name)
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), d.Intn(4), 4))
			for i := range v.Len() {
				d.fill(v.Index(i), field)
			}
		case reflect.Pointer:
			if d.one(2) || field == "Power" && d.one(2) {
				return
			}
			v.Set(reflect.New(v.Type().Elem()))
			d.fill(v.Elem(), field)
		}
	}
}

// config is the configuration of the scenarios, sometimes with a rule changed.
func (d dice) config() core.Config {
	c := scenario.Standard()
	switch d.Intn(6) {
	case 0:
		c.Bonking.BlockTransmission = false
	case 1:
		c.Zones = c.Zones[:2]
	case 2:
		c.TalkLease, c.ResumeWindow = 0, 0
	}
	return c
}
