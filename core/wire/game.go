package wire

import (
	"bytes"
	"encoding/json"

	"squelch/core"
)

// The live mirror of the game server: GET /api/game/changes. Nothing in it is hidden,
// so only the game server may read it.
type (
	// GameChanges is what has changed since the position that was asked for or, with
	// reset, everything as it is.
	GameChanges struct {
		Epoch   string       `json:"epoch"`            // once it differs, earlier positions mean nothing
		Next    uint64       `json:"next"`             // since of the next call
		Changes []GameChange `json:"changes,omitzero"` // in the order of seq
		Reset   bool         `json:"reset,omitempty"`
		State   *GameState   `json:"state,omitempty"`
	}
	GameState struct {
		Config  GameConfig       `json:"config"`
		Classes []GameClass      `json:"classes"`
		Users   []GameUser       `json:"users"`
		Alerts  map[string]Alert `json:"alerts"` // by frequency
		Patches []Patch          `json:"patches"`
	}
	// GameConfig is the configuration with all NAC lists. Only the users say who is on
	// a channel, and zones carry their channels once.
	GameConfig struct {
		ConfigBody
		Hash         string   `json:"hash"` // changes with anything in the configuration
		ResourceName string   `json:"resourceName"`
		Callbacks    []string `json:"callbacks"`    // those of config.lua that only the game can answer
		Audio3DRange float64  `json:"audio3DRange"` // metres within which a radio nearby is overheard
	}
	// GameClass is what users with the same access may do.
	GameClass struct {
		Connect []string `json:"connect"` // frequencies on which they may transmit
		Scan    []string `json:"scan"`    // frequencies to which they may listen
		Zones   []int    `json:"zones"`   // 1-based indices of the zones that they see
	}
	GameUser struct {
		ServerID         core.UserID `json:"serverId"`
		Name             string      `json:"name"`
		NacID            *string     `json:"nacId"` // the effective one
		Callsign         *string     `json:"callsign"`
		UnitID           *string     `json:"unitId"`
		Access           bool        `json:"access"`
		Connected        bool        `json:"connected"` // its radio is on the air; a broken link that may come back counts
		Channel          *string     `json:"channel"`
		ControlFrequency *string     `json:"controlFrequency"`
		Listening        []string    `json:"listening"`
		Talking          []string    `json:"talking"` // where it is heard
		Panic            []string    `json:"panic"`
		ACEs             GameACEs    `json:"aces"`
		Subscriber       *Subscriber `json:"subscriber"`
		Class            int         `json:"class"` // index in classes, from 0
		Radio            GameRadio   `json:"radio"`
	}
	// GameACEs is the result of getAcePermissions.
	GameACEs struct {
		Connect  Grant     `json:"connect"`
		Scan     Grant     `json:"scan"`
		GPS      Grant     `json:"gps"`
		Zones    ZoneGrant `json:"zones"`
		Dispatch bool      `json:"dispatch"`
	}
)

// Bounds of the query of GET /api/game/changes.
const (
	MaxWait   = 25  // seconds; the game's HTTP client gives up 30 s after the first byte
	MaxGather = 200 // ms
)

var changesQuery = []Parameter{
	{"since", "integer", "next of the previous reply; without it the reply is a reset"},
	{"epoch", "string", "epoch of the previous reply"},
	{"wait", "integer", "how long to wait for a change, 0-" + itoa(MaxWait) + " s; default 0"},
	{"gather", "integer", "how long a change waits for more to come, 0-" + itoa(MaxGather) + " ms; default 0"},
}

// GameChange is one change of the mirror: one of the types below.
type GameChange interface {
	// Subject is what a change is about. Of two changes about the same subject, the later
	// one replaces the earlier.
	Subject() Subject
	// Numbered is the change with its position.
	Numbered(seq uint64) GameChange
}

// Subject of a GameChange.
type Subject struct {
	Of        string // "user" (also of one who has gone), "talking", "alert", "patches", "classes", "config"
	ServerID  core.UserID
	Frequency string
}

