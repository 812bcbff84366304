package core

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Alert is one alert config entry. Raw is the entry as it was sent (a JSON
// object): it is stored and echoed whole, extra keys included.
type Alert struct {
	Name             string     `json:"name"`
	Color            string     `json:"color,omitempty"`
	Persistence      Choice     `json:"persistence"` // isPersistent as sent
	Tones            AlertTones `json:"tones"`
	Tone             string     `json:"tone,omitempty"`           // the single tone of a tone-only alert
	RepeatInterval   float64    `json:"repeatInterval,omitempty"` // seconds below 1000, else ms
	RepeatShowBanner bool       `json:"repeatShowBanner,omitempty"`
	DeactivateLabel  string     `json:"deactivateLabel,omitempty"`
	DeactivateColor  string     `json:"deactivateColor,omitempty"`
	ToneOnly         bool       `json:"toneOnly,omitempty"`
	Raw              string     `json:"raw,omitempty"`
}

// AlertTones name the tones of an alert; "" is none.
type AlertTones struct {
	Activate   string `json:"activate,omitempty"`
	Repeat     string `json:"repeat,omitempty"`
	Deactivate string `json:"deactivate,omitempty"`
}

// Choice is yes, no or unsaid.
type Choice int8

const (
	Unsaid Choice = iota
	Yes
	No
)

// Persistent says whether the alert stays on until it is cleared. One that does
// not say isPersistent is a one-shot.
func (a *Alert) Persistent() bool { return a.Persistence == Yes }

func (a *Alert) activateTone() string { return firstOf(a.Tones.Activate, a.Tone) }

// repeatEvery is the repeat interval in ms; 0 is never. Configured values below
// 1000 are seconds (nobody repeats a tone more often than once a second), larger ones
// milliseconds.
func (a *Alert) repeatEvery() int64 {
	if a.RepeatInterval <= 0 || (a.Tones.Repeat == "" && !a.RepeatShowBanner) {
		return 0
	}
	if a.RepeatInterval < 1000 {
		return max(int64(a.RepeatInterval*1000), 1000)
	}
	return int64(min(a.RepeatInterval, 86_400_000))
}

// ActiveAlert is the alert that is on at a channel.
type ActiveAlert struct {
	Frequency Frequency `json:"frequency"`
	Alert     Alert     `json:"alert"`
	By        UserID    `json:"by"`
	Since     int64     `json:"since"`            // ms since the epoch
	Repeat    int64     `json:"repeat,omitempty"` // when it next repeats, ms since the epoch; 0: never
}

// AlertRef names a configured alert: by 1-based index, by name in any case, or
// (zero value) the first one.
type AlertRef struct {
	Index int
	Name  string
	Given bool // an index was given, even 0
}

type (
	// SetAlert is setAlertOnChannel: Yes activates, No deactivates, Unsaid
	// toggles the current state. A one-shot is never on, so every toggle of one
	// by its name or number plays it.
	SetAlert struct {
		Frequency Frequency
		Enabled   Choice
		Alert     AlertRef
	}
	// TriggerAlert activates an alert entry that the caller supplies.
	TriggerAlert struct {
		Frequency Frequency
		Alert     Alert
	}
	// PlayAlert plays an alert entry once; nothing stays active.
	PlayAlert struct {
		Frequency Frequency
		Alert     Alert
	}
	// ClearAlert ends the alert that is active on a channel, if there is one.
	ClearAlert struct{ Frequency Frequency }
)

// alertable finds the channel and checks that the actor may alert on it. Players
// may only where they may transmit.
func (s *step) alertable(f Frequency) (*channel, error) {
	ch := s.resolve(f)
	if ch == nil {
		return nil, errChannelNotFound
	}
	if s.mayDispatch() == nil {
		return ch, nil
	}
	if u := s.user(s.by.User); u == nil || !s.mayConnect(u, ch) {
		return nil, forbidden("frequency", "No access to "+ch.at.String())
	}
	return ch, nil
}

func (c SetAlert) apply(s *step) error {
	ch, err := s.alertable(c.Frequency)
	if err != nil {
		return err
	}
	a, err := s.resolveAlert(c.Alert)
	i, active := s.activeAlert(ch.at)
	oneShot := err == nil && c.Alert != AlertRef{} && !a.Persistent()
	if c.Enabled == No || (c.Enabled == Unsaid && active && !oneShot) {
		if active {
			s.endAlert(i)
		}
		return nil
	}
	if err != nil {
		return err
	}
	s.raiseAlert(ch.at, *a)
	return nil
}

func (s *State) resolveAlert(ref AlertRef) (*Alert, error) {
	switch {
	case ref.Name != "":
		for i := range s.cfg.Alerts {
			if strings.EqualFold(s.cfg.Alerts[i].Name, ref.Name) {
				return &s.cfg.Alerts[i], nil
			}
		}
	case ref.Given || ref.Index != 0:
		if ref.Index >= 1 && ref.Index <= len(s.cfg.Alerts) {
			return &s.cfg.Alerts[ref.Index-1], nil
		}
	case len(s.cfg.Alerts) > 0:
		return &s.cfg.Alerts[0], nil
	}
	return nil, &Error{NotFound, "alertType", "Alert not found"}
}

func (c TriggerAlert) apply(s *step) error {
	ch, err := s.alertable(c.Frequency)
	if err != nil {
		return err
	}
	if err := s.checkAlert(&c.Alert); err != nil {
		return err
	}
	s.raiseAlert(ch.at, c.Alert)
	return nil
}

func (c PlayAlert) apply(s *step) error {
	ch, err := s.alertable(c.Frequency)
	if err != nil {
		return err
	}
	if err := s.checkAlert(&c.Alert); err != nil {
		return err
	}
	s.playAlert(ch.at, c.Alert)
	return nil
}

func (c ClearAlert) apply(s *step) error {
	ch, err := s.alertable(c.Frequency)
	if err != nil {
		return err
	}
	if i, active := s.activeAlert(ch.at); active {
		s.endAlert(i)
	}
	return nil
}

// checkAlert tidies an entry that a caller supplies, and checks its limits.
func (s *State) checkAlert(a *Alert) error {
	size := 0
	for _, t := range a.texts() {
		size = max(size, len(t))
		if !utf8.ValidString(t) {
			return invalid("alertConfig", "alertConfig is not UTF-8 text")
		}
	}
	switch {
	case strings.TrimSpace(a.Name) == "":
		return invalid("alertConfig.name", "alertConfig.name is missing")
	case size > s.cfg.Limits.AlertBytes:
		return invalid("alertConfig", "alertConfig is larger than "+itoa(s.cfg.Limits.AlertBytes)+" bytes")
	case !finite(a.RepeatInterval) || a.RepeatInterval < 0:
		return invalid("alertConfig.repeatInterval", "alertConfig.repeatInterval must not be negative")
	}
	var err error
	if a.Name, err = Line("alertConfig.name", a.Name, 1, s.cfg.Limits.MessageRunes); err != nil {
		return err
	}
	if a.DeactivateLabel, err = Line("alertConfig.deactivateLabel", a.DeactivateLabel, 0, s.cfg.Limits.MessageRunes); err != nil {
		return err
	}
	a.Raw = undirected(a.Raw)
	return nil
}

// texts are the strings of an alert.
func (a *Alert) texts() []string {
	return []string{a.Raw, a.Name, a.Color, a.Tone, a.Tones.Activate, a.Tones.Repeat, a.Tones.Deactivate, a.DeactivateLabel, a.DeactivateColor}
}

func (s *State) activeAlert(f Frequency) (int, bool) {
	return slices.BinarySearchFunc(s.d.Alerts, f, func(a ActiveAlert, f Frequency) int { return compare(a.Frequency, f) })
}

// raiseAlert activates an alert, or plays it if it is a one-shot. A channel has
// one active alert; a new one replaces it.
func (s *step) raiseAlert(f Frequency, a Alert) {
	if !a.Persistent() {
		s.playAlert(f, a)
		return
	}
	i, active := s.activeAlert(f)
	if !active {
		s.d.Alerts = insert(s.d.Alerts, i, ActiveAlert{})
	}
	on := ActiveAlert{Frequency: f, Alert: a, By: s.by.User, Since: s.now}
	if every := a.repeatEvery(); every > 0 {
		on.Repeat = s.now + every
	}
	s.d.Alerts[i] = on
	s.x.alerts(s.d.Alerts)
	s.out.Save = true
	s.tell(s.onChannels(f), AlertActivated{Frequency: f, Alert: a})
	s.tellTone(f, a.activateTone())
}

func (s *step) playAlert(f Frequency, a Alert) {
	s.tell(s.onChannels(f), AlertPlayed{Frequency: f, Alert: a})
	s.tellTone(f, a.activateTone())
}

func (s *step) endAlert(i int) {
	a := s.d.Alerts[i]
	s.d.Alerts = cutOut(s.d.Alerts, i)
	s.x.alerts(s.d.Alerts)
	s.out.Save = true
	s.tell(s.onChannels(a.Frequency), AlertCleared{Frequency: a.Frequency, Alert: a.Alert})
	s.tellTone(a.Frequency, a.Alert.Tones.Deactivate)
}

func (s *step) repeatAlerts() {
	if s.x.repeatAt == 0 || s.now < s.x.repeatAt {
		return
	}
	for i := range s.d.Alerts {
		a := &s.d.Alerts[i]
		if a.Repeat == 0 || s.now < a.Repeat {
			continue
		}
		// Missed repeats (a sleeping host, a restart) are skipped.
		every := a.Alert.repeatEvery()
		a.Repeat += (s.now - a.Repeat + every) / every * every
		if a.Alert.RepeatShowBanner && !a.Alert.ToneOnly {
			s.tell(s.onChannels(a.Frequency), AlertActivated{Frequency: a.Frequency, Alert: a.Alert, Repeated: true})
		}
		s.tellTone(a.Frequency, a.Alert.Tones.Repeat)
	}
	s.x.alerts(s.d.Alerts)
}
