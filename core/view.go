package core

import "slices"

// View reads the radio. It is valid only while the owner of the State lends it.
type View struct{ s *State }

// View lends the State for reading.
func (s *State) View() View { return View{s} }

// ChannelView is the snapshot of one channel for channelState and getChannelInfo.
// Its lists are shared with others who were shown the same snapshot: read only.
type ChannelView struct {
	Frequency     Frequency
	Control       Frequency // base of the talkgroup, for a working frequency
	Speakers      []UserID
	Listeners     []UserID
	ActiveTalkers []UserID
	Users         []UserView // speakers and listeners, without their scan lists
}

// Empty says that nobody is on the channel.
func (c ChannelView) Empty() bool { return len(c.Speakers) == 0 && len(c.Listeners) == 0 }

// UserView is one user as others may see it.
type UserView struct {
	ID       UserID
	Name     string
	Nac      string // "": none, or the login of the dispatch panel
	Callsign string
	Unit     string
	Current  Frequency
	Control  Frequency
	Scans    []Frequency
	Talking  bool
	Linked   bool // on the radio: the connection is up or may come back
	Lost     bool // the connection broke and may come back
	Radio    Radio
}

// Config is the configuration in force. Read only.
func (v View) Config() *Config { return v.s.cfg }

// Channel gives a configured channel or a working frequency in use; ok is false for
// any other frequency.
func (v View) Channel(f Frequency) (ChannelView, bool) {
	if v.s.resolve(f) == nil {
		return ChannelView{}, false
	}
	return v.channel(f), true
}

// channel gives the snapshot that was shown last, as long as nothing in it has
// changed.
func (v View) channel(f Frequency) ChannelView {
	o := v.s.x.on[f]
	if o == nil {
		return v.freshChannel(f)
	}
	if o.view == nil {
		fresh := v.freshChannel(f)
		o.view = &fresh
	}
	return *o.view
}

func (v View) freshChannel(f Frequency) ChannelView {
	speakers, listeners := v.s.speakersOn(f), v.s.listenersOn(f)
	c := ChannelView{Frequency: f, Speakers: ids(speakers), Listeners: ids(listeners)}
	if g := v.s.group(f); g != nil {
		c.Control = g.Control
	}
	for _, t := range v.s.x.at(f).heard {
		insertSorted(&c.ActiveTalkers, t.User)
	}
	if both := union(speakers, listeners); len(both) > 0 {
		c.Users = make([]UserView, len(both))
		for i, u := range both {
			c.Users[i] = v.shown(u)
		}
	}
	return c
}

// Channels gives every configured channel and every working frequency in use,
// sorted by frequency.
func (v View) Channels() []ChannelView {
	var fs []Frequency
	for _, ch := range v.s.channels {
		fs = append(fs, ch.at)
	}
	for _, g := range v.s.d.Groups {
		insertSorted(&fs, g.Frequency)
	}
	out := make([]ChannelView, len(fs))
	for i, f := range fs {
		out[i] = v.channel(f)
	}
	return out
}

// ActiveChannels gives the channels with at least one user.
func (v View) ActiveChannels() []ChannelView {
	return slices.DeleteFunc(v.Channels(), ChannelView.Empty)
}

// User finds a user; ok is false if there is none.
func (v View) User(id UserID) (UserView, bool) {
	u := v.s.user(id)
	if u == nil {
		return UserView{}, false
	}
	shown := v.shown(u)
	shown.Scans = slices.Clone(u.Scans)
	return shown, true
}

// shown is a user without its scan list: the snapshot of a channel with many
// consoles would carry all their lists.
func (v View) shown(u *User) UserView {
	return UserView{
		ID: u.ID, Name: v.s.name(u), Nac: v.s.shownNac(u), Callsign: v.s.callsignOf(u), Unit: v.s.unit(u),
		Current: u.Current, Control: u.Control,
		Talking: len(v.s.x.talks[u.ID]) > 0,
		Linked:  u.Linked, Lost: u.LostAt > 0, Radio: u.Radio,
	}
}

// Users gives every user, sorted by id.
func (v View) Users() []UserView {
	out := make([]UserView, len(v.s.users.all))
	for i, u := range v.s.users.all {
		out[i] = v.shown(u)
		out[i].Scans = slices.Clone(u.Scans)
	}
	return out
}

// OnTheRadio gives those who are on the radio, sorted by id: their link is up, or
// broke and may come back. Players whom the game server has announced but who have
// not connected are not among them.
func (v View) OnTheRadio() []UserView {
	return slices.DeleteFunc(v.Users(), func(u UserView) bool { return !u.Linked })
}

