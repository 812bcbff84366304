package core

import (
	"slices"
	"strings"
)

// Audience says who is told of an event: the union of its parts, each person
// once. It is decided inside Step, from the membership at that moment.
type Audience struct {
	Everyone    bool     `json:"everyone,omitempty"`
	Dispatchers bool     `json:"dispatchers,omitempty"`
	Users       []UserID `json:"users,omitempty"` // sorted
}

// Includes says whether a user belongs to the audience.
func (a Audience) Includes(u UserID) bool {
	return a.Everyone || (a.Dispatchers && u.Dispatcher()) || contains(a.Users, u)
}

func (a Audience) String() string {
	if a.Everyone {
		return "everyone"
	}
	var to []string
	if a.Dispatchers {
		to = append(to, "dispatch")
	}
	for _, u := range a.Users {
		to = append(to, u.String())
	}
	if to == nil {
		return "nobody"
	}
	return strings.Join(to, " ")
}

// Event is a fact with its moment, its author and its audience.
type Event struct {
	At   int64 // ms since the epoch
	By   Actor
	To   Audience
	Fact Fact
}

// Fact is something that has happened, in the past tense.
type Fact interface{ fact() }

func only(u UserID) Audience {
	if u == 0 {
		return Audience{}
	}
	return Audience{Users: []UserID{u}}
}

func dispatchAnd(users ...UserID) Audience {
	slices.Sort(users)
	return Audience{Dispatchers: true, Users: slices.Compact(users)}
}

func dispatchAndPlayers(users []*User) Audience {
	return Audience{Dispatchers: true, Users: ids(players(users))}
}

// on says whether a user is a member of exactly this frequency. A user who only
// overhears it (3D) is not: it gets the voice and is told nothing.
func (u *User) on(f Frequency) bool { return u.Current == f || contains(u.Scans, f) }

// at is every member of a frequency (speakers, scanners) and the dispatchers,
// whose consoles show all channels.
func (s *State) at(f Frequency) Audience {
	o := s.x.at(f)
	return dispatchAndPlayers(union(o.speakers, o.scanners))
}

// onChannels is every member of the channels, for a talkgroup's base with the
// speakers on its working frequencies, and the dispatchers.
func (s *State) onChannels(fs ...Frequency) Audience {
	var all []*User
	for _, f := range fs {
		o := s.x.at(f)
		all = union(all, o.speakers, o.scanners, o.units)
	}
	return dispatchAndPlayers(all)
}

// and adds a user to an audience, unless it is among the dispatchers already.
func (a Audience) and(u UserID) Audience {
	if u.Player() || !a.Dispatchers {
		insertSorted(&a.Users, u)
	}
	return a
}

