package core

// secretNac is the dispatch login of the simulated radio; nothing may show it.
const secretNac = "SECRET-LOGIN"

// simConfig is a small radio in several editions. Replacing one by another takes
// away channels, pools, access and timers.
func simConfig(edition int) Config {
	c := DefaultConfig()
	c.DispatchNac = secretNac
	c.Limits.Users, c.Limits.Scans, c.Limits.Follows, c.Limits.Patches = 14, 5, 2, 3
	north := Channel{Name: "North", Type: Conventional, Frequency: mhz(154.755), Shown: "154.7550"}
	north.GPS = GPS{Color: "blue", VisibleToNacs: []string{"police", "ems"}}
	south := Channel{Name: "South", Type: Conventional, Frequency: mhz(154.815)}
	tac := Channel{Name: "Tac", Type: Conventional, Frequency: mhz(460.25), AllowedNacs: []string{"police"}, ScanAllowedNacs: []string{"fire"}}
	p25 := Channel{Name: "P25", Type: Digital, Frequency: mhz(770.5)}
	east := Channel{Name: "East", Type: Trunked, Frequency: mhz(856), Low: mhz(856), High: mhz(856.0375), Coverage: 500}
	west := Channel{Name: "West", Type: Trunked, Frequency: mhz(857), Low: mhz(856.0125), High: mhz(856.05), Coverage: 0}
	fire := Channel{Name: "Fire", Type: Conventional, Frequency: mhz(33.4), GPS: GPS{VisibleToNacs: []string{secretNac}}}
	c.Zones = []Zone{
		{Name: "Police", Channels: []Channel{north, south, tac, p25}},
		{Name: "Trunk", Channels: []Channel{east, west}},
		{Name: "Fire", NacIDs: []string{"fire", secretNac}, Channels: []Channel{fire}},
	}
	c.Alerts = []Alert{{Name: "SIGNAL 100", Tones: AlertTones{Activate: "ALERT_A", Repeat: "BEEP", Deactivate: "BEEP"}, RepeatInterval: 7, RepeatShowBanner: true},
		{Name: "Ping", Tone: "BEEP", ToneOnly: true}}
	c.Tones = []Tone{{"ALERT_A", "a.wav"}, {"BEEP", "b.wav"}, {"PANIC", "p.wav"}}
	c.AnnouncementGroups = []AnnouncementGroup{{ID: "all", Name: "All", Frequencies: []Frequency{mhz(154.755), mhz(154.815), mhz(857)}}}
	c.Codeplugs = []Codeplug{
		{ID: "std", Features: Features{Scan: true, GPS: true, Panic: true}, Emergency: Emergency{RevertFrequency: mhz(154.815), HotMicMs: 3000}},
		{ID: "ems", Features: Features{Dispatch: true, Panic: true, Scan: false}, Emergency: Emergency{HotMicMs: 700}, Zones: []int{1}},
	}
	c.JobCodeplugs = []JobCodeplug{{"police", "std"}, {"ems", "ems"}}
	c.ACL = ACL{Entries: []ACE{{"group.admin", "radio", true}, {"group.heli", "radio.connect.33.4", true},
		{"builtin.everyone", "radio.scan.460.25", false}, {"player.4", "radio.nac.fire", true}, {"player.5", "radio.nac." + secretNac, true}},
		Inherit: []Inheritance{{"identifier.license:a", "group.admin"}, {"identifier.license:h", "group.heli"}}}
	c.Signal = &Signal{Range: 800, Sites: []Site{{Position{X: 300}, 1000}, {Position{X: 1500, Y: 100}, 0}}, Noise: 50}
	switch edition {
	case 1:
		c.Signal = nil
		c.Bonking.BlockTransmission = false
		c.TimeoutTimer = 0
		c.ResumeWindow = 0
		c.Zones[1].Channels[0].High = mhz(856.0125)
		c.PanicTimeout = 0
	case 2:
		c.Signal.Sites = nil // direct
		c.Zones = c.Zones[:1]
		c.Zones[0].Channels = []Channel{north, tac, {Name: "Was trunked", Type: Conventional, Frequency: mhz(856)}, {Name: "Was working", Type: Conventional, Frequency: mhz(856.025)}}
		c.AnnouncementGroups, c.Codeplugs, c.JobCodeplugs = nil, nil, nil
		c.UseCallsignSystem = false
		c.TimeoutTimer = 900
	case 3:
		c.Signal.Range = 0
		c.Zones[0].Channels[1] = Channel{Name: "Trunked now", Type: Trunked, Frequency: mhz(154.815), Low: mhz(150), High: mhz(150.1), Coverage: 50}
		c.TalkLease = 0
		c.Limits.Users = 6
	}
	return c
}

