package core

import (
	"slices"
	"strings"
	"unicode/utf8"
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
	// Broadcast is a text to a channel, or (Frequency zero) to everyone. Type
	// is a free label.
	Broadcast struct {
		Message   string
		Frequency Frequency
		Type      string
		Tone      string // "" : none
	}
	// AlertUser is a text to one user.
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
		return nil, invalid("tone", "tone names no tone of the tone list")
	}
	return t, nil
}

// tellTone plays a tone on a channel. On a talkgroup each unit hears it on its
// own working frequency.
func (s *step) tellTone(f Frequency, tone string) {
	if tone == "" {
		return
	}
	told := s.at(f)
	s.tell(told, TonePlayed{Tone: tone, Frequency: f})
	for _, g := range s.d.Groups {
		if g.Control != f {
			continue
		}
		to := Audience{}
		for _, id := range s.at(g.Frequency).Users {
			if !contains(told.Users, id) {
				to.Users = append(to.Users, id)
			}
		}
		if len(to.Users) > 0 {
			s.tell(to, TonePlayed{Tone: tone, Frequency: g.Frequency})
			told.Users = slices.Concat(told.Users, to.Users)
			slices.Sort(told.Users)
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
	s.tellTone(c.Frequency, t.Name)
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

// defaultBroadcastType is the first label of the panel (spec: "Rules" 1).
const defaultBroadcastType = "General Alert"

func (c Broadcast) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	if err := s.checkMessage(c.Message); err != nil {
		return err
	}
	if runes(c.Type) > maxNameRunes || !printable(c.Type) {
		return invalid("type", "type must be printable text of at most "+itoa(maxNameRunes)+" characters")
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
	s.tell(to, BroadcastSent{Message: c.Message, Frequency: c.Frequency, Type: firstOf(c.Type, defaultBroadcastType), Tone: tone})
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
	if err := s.checkMessage(c.Message); err != nil {
		return err
	}
	if c.Frequency != 0 && s.resolve(c.Frequency) == nil {
		return errChannelNotFound
	}
	s.tell(dispatchAnd(c.User), UserAlerted(c))
	return nil
}

func (s *State) checkMessage(m string) error {
	switch {
	case strings.TrimSpace(m) == "":
		return invalid("message", "message is missing")
	case !utf8.ValidString(m):
		return invalid("message", "message is not UTF-8 text")
	case runes(m) > s.cfg.Limits.MessageRunes:
		return invalid("message", "message is longer than "+itoa(s.cfg.Limits.MessageRunes)+" characters")
	}
	return nil
}