// Whole is the subject whose changes cover this one too: for talking, its user. For
// others it is the subject itself.
func (s Subject) Whole() Subject {
	if s.Of == "talking" {
		return Subject{Of: "user", ServerID: s.ServerID}
	}
	return s
}

// Changes of the mirror.
type (
	// Change is what each of them begins with.
	Change struct {
		Seq  uint64 `json:"seq"`
		Type string `json:"type"`
	}
	ChangedUser struct {
		Change
		GameUser
	}
	ChangedGone struct {
		Change
		ServerID core.UserID `json:"serverId"`
	}
	// ChangedTalking is a user's talking alone.
	ChangedTalking struct {
		Change
		ServerID  core.UserID `json:"serverId"`
		Frequency string      `json:"frequency"`
		State     bool        `json:"state"`
	}
	ChangedAlert struct {
		Change
		Frequency string `json:"frequency"`
		Alert     *Alert `json:"alert,omitempty"` // absent: none is on any more
	}
	ChangedPatches struct {
		Change
		Patches []Patch `json:"patches"`
	}
	ChangedClasses struct {
		Change
		Classes []GameClass `json:"classes"`
	}
	ChangedConfig struct {
		Change
		Config GameConfig `json:"config"`
	}
)

// ChangeTypes are the types of GameChange.
var ChangeTypes = []GameChange{ChangedUser{}, ChangedGone{}, ChangedTalking{}, ChangedAlert{}, ChangedPatches{}, ChangedClasses{}, ChangedConfig{}}

func (c ChangedUser) Subject() Subject    { return Subject{Of: "user", ServerID: c.ServerID} }
func (c ChangedGone) Subject() Subject    { return Subject{Of: "user", ServerID: c.ServerID} }
func (c ChangedTalking) Subject() Subject { return Subject{"talking", c.ServerID, c.Frequency} }
func (c ChangedAlert) Subject() Subject   { return Subject{Of: "alert", Frequency: c.Frequency} }
func (c ChangedPatches) Subject() Subject { return Subject{Of: "patches"} }
func (c ChangedClasses) Subject() Subject { return Subject{Of: "classes"} }
func (c ChangedConfig) Subject() Subject  { return Subject{Of: "config"} }

func (c ChangedUser) Numbered(seq uint64) GameChange    { c.Change = Change{seq, "user"}; return c }
func (c ChangedGone) Numbered(seq uint64) GameChange    { c.Change = Change{seq, "gone"}; return c }
func (c ChangedTalking) Numbered(seq uint64) GameChange { c.Change = Change{seq, "talking"}; return c }
func (c ChangedAlert) Numbered(seq uint64) GameChange   { c.Change = Change{seq, "alert"}; return c }
func (c ChangedPatches) Numbered(seq uint64) GameChange { c.Change = Change{seq, "patches"}; return c }
func (c ChangedClasses) Numbered(seq uint64) GameChange { c.Change = Change{seq, "classes"}; return c }
func (c ChangedConfig) Numbered(seq uint64) GameChange  { c.Change = Change{seq, "config"}; return c }

// GameUserOf is a user of the mirror; class is the index of its verdict.
func GameUserOf(u core.GameUser, class int) GameUser {
	g := GameUser{ServerID: u.ID, Name: u.Name, NacID: orNull(u.Nac), Callsign: orNull(u.Callsign), UnitID: orNull(u.Unit),
		Access: u.Access, Connected: u.Linked, Channel: orNull(u.Current.String()), ControlFrequency: orNull(u.Control.String()),
		Listening: Spell(u.Scans), Talking: Spell(u.Talking), Panic: Spell(u.Panics), Class: class, Radio: gameRadio(u.Radio),
		ACEs: GameACEs{Grant{u.Granted.Connect}, Grant{u.Granted.Scan}, Grant{u.Granted.GPS}, ZoneGrant{u.Granted.Zones}, u.Granted.Dispatch}}
	if u.Subscriber != nil {
		s := subscriberOf(u.Subscriber)
		g.Subscriber = &s
	}
	return g
}