func mhz(v float64) Frequency {
	f, err := FrequencyOf(v)
	if err != nil {
		panic(err)
	}
	return f
}

// dice decide which commands are thrown: random numbers, or the bytes of a fuzzer.
type dice interface{ Intn(n int) int }

type thrower struct{ dice }

func pick[T any](d thrower, of ...T) T { return of[d.Intn(len(of))] }

func (d thrower) one(in int) bool { return d.Intn(in) == 0 }

func (d thrower) user() UserID {
	if d.one(3) {
		return pick(d, UserID(-1), -1, -1, -2, -2, -3, -4, -77)
	}
	return pick(d, UserID(1), 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 0, 99)
}

func (d thrower) freq() Frequency {
	if d.one(2) {
		return pick(d, mhz(154.755), mhz(154.755), mhz(856))
	}
	return pick(d, mhz(154.815), mhz(460.25), mhz(770.5), mhz(856), mhz(856), mhz(857), mhz(33.4),
		mhz(856.0125), mhz(856.025), mhz(150), mhz(155.5), 0)
}

func (d thrower) text() string {
	return pick(d, "", "Adam-12", "fire", "police", "ems", " ", "a\x00b", string([]byte{0xff}), "Ünit 4", "A\u202eB", "BEEP", "alert_a", string(make([]byte, 3000)))
}

func (d thrower) nac() string { return pick(d, "", "police", "police", "fire", "ems", secretNac) }

func (d thrower) ptr() *string {
	if d.one(2) {
		return nil
	}
	t := d.nac()
	return &t
}

func (d thrower) name() *string {
	t := pick(d, "Alice", "Bob", "", "\u200dEve")
	return &t
}

func (d thrower) facts() Facts {
	return Facts{Name: *d.name(), Nac: d.nac(), Callsign: pick(d, "", "NORTH"), CallbackNac: pick(d, "", "", "police"), Refused: d.one(25),
		Game:        d.answers(),
		Identifiers: pick(d, nil, []string{"license:a"}, []string{"license:h", "Steam:1"}),
		Given:       pick(d, Grants{}, Grants{}, Grants{Dispatch: true, GPS: Grant{Listed: true, Frequencies: []Frequency{mhz(856)}}}, Grants{Connect: Grant{Listed: true, Frequencies: []Frequency{mhz(33.4)}}, Nac: secretNac})}
}

// answers are seldom given.
func (d thrower) answers() Answers {
	if !d.one(6) {
		return Answers{}
	}
	return Answers{Access: pick(d, Unsaid, Yes, Yes, No), Nac: GameAnswer{Given: d.one(2), Text: d.nac()}, Name: GameAnswer{Given: d.one(2), Text: *d.name()}}
}

func (d thrower) flag() *bool { return pick(d, nil, ptr(true), ptr(false)) }

func ptr[T any](v T) *T { return &v }

func (d thrower) alert() Alert {
	return Alert{Name: d.text(), Persistence: pick(d, Unsaid, Yes, No), Tones: AlertTones{Activate: "ALERT_A"}, RepeatInterval: pick(d, 0.0, 3, -1, 5000), RepeatShowBanner: true}
}

// own gives the commands that users mostly give for themselves.
func (d thrower) own(u UserID) Command {
	switch d.Intn(24) {
	case 0, 1:
		return JoinAsSpeaker{u, d.freq()}
	case 2:
		return pick[Command](d, LeaveChannel{u}, KeyUp{User: u}, KeyUp{User: u}, KeyUp{User: u})
	case 3:
		return StartScan{u, d.freq()}
	case 4:
		return StopScan{u, d.freq()}
	case 5:
		return pick[Command](d, Start3D{u, d.freq()}, Start3D{u, d.freq()}, Stop3D{u, d.freq()})
	case 6:
		return pick[Command](d, Follow{u, d.user()}, Unfollow{u, d.user()})
	case 7, 8, 9, 10:
		return KeyUp{u, pick(d, 0, 0, d.freq()), d.one(6)}
	case 11:
		return KeyDown{u, pick(d, 0, 0, d.freq())}
	case 12:
		return Heard{u, pick(d, 0, d.freq())}
	case 13:
		return SetPanic{u, pick(d, 0, d.freq()), d.one(2)}
	case 14:
		return SetRadio{User: u, Power: pick(d, nil, ptr(true), ptr(true), ptr(true), ptr(false)), TogglePower: d.one(20), Earbuds: d.flag(), GPS: pick(d, nil, nil, nil, ptr(true), ptr(true), ptr(false)), Volume: pick(d, nil, ptr(0.5), ptr(2.0)), Theme: pick(d, nil, nil, ptr("dark"))}
	case 15:
		return SetLoopback{u, d.one(2)}
	case 16:
		return ArmGroup{u, pick(d, "all", "all", "", "none")}
	}
	if d.one(5) {
		return Unlink{u, d.one(3)}
	}
	return KeyUp{u, 0, false}
}