// Room says why owner, asking for want, would find no place on the radio; nil: there
// is one, or the owner has it already.
func (v View) Room(owner string, want UserID) error {
	s := v.s
	if want.Player() && s.user(want) != nil || slices.ContainsFunc(s.x.owned[owner], func(u *User) bool { return u.of(owner, want) }) {
		return nil
	}
	held, lost := 0, UserID(0)
	if want.Dispatcher() && owner != "" {
		held, lost = s.heldBy(owner)
	}
	most := s.cfg.Limits.IDsPerLogin
	switch {
	case most > 0 && held >= most && lost == 0:
		return errLoginFull(most)
	case most > 0 && held >= most, len(s.users.all) < s.cfg.Limits.Users, s.spareSeat() != 0:
		return nil
	}
	return errRadioFull()
}

// Facts gives what the outside last said of a user, for a refresh.
func (v View) Facts(id UserID) (Facts, bool) {
	u := v.s.user(id)
	if u == nil {
		return Facts{}, false
	}
	return u.Facts, true
}

// NacOf is the effective NAC id, even if it is the secret login: for access checks
// of adapters, never for output. "": none.
func (v View) NacOf(id UserID) string {
	if u := v.s.user(id); u != nil {
		return v.s.nac(u)
	}
	return ""
}

// HasRadioAccess is radioAccessCheck's answer; an unknown user has none.
func (v View) HasRadioAccess(id UserID) bool {
	u := v.s.user(id)
	return u != nil && !u.Facts.Refused
}

// Talking says whether a user is heard on a channel, wherever it keyed.
func (v View) Talking(id UserID, f Frequency) bool {
	return slices.ContainsFunc(v.s.x.talks[id], func(t *held) bool { return contains(t.Heard, f) })
}

// ActiveTalk is the earliest talk by anybody else that is heard on one of the channels
// of the user on (getActiveTalker); ok is false if there is none.
func (v View) ActiveTalk(on UserID) (Talk, bool) {
	u := v.s.user(on)
	if u == nil {
		return Talk{}, false
	}
	lists := [][]*held{v.s.x.at(u.Current).heard}
	for _, f := range u.Scans {
		lists = append(lists, v.s.x.at(f).heard)
	}
	for _, t := range talksIn(lists...) {
		if t.User != on {
			return t.Talk, true
		}
	}
	return Talk{}, false
}

// MayTransmit says whether a user may talk on a channel: by its own access, or
// because it is on the channel and was placed there.
func (v View) MayTransmit(id UserID, f Frequency) bool {
	u, ch := v.s.user(id), v.s.resolve(f)
	return u != nil && ch != nil && (v.s.mayConnect(u, ch) || (ch == v.s.resolve(u.Current) && v.s.covered(u)))
}

// MayScan says whether a user may listen to a channel.
func (v View) MayScan(id UserID, f Frequency) bool {
	u, ch := v.s.user(id), v.s.resolve(f)
	return u != nil && ch != nil && v.s.mayScan(u, ch)
}

// Grants is the ACE permission result (getAcePermissions).
func (v View) Grants(id UserID) (Grants, bool) {
	u := v.s.user(id)
	if u == nil {
		return Grants{}, false
	}
	g := u.Granted.clone()
	g.Nac = v.s.unlessSecret(g.Nac)
	return g, true
}

// Subscriber is a player's record (getSubscriberInfo): its codeplug with the
// player's own unit id.
func (v View) Subscriber(id UserID) (Codeplug, bool) {
	u := v.s.user(id)
	if u == nil {
		return Codeplug{}, false
	}
	p := v.s.codeplug(u)
	if p == nil {
		return Codeplug{}, false
	}
	c := *p
	c.UnitID = v.s.unit(u)
	return c, true
}

// VisibleZones are the zones that a user sees or may use a channel of, with the
// channels in them that it may use (getSubscriberZones, the radio's display). The
// login of the dispatch panel is left out of their NAC lists.
func (v View) VisibleZones(id UserID) []Zone {
	u := v.s.user(id)
	if u == nil {
		return nil
	}
	var zones []Zone
	for i := range v.s.cfg.Zones {
		z := v.s.cfg.Zones[i]
		z.Channels = slices.DeleteFunc(slices.Clone(z.Channels), func(c Channel) bool {
			ch := v.s.channelAt(c.Frequency)
			return !v.s.mayScan(u, ch) && !v.s.mayConnect(u, ch)
		})
		z.NacIDs = v.shownNacs(z.NacIDs)
		for j := range z.Channels {
			c := &z.Channels[j]
			c.AllowedNacs, c.ScanAllowedNacs = v.shownNacs(c.AllowedNacs), v.shownNacs(c.ScanAllowedNacs)
			c.GPS.VisibleToNacs = v.shownNacs(c.GPS.VisibleToNacs)
		}
		if v.s.seesZone(u, i) || len(z.Channels) > 0 {
			zones = append(zones, z)
		}
	}
	return zones
}

func (v View) shownNacs(nacs []string) []string {
	return slices.DeleteFunc(slices.Clone(nacs), func(n string) bool { return v.s.unlessSecret(n) == "" })
}

