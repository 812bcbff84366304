package core

// Radio is the state of a player's radio, as its client reports it. Volumes are
// 0.0-1.0.
type Radio struct {
	Off            bool    `json:"off,omitempty"`
	Open           bool    `json:"open,omitempty"`
	Focused        bool    `json:"focused,omitempty"`
	Volume         float64 `json:"volume"`
	ToneVolume     float64 `json:"toneVolume"`
	Volume3D       float64 `json:"volume3D"`
	Layout         string  `json:"layout,omitempty"`
	Theme          string  `json:"theme,omitempty"`
	AnimationID    string  `json:"animationId,omitempty"`
	Earbuds        bool    `json:"earbuds,omitempty"` // no 3D audio
	GPS            bool    `json:"gps,omitempty"`
	BatteryLevel   float64 `json:"batteryLevel"`   // 0-100
	SignalStrength float64 `json:"signalStrength"` // 0-100
}

func (s *State) newRadio() Radio {
	v := s.cfg.Volumes
	return Radio{Volume: Exported(v.Voice), ToneVolume: Exported(v.SFX), Volume3D: Exported(v.Audio3D),
		GPS: true, BatteryLevel: 100, SignalStrength: 100}
}

// SetRadio changes parts of a radio. A nil part stays as it is. TogglePower is
// setPower() without a state; Power overrides it.
type SetRadio struct {
	User                                          UserID
	Power, Open, Focused, Earbuds, GPS            *bool
	TogglePower                                   bool
	Volume, ToneVolume, Volume3D, Battery, Signal *float64
	Layout, Theme, AnimationID                    *string
}

func (c SetRadio) apply(s *step) error {
	u := s.user(c.User)
	if u == nil {
		return errUserNotFound("serverId")
	}
	if err := s.mayActFor(c.User); err != nil {
		return err
	}
	r := u.Radio
	if err := s.turn(&r, c); err != nil {
		return err
	}
	if r == u.Radio {
		return nil
	}
	switchedOff := r.Off && !u.Radio.Off
	if r.Off != u.Radio.Off || r.Earbuds != u.Radio.Earbuds {
		s.rerouteFor(u)
	}
	if r.Off != u.Radio.Off || r.GPS != u.Radio.GPS {
		s.relocate(u)
	}
	u.Radio = r
	s.stale(u)
	if switchedOff {
		s.endTalks(c.User, 0, "power")
	}
	s.tell(dispatchAnd(c.User), RadioChanged{User: c.User, Radio: r})
	return nil
}

// turn applies all changes to r, or says which value is wrong.
func (s *State) turn(r *Radio, c SetRadio) error {
	for _, k := range []struct {
		field string
		from  *float64
		to    *float64
		most  float64
	}{{"volume", c.Volume, &r.Volume, 1}, {"toneVolume", c.ToneVolume, &r.ToneVolume, 1}, {"volume3D", c.Volume3D, &r.Volume3D, 1},
		{"battery", c.Battery, &r.BatteryLevel, 100}, {"signal", c.Signal, &r.SignalStrength, 100}} {
		if k.from == nil {
			continue
		}
		if !finite(*k.from) || *k.from < 0 || *k.from > k.most {
			return invalid(k.field, k.field+" must be 0-"+itoa(int(k.most)))
		}
		*k.to = *k.from
	}
	for _, k := range []struct {
		field string
		from  *string
		to    *string
	}{{"layout", c.Layout, &r.Layout}, {"theme", c.Theme, &r.Theme}, {"animationId", c.AnimationID, &r.AnimationID}} {
		if k.from == nil {
			continue
		}
		if err := s.checkText(k.field, *k.from, 0); err != nil {
			return err
		}
		*k.to = *k.from
	}
	for _, k := range []struct{ from, to *bool }{{c.Open, &r.Open}, {c.Focused, &r.Focused}, {c.Earbuds, &r.Earbuds}, {c.GPS, &r.GPS}} {
		if k.from != nil {
			*k.to = *k.from
		}
	}
	if c.Power != nil {
		r.Off = !*c.Power
	} else if c.TogglePower {
		r.Off = !r.Off
	}
	return nil
}