type (
	// UserConnected: a user is on the radio. Wanted is the id asked for; it
	// differs from User when somebody else held that id.
	UserConnected struct {
		User, Wanted UserID
		Resumed      bool
	}
	// UserLeft: the user is gone (clean close, drop, or the resume window ran
	// out). Name is the one it had.
	UserLeft struct {
		User   UserID
		Name   string
		Reason string // "closed", "lost", "kicked", "dropped"
	}
	// LinkLost: the user's link broke; its membership is kept for the resume
	// window.
	LinkLost struct{ User UserID }

	// SpeakerJoined and the next three are changes of membership.
	SpeakerJoined struct {
		User      UserID
		Frequency Frequency
		Name, Nac string
	}
	SpeakerLeft struct {
		User      UserID
		Frequency Frequency
		Name, Nac string
	}
	ListenerJoined struct {
		User      UserID
		Frequency Frequency
	}
	ListenerLeft struct {
		User      UserID
		Frequency Frequency
	}
	// FollowStarted: a dispatcher (User) began to follow Target.
	FollowStarted struct{ User, Target UserID }
	FollowEnded   struct{ User, Target UserID }

	// ChannelChanged carries the full snapshot of a channel.
	ChannelChanged struct{ Channel ChannelView }
	// ChannelDeleted: the channel has emptied; a working frequency is free.
	ChannelDeleted struct{ Frequency Frequency }

	// FloorTaken: a talk began to be heard on Frequency. Keyed is the channel
	// that was keyed; it differs across a patch and within a talkgroup.
	FloorTaken struct {
		User             UserID
		Frequency, Keyed Frequency
		Override         bool
		Over             UserID // whom an override talks over; 0: nobody
		HotMic           bool   // a panic opened the unit's microphone
	}
	// FloorReleased: a talk ceased to be heard on Frequency. Reason is one of
	// "released", "timeout" (time-out timer; also a key-up that the timer still
	// blocks), "lease" (another user took the floor of a silent talker), "left",
	// "moved", "lost" (broken link), "gone" (the user left the radio or came back
	// with a new client, or the channel is no longer configured), "power",
	// "patch" (no longer heard through a patch), "closed" (a working frequency was
	// freed, or another configuration is in force), "hotmic" (a hot microphone's time
	// or emergency is over) and "none" (to the talker alone: it sends voice without a
	// floor).
	FloorReleased struct {
		User             UserID
		Frequency, Keyed Frequency
		Reason           string
	}
	// FloorDenied: the channel is busy; Holder is the one who talks.
	FloorDenied struct {
		User      UserID
		Frequency Frequency
		Holder    UserID
	}

	// AlertActivated: an alert is on at a channel.
	AlertActivated struct {
		Frequency Frequency
		Alert     Alert
		Repeated  bool // the banner of an alert that is still active is shown again
	}
	// AlertShown: an alert was already on when the receiver came; By raised it.
	AlertShown struct {
		Frequency Frequency
		Alert     Alert
		By        UserID
		Since     int64 // ms since the epoch
	}
	// AlertCleared: an alert is off.
	AlertCleared struct {
		Frequency Frequency
		Alert     Alert
	}
	// AlertPlayed: a one-shot was played; nothing stays active.
	AlertPlayed struct {
		Frequency Frequency
		Alert     Alert
	}
	// TonePlayed: a tone was played on a channel, or, if User is not zero, to one
	// user; Frequency is then the user's speaker channel or zero.
	TonePlayed struct {
		Tone      string
		Frequency Frequency
		User      UserID
	}

	// PanicRaised: a user pressed its panic button (or a script did).
	PanicRaised struct {
		User       UserID
		Frequency  Frequency
		Name       string
		Unrecorded bool // too many emergencies are open: it has no EmergencyRecord
	}
	// PanicShown: a panic was already on when the receiver came.
	PanicShown struct {
		User      UserID
		Frequency Frequency
		Name      string
		Since     int64 // ms since the epoch
	}
	PanicCleared struct {
		User      UserID
		Frequency Frequency
		Reason    string // "cleared", "acknowledged", "timeout", "dropped"
		Name      string
		Since     int64 // ms since the epoch
	}
	// EmergencyChanged carries an emergency's record as it now is. Change is "raised"
	// (also again), "acknowledged", "ended", "closed" or "shown": it was already open
	// when the receiver came, or acknowledged already when the receiver did it too.
	EmergencyChanged struct {
		Record *EmergencyRecord // read only
		Change string
	}

	// PatchCreated and PatchChanged carry the patch as it now is.
	PatchCreated struct{ Patch Patch }
	PatchChanged struct{ Patch Patch }
	// PatchRemoved carries the patch as it was.
	PatchRemoved struct{ Patch Patch }
	// PatchShown: a patch was already there when the receiver came.
	PatchShown struct{ Patch Patch }

	// TransmissionsShown: what was said before the receiver came, the newest first.
	TransmissionsShown struct{ Transmissions []Transmission }

	// BroadcastSent: a text was sent to a channel or to everyone. Its tone is a
	// TonePlayed of its own.
	BroadcastSent struct {
		Message   string
		Frequency Frequency // zero: everyone
		Type      string
		Tone      string
	}
	// UserAlerted: a text was sent to one user.
	UserAlerted struct {
		User      UserID
		Message   string
		Frequency Frequency
	}
	// UserMoved: a user was put on another channel by authority.
	UserMoved struct {
		User     UserID
		From, To Frequency
		Control  Frequency // the talkgroup's base when To is a working frequency
		Auto     bool      // the radio moved the user by itself: trunk regrouping, another configuration
	}
	// UserDisconnected: a user was kicked; UserLeft follows.
	UserDisconnected struct{ User UserID }
	// CallsignChanged: a callsign was set or (empty) cleared.
	CallsignChanged struct {
		User     UserID
		Callsign string
	}
	// PlayerInfoChanged: who a user is, as others may see it.
	PlayerInfoChanged struct {
		User                      UserID
		Name, Nac, Unit, Callsign string
	}
	// NacOverridden: a NAC id was set by hand (Nac "" : back to the resolved one).
	NacOverridden struct {
		User UserID
		Nac  string
	}
	// GroupArmed: an announcement group was selected.
	GroupArmed struct {
		User  UserID
		Group string // "" : disarmed
	}
	// RadioChanged: the state of a radio changed.
	RadioChanged struct {
		User  UserID
		Radio Radio
	}
	// SelfChanged: a user's own record changed; Self is the new one.
	SelfChanged struct{ Self Self }
	// AccessChanged: a player sees other zones, or may transmit on other channels, than
	// its last configuration says.
	AccessChanged struct{ User UserID }
	// UnitsLocated: the map of each receiver now shows these units, and no others.
	UnitsLocated struct{ Fixes []Fix }
	// ConfigChanged: another configuration is in force.
	ConfigChanged struct{}
)

func (UserConnected) fact()      {}
func (UserLeft) fact()           {}
func (LinkLost) fact()           {}
func (SpeakerJoined) fact()      {}
func (SpeakerLeft) fact()        {}
func (ListenerJoined) fact()     {}
func (ListenerLeft) fact()       {}
func (FollowStarted) fact()      {}
func (FollowEnded) fact()        {}
func (ChannelChanged) fact()     {}
func (ChannelDeleted) fact()     {}
func (FloorTaken) fact()         {}
func (FloorReleased) fact()      {}
func (FloorDenied) fact()        {}
func (AlertActivated) fact()     {}
func (AlertShown) fact()         {}
func (AlertCleared) fact()       {}
func (AlertPlayed) fact()        {}
func (TonePlayed) fact()         {}
func (PanicRaised) fact()        {}
func (PanicShown) fact()         {}
func (PanicCleared) fact()       {}
func (EmergencyChanged) fact()   {}
func (TransmissionsShown) fact() {}
func (PatchCreated) fact()       {}
func (PatchChanged) fact()       {}
func (PatchRemoved) fact()       {}
func (PatchShown) fact()         {}
func (BroadcastSent) fact()      {}
func (UserAlerted) fact()        {}
func (UserMoved) fact()          {}
func (UserDisconnected) fact()   {}
func (CallsignChanged) fact()    {}
func (PlayerInfoChanged) fact()  {}
func (NacOverridden) fact()      {}
func (GroupArmed) fact()         {}
func (RadioChanged) fact()       {}
func (SelfChanged) fact()        {}
func (AccessChanged) fact()      {}
func (UnitsLocated) fact()       {}
func (ConfigChanged) fact()      {}
