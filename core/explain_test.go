package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
)

// county is a radio on which every rule of access decides something.
func county(t *testing.T) *core.State {
	t.Helper()
	c := core.DefaultConfig()
	c.DispatchNac = "secret"
	c.Zones = []core.Zone{
		{Name: "Police", NacIDs: []string{"pd", "secret"}, Channels: []core.Channel{
			{Name: "PD Main", Type: core.Conventional, Frequency: frequency(t, "154.755"), AllowedNacs: []string{"pd", "secret"}, ScanAllowedNacs: []string{"ems"}, GPS: core.GPS{VisibleToNacs: []string{"pd"}}},
			{Name: "PD Tac", Type: core.Conventional, Frequency: frequency(t, "155.01"), AllowedNacs: []string{"swat"}}}},
		{Name: "All", Channels: []core.Channel{{Name: "Hailing", Type: core.Conventional, Frequency: frequency(t, "460.25")}}}}
	c.Codeplugs = []core.Codeplug{{ID: "civil", Zones: []int{2}, Features: core.Features{GPS: true, Panic: true}}}
	c.JobCodeplugs = []core.JobCodeplug{{Job: "taxi", Codeplug: "civil"}}
	c.ACL = core.ACL{Entries: []core.ACE{{Principal: "group.chief", Object: "radio.connect.155.01", Allow: true}, {Principal: "identifier.license:bad", Object: "radio.connect", Allow: false},
		{Principal: "group.chief", Object: "radio.dispatch", Allow: true}},
		Inherit: []core.Inheritance{{Child: "identifier.license:chief", Parent: "group.chief"}, {Child: "identifier.license:bad", Parent: "group.chief"}}}
	s, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for id, f := range map[core.UserID]core.Facts{1: {Name: "Ann", Nac: "pd"}, 2: {Name: "Bob", Nac: "ems"}, 3: {Name: "Cab", Nac: "taxi"}, 4: {Name: "Chief", Nac: "pd", Identifiers: []string{"license:chief"}},
		5: {Name: "Bad", Nac: "pd", Identifiers: []string{"license:bad"}}, 6: {Name: "Out", Nac: "pd", Refused: true}, 7: {Name: "Nil"},
		9: {Name: "Desk", Nac: "secret"}, 10: {Name: "Put", Nac: "ems"},
		8: {Name: "Given", Given: core.Grants{Connect: core.Grant{All: true}}}} {
		if _, err := s.Step(time.UnixMilli(1000), core.Actor{Surface: core.BySystem}, core.Register{User: id, Facts: f}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestWhyAUnitMay, and why not: the rule that decides is named, and what to change.
func TestWhyAUnitMay(t *testing.T) {
	s := county(t)
	for _, c := range []core.Command{core.Connect{Want: 10, Owner: "10"}, core.MoveUser{User: 10, Frequency: frequency(t, "155.01")}} {
		if _, err := s.Step(time.UnixMilli(2000), core.Actor{Surface: core.BySystem}, c); err != nil {
			t.Fatal(err)
		}
	}
	v := s.View()
	for _, c := range []struct {
		user    core.UserID
		channel string
		action  core.Action
		allowed bool
		rule    string // a part of a rule's text
		change  string // a part of what to change
	}{
		{1, "154.755", core.ActConnect, true, "allowedNacs of PD Main in zone Police has the player's NAC id pd", ""},
		{1, "155.01", core.ActConnect, false, "allowedNacs of PD Tac in zone Police is swat, and the player's NAC id is pd", `add "pd" to allowedNacs of PD Tac`},
		{2, "154.755", core.ActConnect, false, "zone Police is hidden: its nacIds are pd, and the player's NAC id is ems", `add "ems" to nacIds of zone Police`},
		{2, "154.755", core.ActScan, false, "zone Police is hidden", "add_ace player.2 radio.scan.154.755 allow"},
		{2, "460.25", core.ActScan, true, "who may transmit may listen", ""},
		{3, "460.25", core.ActScan, false, "the codeplug civil has features.scan = false", "set features.scan"},
		{3, "154.755", core.ActConnect, false, "the codeplug civil has the zones [2], not 1", "add 1 to zones of the codeplug civil"},
		{4, "155.01", core.ActConnect, true, "add_ace group.chief radio.connect.155.01 allow", ""},
		{4, "", core.ActDispatch, true, "add_ace group.chief radio.dispatch allow", ""},
		{5, "155.01", core.ActConnect, false, "add_ace identifier.license:bad radio.connect deny", "remove add_ace identifier.license:bad radio.connect deny"},
		{5, "154.755", core.ActGPS, true, "gps.visibleToNacs", ""},
		{9, "154.755", core.ActConnect, true, "has the player's NAC id", ""},
		{9, "154.755", core.ActScan, true, "who may transmit", ""},
		{10, "155.01", core.ActConnect, true, "a dispatcher has put the unit on this channel", ""},
		{6, "154.755", core.ActConnect, false, "Config.radioAccessCheck said no", "Config.radioAccessCheck"},
		{7, "154.755", core.ActConnect, false, "the player's NAC id is missing (nothing gives it one)", "add_ace player.7"},
		{8, "155.01", core.ActConnect, true, "the game server's own access rules", ""},
		{1, "154.755", core.ActGPS, true, "gps.visibleToNacs of PD Main has the player's NAC id pd", ""},
		{2, "154.755", core.ActGPS, false, "gps.visibleToNacs of PD Main is pd", `add "ems" to gps.visibleToNacs`},
		{3, "", core.ActDispatch, false, "features.dispatch = false", "set features.dispatch"},
	} {
		f, _ := core.ParseFrequency(c.channel)
		e, err := v.Explain(c.user, f, c.action)
		if err != nil {
			t.Errorf("%d %s %s: %v", c.user, c.action, c.channel, err)
			continue
		}
		if e.Allowed != c.allowed || !slices.ContainsFunc(e.Rules, func(r core.Rule) bool { return strings.Contains(r.Text, c.rule) }) ||
			c.change != "" && !slices.ContainsFunc(e.Change, func(l string) bool { return strings.Contains(l, c.change) }) || c.allowed && len(e.Change) > 0 {
			t.Errorf("%d %s %s: %+v", c.user, c.action, c.channel, e)
		}
		for _, r := range e.Rules {
			if strings.Contains(r.Text, "secret,") || strings.Contains(r.Text, ", secret") || strings.HasSuffix(r.Text, " ") || strings.HasSuffix(r.Text, "secret") {
				t.Errorf("the login of the dispatch panel is told: %s", r.Text)
			}
		}
	}
	denied, err := v.Explain(5, frequency(t, "155.01"), core.ActConnect)
	if err != nil || slices.ContainsFunc(denied.Change, func(l string) bool { return strings.HasPrefix(l, "add_ace identifier.license:bad") }) ||
		!slices.Contains(denied.Change, "add_ace player.5 radio.connect.155.01 allow, in permissions.cfg") {
		t.Errorf("%v: an allow beside a deny changes nothing: %q", err, denied.Change)
	}
	for _, c := range []struct {
		user    core.UserID
		channel string
		action  core.Action
		field   string
	}{{99, "154.755", core.ActScan, "userId"}, {1, "999.5", core.ActScan, "frequency"}, {1, "154.755", "talk", "action"}} {
		f, _ := core.ParseFrequency(c.channel)
		_, err := v.Explain(c.user, f, c.action)
		if e, is := err.(*core.Error); !is || e.Field != c.field {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func frequency(t *testing.T, text string) core.Frequency {
	t.Helper()
	f, err := core.ParseFrequency(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