// others gives the commands of dispatchers, scripts and the game server.
func (d thrower) others(u UserID) Command {
	switch d.Intn(24) {
	case 0, 1, 2:
		return Connect{Want: u, Owner: pick(d, "", "s1", "s2"), TakeOver: pick(d, 0, 0, 0, 0, u), Facts: d.facts()}
	case 3:
		return LinkSession{u, pick(d, "s1", "s2", ""), "Linked", pick(d, "LATE", "")}
	case 4:
		return Register{u, d.facts()}
	case 5:
		if d.one(3) {
			return pick[Command](d, Kick{u}, Drop{u})
		}
		return Connect{Want: u, Owner: "s1", Facts: d.facts()}
	case 6:
		return Identify{u, d.name(), d.ptr()}
	case 7:
		return Refresh{User: u, CallbackName: "", CallbackNac: d.nac(), Refused: d.one(15), KeepOverride: d.one(2)}
	case 8:
		return SetNac{u, pick(d, d.nac(), d.text())}
	case 9:
		return SetCallsign{u, d.text()}
	case 10, 11:
		at := Position{X: float64(d.Intn(4) * 300), Y: float64(d.Intn(2) * 300)}
		return SetPositions{[]PlayerPosition{{u, at}, {d.user(), Position{X: float64(d.Intn(2000))}}}}
	case 12, 13:
		return MoveUser{u, d.freq()}
	case 14, 15:
		return CreatePatch{Label: d.text(), Frequencies: []Frequency{d.freq(), d.freq(), d.freq()}[:2+d.Intn(2)], CreatedBy: d.user()}
	case 16:
		return RemovePatch{PatchID(d.Intn(40))}
	case 17:
		return pick[Command](d, SetAlert{d.freq(), pick(d, Unsaid, Yes, No), AlertRef{Index: d.Intn(4), Name: pick(d, "", "", "ping", "?")}}, ClearAlert{d.freq()})
	case 18:
		return pick[Command](d, TriggerAlert{d.freq(), d.alert()}, PlayAlert{d.freq(), d.alert()})
	case 19:
		return pick[Command](d, PlayTone{d.freq(), d.text()}, PlayToneTo{u, d.text()})
	case 20:
		return pick[Command](d, Broadcast{d.text(), d.freq(), "", pick(d, "", "BEEP", "?")}, AlertUser{u, d.text(), d.freq()})
	case 21:
		if d.one(3) {
			return d.tend(d.Intn(20))
		}
		return AcknowledgePanic{u, pick(d, 0, d.freq())}
	case 22:
		if d.one(8) {
			return ReplaceConfig{simConfig(pick(d, 0, 0, 0, 0, 1, 2, 3))}
		}
	}
	return nil
}

// tend gives the commands of a dispatcher who takes care of an emergency.
func (d thrower) tend(number int) Command {
	id := EmergencyRecord{Number: number}.ID()
	return pick[Command](d, AcknowledgeEmergency{id}, CloseEmergency{id, pick(d, "resolved", "resolved", "test", "", "acknowledged"), pick(d, "", d.text())})
}

// back gives the command that recovers a lost link, mostly for its owner.
func (d thrower) back(users []*User) Command {
	for _, u := range users {
		if u.LostAt > 0 {
			return Recover{u.ID, pick(d, u.Owner, u.Owner, "s1")}
		}
	}
	return Recover{d.user(), "s1"}
}

func (d thrower) throw() (Actor, Command) {
	u := d.user()
	if d.Intn(10) < 6 {
		return Actor{User: u, Surface: BySocket}, d.own(u)
	}
	if d.one(200) {
		return pick(d, Actor{Surface: BySystem}, Actor{Surface: BySystem}, Actor{Surface: ByLua}), SetStorage{pick(d, "", "", "the disk is full")}
	}
	by := pick(d, Actor{Surface: ByLua}, Actor{Surface: ByLua}, Actor{Surface: ByREST, User: -1}, Actor{User: -1, Surface: BySocket}, Actor{User: d.user(), Surface: BySocket})
	return by, d.others(u)
}