// GameClassOf is a verdict of the mirror.
func GameClassOf(d *core.Verdict) GameClass {
	return GameClass{Spell(d.Connect), Spell(d.Scan), list(d.Zones)}
}

// GameConfigOf is the configuration of the mirror; callbacks are those that need the
// game.
func GameConfigOf(c *core.Config, callbacks []string) (GameConfig, error) {
	open := *c
	open.DispatchNac = "" // nothing is left out of the NAC lists
	g := GameConfig{ConfigBody: configOf(&open, ThemeList{}), ResourceName: c.ResourceName, Callbacks: list(callbacks), Audio3DRange: c.Audio3DRange}
	for i := range g.Zones {
		g.Zones[i].LegacyChannels = []ConfigChannel{}
	}
	var err error
	g.Hash, err = HashConfig(*c)
	return g, err
}

// Bodies of the game server's requests.
type (
	// GameDo is the body of POST /api/game/do.
	GameDo struct {
		Requests GameRequests `json:"requests" wire:"required"`
	}
	// GameRequests are carried out in their order.
	GameRequests []GameRequest
	// GameRequest is an action of the table Actions with its arguments beside id and do.
	GameRequest struct {
		ID   string          `json:"id" wire:"required"`
		Do   string          `json:"do" wire:"required"`
		Args json.RawMessage `json:"-"` // the whole object
	}
	// GameResults is the reply; its results are in the order of the requests.
	GameResults struct {
		Success bool         `json:"success"` // of the call, not of each request
		Results []GameResult `json:"results"`
	}
	// GameResult says what has become of a request. Seq is the position of the mirror
	// at which its effect is visible.
	GameResult struct {
		ID    string  `json:"id"`
		OK    bool    `json:"ok"`
		Seq   *uint64 `json:"seq,omitempty"`
		Count *int    `json:"count,omitempty"` // of refreshPlayerInfo
		Reply any     `json:"reply,omitempty"` // of event: its ack
		Error string  `json:"error,omitempty"`
		Code  int     `json:"code,omitempty"` // HTTP status of the refusal
	}
	// GamePlayers is the body of POST /api/game/players.
	GamePlayers struct {
		Replace    bool       `json:"replace,omitempty"`    // players who are not listed have left the game
		KeepTokens bool       `json:"keepTokens,omitempty"` // a player who has a token keeps it
		Players    PlayerList `json:"players" wire:"required"`
	}
	PlayerList []ListedPlayer
	// ListedPlayer is a player of a list. What is wrong with one keeps nobody else off
	// the radio, so it is in Err; only a wrong serverId spoils the list.
	ListedPlayer struct {
		PlayerConnect
		Body json.RawMessage `json:"-"` // the player as it came
		Err  error           `json:"-"`
	}
	// GamePlayersReply has the new tokens, and why players were refused, by serverId.
	GamePlayersReply struct {
		Success bool              `json:"success"`
		Tokens  map[string]string `json:"tokens"`
		Errors  map[string]string `json:"errors"`
	}
	// GamePositions is the body of POST /api/game/positions. The bare list is taken, too.
	GamePositions struct {
		Positions []GamePosition `json:"positions" wire:"required"`
	}
	// GamePosition is [serverId, x, y, z].
	GamePosition struct{ core.PlayerPosition }
)

// Bounds of bodies, of this project.
const (
	// maxRequests is how many actions one call may carry.
	maxRequests = 100
	// maxRequestID is the length of an id in bytes.
	maxRequestID = 64
	// maxPlayers is how many players one list may have: the largest game server has
	// 2048.
	maxPlayers = 2048
	// PlayersBytes is the largest body with players: 2 KiB for each of them, of which
	// identifiers and ACE entries take most.
	PlayersBytes = maxPlayers * 2 << 10
	// PositionsBytes is the largest body with positions: 96 bytes for each player; three
	// numbers in full precision take 60.
	PositionsBytes = maxPlayers * 96
)