// Patches gives the patches, the oldest first. The result is a copy.
func (v View) Patches() []Patch {
	out := make([]Patch, len(v.s.d.Patches))
	for i, p := range v.s.d.Patches {
		out[i] = p.clone()
	}
	return out
}

// Alerts gives the active alerts, by frequency.
func (v View) Alerts() []ActiveAlert { return slices.Clone(v.s.d.Alerts) }

// Panics gives the active panics, by frequency and user.
func (v View) Panics() []Panic { return slices.Clone(v.s.d.Panics) }

// Alert gives the alert that is active on a channel.
func (v View) Alert(f Frequency) (Alert, bool) {
	ch := v.s.resolve(f)
	if ch == nil {
		return Alert{}, false
	}
	i, active := v.s.activeAlert(ch.at)
	if !active {
		return Alert{}, false
	}
	return v.s.d.Alerts[i].Alert, true
}

// Emergencies gives the records of the open emergencies, the oldest first.
func (v View) Emergencies() []EmergencyRecord { return slices.Clone(v.s.d.Emergencies) }

// PanicOn says whether a user has panic active on a channel.
func (v View) PanicOn(id UserID, f Frequency) bool {
	ch := v.s.resolve(f)
	if ch == nil {
		return false
	}
	_, on := v.s.panicAt(ch.at, id)
	return on
}

// PanicsAt gives the users whose panic is on at a channel, sorted; false: there is no
// such channel.
func (v View) PanicsAt(f Frequency) (on []UserID, known bool) {
	ch := v.s.resolve(f)
	if ch == nil {
		return nil, false
	}
	for _, p := range v.s.d.Panics {
		if p.Frequency == ch.at {
			on = append(on, p.User)
		}
	}
	return on, true
}

// Alias turns the id that a session asked for into the id that it has.
func (v View) Alias(owner string, id UserID) UserID {
	if a := v.s.alias(owner, id); a != 0 {
		return a
	}
	return id
}

// DispatcherID is the dispatcher id that an owner (a login or an API key) has on
// the radio; 0: none. Of several it is the one that the owner was given for -1, else
// the one nearest to -1.
func (v View) DispatcherID(owner string) UserID {
	if own := v.s.alias(owner, -1); own != 0 && own != -1 {
		return own
	}
	if v.MeantDispatcher(0) == 0 { // after a restart nobody is back yet
		return 0
	}
	var own UserID
	from, to := v.s.aliasesOf(owner)
	for _, a := range v.s.d.Aliases[from:to] {
		if a.ID.Dispatcher() && (own == 0 || a.ID > own) {
			own = a.ID
		}
	}
	return own
}

// Owned are the users of an owner, also those with a broken link.
func (v View) Owned(owner string) []UserID {
	return ids(v.s.x.owned[owner])
}

// Owners gives, for every owner, its users who are on the radio, sorted by id.
func (v View) Owners() map[string][]UserID {
	all := map[string][]UserID{}
	for owner, users := range v.s.x.owned {
		for _, u := range users {
			if u.Linked {
				all[owner] = append(all[owner], u.ID)
			}
		}
	}
	return all
}

// MeantDispatcher is the dispatcher whom update-callsign means without userId: the
// caller, if it is a dispatcher on the radio, else the one nearest to -1; 0: nobody.
func (v View) MeantDispatcher(caller UserID) UserID {
	if caller.Dispatcher() && v.s.user(caller) != nil {
		return caller
	}
	if d := v.s.users.dispatchers(); len(d) > 0 {
		return d[len(d)-1].ID
	}
	return 0
}

// Self is a user's own record.
func (v View) Self(id UserID) (Self, bool) {
	u := v.s.user(id)
	if u == nil {
		return Self{}, false
	}
	return v.s.self(u), true
}

// Players are all players whom the radio knows, connected or not.
func (v View) Players() []UserID {
	return ids(players(v.s.users.all))
}

// Routes is the table in force.
func (v View) Routes() *RouteTable { return v.s.routes }

// Tone finds a tone of the tone list, in any case.
func (v View) Tone(name string) (Tone, bool) {
	t := v.s.tone(name)
	if t == nil {
		return Tone{}, false
	}
	return *t, true
}

// Without is an audience without some users, which are sorted.
func (v View) Without(a Audience, who []UserID) Audience {
	a.Users = slices.Clone(a.Users)
	if a.Everyone || (a.Dispatchers && slices.ContainsFunc(who, UserID.Dispatcher)) { // name those who stay
		for _, u := range v.s.users.all {
			if a.Includes(u.ID) {
				insertSorted(&a.Users, u.ID)
			}
		}
		a.Everyone, a.Dispatchers = false, false
	}
	a.Users = slices.DeleteFunc(a.Users, func(u UserID) bool { return contains(who, u) })
	return a
}

// Snapshot copies everything that the radio remembers.
func (v View) Snapshot() Data { return v.s.Snapshot() }
