package core

import (
	"fmt"
	"slices"
	"strings"
)

type (
	// PlayTone plays a tone of the tone list to all users on a channel.
	PlayTone struct {
		Frequency Frequency
		Tone      string
	}
	// PlayToneTo plays a tone to one user.
	PlayToneTo struct {
		User UserID
		Tone string
	}
	// Broadcast sends a text to a channel or, if Frequency is zero, to everyone.
	// Type is a free label; "" becomes defaultBroadcastType.
	Broadcast struct {
		Message   string
		Frequency Frequency
		Type      string
		Tone      string // "" : none
	}
	// AlertUser sends a text to one user.
	AlertUser struct {
		User      UserID
		Message   string
		Frequency Frequency // 0: none named
	}
)

// tone finds a tone of the list, in any case.
func (s *State) tone(name string) *Tone {
	for i := range s.cfg.Tones {
		if strings.EqualFold(s.cfg.Tones[i].Name, name) {
			return &s.cfg.Tones[i]
		}
	}
	return nil
}

func (s *State) checkTone(name string) (*Tone, error) {
	if name == "" {
		return nil, invalid("tone", "tone is missing")
	}
	t := s.tone(name)
	if t == nil {
		return nil, invalid("tone", s.unknownTone(name))
	}
	return t, nil
}

// unknownTone says that a tone is not in the tone list, and which tones are. A long
// name is cut.
func (s *State) unknownTone(name string) string {
	known := make([]string, len(s.cfg.Tones))
	for i := range s.cfg.Tones {
		known[i] = s.cfg.Tones[i].Name
	}
	return fmt.Sprintf("unknown tone %.40q (known: %s)", name, strings.Join(known, ", "))
}

// tellTone plays the tone of an alert, panic or broadcast. It does not cross a
// patch; on a talkgroup each unit hears it on its own working frequency.
func (s *step) tellTone(f Frequency, tone string) {
	heard := slices.DeleteFunc(s.audibleOn(f), func(h audibleAt) bool { return h.patch != 0 })
	s.sound(tone, heard)
}

// sound plays a tone on the channels where it is heard. Each member hears it once,
// on the channel where it would hear a voice: its speaker channel before one that
// it scans. Consoles that are on none of them get it for the first.
func (s *step) sound(tone string, heard []audibleAt) {
	if tone == "" {
		return
	}
	to := make([]Audience, len(heard))
	var members []*User
	for _, h := range heard {
		o := s.x.at(h.at)
		members = union(members, o.speakers, o.scanners)
	}
	elsewhere := false // a console hears it on another channel than the first
	for _, u := range members {
		at := slices.IndexFunc(heard, func(h audibleAt) bool { return u.Current == h.at })
		if at < 0 {
			at = slices.IndexFunc(heard, func(h audibleAt) bool { return contains(u.Scans, h.at) })
		}
		if at > 0 && u.ID.Dispatcher() {
			elsewhere = true
		}
		to[at].Users = append(to[at].Users, u.ID)
	}
	if elsewhere {
		for _, u := range s.users.dispatchers() {
			if _, member := findUser(members, u.ID); !member {
				insertSorted(&to[0].Users, u.ID)
			}
		}
	} else {
		to[0].Dispatchers = true
		to[0].Users = slices.DeleteFunc(to[0].Users, UserID.Dispatcher)
	}
	for i, h := range heard {
		if to[i].Dispatchers || len(to[i].Users) > 0 {
			s.tell(to[i], TonePlayed{Tone: tone, Frequency: h.at})
		}
	}
}

func (c PlayTone) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	ch := s.resolve(c.Frequency)
	if ch == nil {
		return errChannelNotFound
	}
	t, err := s.checkTone(c.Tone)
	if err != nil {
		return err
	}
	s.sound(t.Name, s.audibleOn(c.Frequency)) // a tone is audio: it crosses a patch
	return nil
}

func (c PlayToneTo) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	t, err := s.checkTone(c.Tone)
	if err != nil {
		return err
	}
	s.tell(only(c.User), TonePlayed{Tone: t.Name, Frequency: u.Current, User: c.User})
	return nil
}

// defaultBroadcastType is the label that the panel offers first.
const defaultBroadcastType = "General Alert"

func (c Broadcast) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	message, err := Prose("message", c.Message, s.cfg.Limits.MessageRunes)
	if err != nil {
		return err
	}
	label, err := Line("type", c.Type, 0, maxNameRunes)
	if err != nil {
		return err
	}
	to := Audience{Everyone: true}
	if c.Frequency != 0 {
		ch := s.resolve(c.Frequency)
		if ch == nil {
			return errChannelNotFound
		}
		to = s.onChannels(c.Frequency)
	}
	tone := ""
	if c.Tone != "" {
		t, err := s.checkTone(c.Tone)
		if err != nil {
			return err
		}
		tone = t.Name
	}
	s.tell(to, BroadcastSent{Message: message, Frequency: c.Frequency, Type: firstOf(label, defaultBroadcastType), Tone: tone})
	switch {
	case tone != "" && c.Frequency != 0:
		s.tellTone(c.Frequency, tone)
	case tone != "":
		s.tell(to, TonePlayed{Tone: tone})
	}
	return nil
}

func (c AlertUser) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	if s.user(c.User) == nil {
		return errUserNotFound("userId")
	}
	var err error
	if c.Message, err = Prose("message", c.Message, s.cfg.Limits.MessageRunes); err != nil {
		return err
	}
	if c.Frequency != 0 && s.resolve(c.Frequency) == nil {
		return errChannelNotFound
	}
	s.tell(dispatchAnd(c.User), UserAlerted(c))
	return nil
}