// eachOf reads an array, element by element. The error names the element at fault,
// counted from 1.
func eachOf(b []byte, most int, read func(element json.RawMessage) error) error {
	var all []json.RawMessage
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &all) != nil {
		return errWrongType
	}
	if len(all) > most {
		return &core.Error{Kind: core.Invalid, Field: "[]", Message: "must have at most " + itoa(most) + " entries"}
	}
	for i, element := range all {
		if err := read(element); err != nil {
			return inElement(i+1, err)
		}
	}
	return nil
}

// inElement puts the number of an element before the field of an error.
func inElement(n int, err error) error {
	at := "[" + itoa(n) + "]"
	if e, is := err.(*core.Error); is && e.Field != "" {
		return &core.Error{Kind: core.Invalid, Field: at + "." + e.Field, Message: at + "." + e.Message}
	}
	return &core.Error{Kind: core.Invalid, Field: at, Message: at + " must be an object"}
}

// UnmarshalJSON takes a list of at most maxRequests.
func (r *GameRequests) UnmarshalJSON(b []byte) error {
	*r = nil
	return eachOf(b, maxRequests, func(element json.RawMessage) error {
		q := GameRequest{Args: element}
		if err := Decode(element, &q); err != nil {
			return err
		}
		if q.ID == "" || len(q.ID) > maxRequestID {
			return &core.Error{Kind: core.Invalid, Field: "id", Message: "id must be text of 1 to " + itoa(maxRequestID) + " bytes"}
		}
		*r = append(*r, q)
		return nil
	})
}

// UnmarshalJSON takes a list of at most maxPlayers, each of them once.
func (l *PlayerList) UnmarshalJSON(b []byte) error {
	*l = nil
	listed := map[core.UserID]bool{}
	return eachOf(b, maxPlayers, func(element json.RawMessage) error {
		var who struct {
			ServerID ID `json:"serverId" wire:"required"`
		}
		if err := Decode(element, &who); err != nil {
			return err
		}
		id := who.ServerID.User
		switch {
		case !id.Player():
			return &core.Error{Kind: core.Invalid, Field: "serverId", Message: "serverId must be positive"}
		case listed[id]:
			return &core.Error{Kind: core.Invalid, Field: "serverId", Message: "serverId " + id.String() + " is listed twice"}
		}
		listed[id] = true
		p := ListedPlayer{Body: element}
		p.Err = Decode(element, &p.PlayerConnect)
		p.ServerID = who.ServerID
		*l = append(*l, p)
		return nil
	})
}

// UnmarshalJSON takes [serverId, x, y, z].
func (p *GamePosition) UnmarshalJSON(b []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(b, &all) != nil || len(all) != 4 {
		return errWrongType
	}
	var id ID
	if id.UnmarshalJSON(all[0]) != nil || !id.Given {
		return errWrongType
	}
	p.User = id.User
	for i, to := range []*float64{&p.At.X, &p.At.Y, &p.At.Z} {
		if string(all[i+1]) == "null" || json.Unmarshal(all[i+1], to) != nil {
			return errWrongType
		}
	}
	return nil
}

// MarshalJSON writes [serverId, x, y, z].
func (p GamePosition) MarshalJSON() ([]byte, error) {
	return json.Marshal([4]float64{float64(p.User), p.At.X, p.At.Y, p.At.Z})
}

// list names the field that a bare array stands for.
func (*GamePositions) list() string { return "positions" }

func (r *GamePositions) Command(core.UserID) (core.Command, error) {
	c := core.SetPositions{}
	for _, p := range r.Positions {
		c.Positions = append(c.Positions, p.PlayerPosition)
	}
	return c, nil
}
