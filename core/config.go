package core

import (
	"fmt"
	"regexp"
	"strings"
)

// ChannelType decides how a channel is routed, and its codec.
type ChannelType string

const (
	Conventional ChannelType = "conventional" // one frequency, analogue sound
	Trunked      ChannelType = "trunked"      // a talkgroup over a pool of working frequencies
	Digital      ChannelType = "digital"      // one frequency, carried as IMBE (P25)
)

// GPS is how a channel's units are drawn on maps.
type GPS struct {
	Color         string   `json:"color,omitempty"`
	VisibleToNacs []string `json:"visibleToNacs,omitempty"`
}

// Channel is one configured channel. A channel with a range is a talkgroup:
// Frequency is its control channel (base) and units are put on working
// frequencies between Low and High.
type Channel struct {
	Name            string      `json:"name"`
	Type            ChannelType `json:"type"`
	Frequency       Frequency   `json:"frequency"`
	Shown           string      `json:"shown,omitempty"` // the operator's own spelling, for display only
	Low             Frequency   `json:"low,omitempty"`
	High            Frequency   `json:"high,omitempty"`
	Coverage        float64     `json:"coverage,omitempty"` // metres within which units share a working frequency, and how far a signal reaches; 0: everywhere
	AllowedNacs     []string    `json:"allowedNacs,omitempty"`
	ScanAllowedNacs []string    `json:"scanAllowedNacs,omitempty"`
	GPS             GPS         `json:"gps,omitzero"`
}

// Zone is a named list of channels. NacIDs, if there are any, hides it from users
// with other NAC ids.
type Zone struct {
	Name     string    `json:"name"`
	NacIDs   []string  `json:"nacIds,omitempty"`
	Channels []Channel `json:"channels"`
}

// Tone is a named sound file of the tone list.
type Tone struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// AnnouncementGroup is a set of channels that one PTT keys together.
type AnnouncementGroup struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Frequencies []Frequency `json:"frequencies"`
}

// Bonking is the talk-over policy (the event ptt:denied).
type Bonking struct {
	BlockTransmission bool  `json:"blockTransmission"`
	PlayBonkTone      bool  `json:"playBonkTone"`
	BonkInterval      int64 `json:"bonkInterval"`   // ms between two busy tones at a client
	PlayerOverride    bool  `json:"playerOverride"` // players may talk over others too; dispatchers always may
}

// Volumes are the defaults of every radio, 0-100 as in the file.
type Volumes struct {
	Voice   int `json:"voice"`
	SFX     int `json:"sfx"`
	Audio3D int `json:"audio3d"`
	Step    int `json:"step"`
}

// Exported converts a file volume (0-100) to the 0.0-1.0 of exports. This is
// the one place where the two scales meet.
func Exported(volume int) float64 { return float64(volume) / 100 }

// CallsignRule says which callsigns are allowed: trimmed printable text of
// MinLength to MaxLength characters that matches Pattern (RE2), if there is one,
// as a whole.
type CallsignRule struct {
	MinLength int    `json:"minLength"`
	MaxLength int    `json:"maxLength"`
	Pattern   string `json:"pattern,omitempty"`
}

// Codeplug is what is programmed into a kind of radio; a player's subscriber
// record is made from the codeplug of the player's job (NAC id).
type Codeplug struct {
	ID                 string       `json:"id"`
	UnitID             string       `json:"unitId,omitempty"`
	Nac                int          `json:"nac"` // 12-bit network access code, 0-4095
	RadioModel         string       `json:"radioModel,omitempty"`
	Zones              []int        `json:"zones,omitempty"` // 1-based zone indices; empty: all zones
	Features           Features     `json:"features"`
	Tones              CodeplugTone `json:"tones"`
	Emergency          Emergency    `json:"emergency"`
	AnnouncementVolume float64      `json:"announcementVolume"` // 0-1
}

// Features of a subscriber radio. The zero value denies everything; loaders set
// what an operator leaves out to true (Dispatch to false).
type Features struct {
	Scan     bool `json:"scan"`
	GPS      bool `json:"gps"`
	Panic    bool `json:"panic"`
	Dispatch bool `json:"dispatch"`
}

// CodeplugTone names the tones of a radio; "" is none.
type CodeplugTone struct {
	KeyUp   string `json:"keyUp"`
	KeyDown string `json:"keyDown"`
	Busy    string `json:"busy"`
}

// Emergency is what a radio does when its panic button is pressed.
type Emergency struct {
	RevertFrequency Frequency `json:"revertFrequency"` // panic goes out here when the button names no channel
	HotMicMs        int64     `json:"hotMicMs"`        // how long the microphone then stays open
}

// JobCodeplug gives the players of a job (NAC id) a codeplug.
type JobCodeplug struct {
	Job      string `json:"job"`
	Codeplug string `json:"codeplug"`
}

// FxLevel is the level, 0-100, of one effect of radioFx. Name is a channel type or
// the effect's own name.
type FxLevel struct {
	Name  string  `json:"name"`
	Level float64 `json:"level"`
}

// Limits bound what one user, or all users together, can make the core remember.
type Limits struct {
	Users        int `json:"users"`        // dispatchers and players together; origin: a full game server is 2048 slots, plus consoles
	IDsPerLogin  int `json:"idsPerLogin"`  // dispatcher ids that one owner (a login, an API key, the master token) holds, lost ones too; 0: no limit
	Scans        int `json:"scans"`        // scanned (and 3D) channels per user; origin: 160 is the largest console layout asked for
	Follows      int `json:"follows"`      // followed users per dispatcher
	Patches      int `json:"patches"`      // patches at once
	PatchSize    int `json:"patchSize"`    // channels in one patch
	MessageRunes int `json:"messageRunes"` // characters in a broadcast, user alert, label or name
	AlertBytes   int `json:"alertBytes"`   // bytes of one alert config as JSON
	Emergencies  int `json:"emergencies"`  // open emergency records; a panic beyond this limit is raised without one; 0 (in an older journal): the default
}

// Config is everything that the rules of the radio depend on. All durations
// are milliseconds. It is data: two equal Configs behave the same.
type Config struct {
	ServerName         string              `json:"serverName"`
	ResourceName       string              `json:"resourceName"` // name in exports['…'] and prefix of ACE objects
	Zones              []Zone              `json:"zones"`
	Alerts             []Alert             `json:"alerts"`
	Tones              []Tone              `json:"tones"`
	Bonking            Bonking             `json:"bonking"`
	Volumes            Volumes             `json:"volumes"`
	RadioFx            []FxLevel           `json:"radioFx"`
	PanicTimeout       int64               `json:"panicTimeout"`    // 0: never
	PTTReleaseDelay    int64               `json:"pttReleaseDelay"` // how long clients keep sending after the release
	TimeoutTimer       int64               `json:"timeoutTimer"`    // 0: off; players only
	TalkLease          int64               `json:"talkLease"`
	ResumeWindow       int64               `json:"resumeWindow"`
	Audio3DRange       float64             `json:"audio3DRange"`     // metres within which a radio is overheard
	Signal             *Signal             `json:"signal,omitempty"` // nil: everybody hears everybody equally well
	AnnouncementGroups []AnnouncementGroup `json:"announcementGroups"`
	Layouts            []Layout            `json:"layouts,omitempty"`
	Codeplugs          []Codeplug          `json:"codeplugs"`
	JobCodeplugs       []JobCodeplug       `json:"jobCodeplugs"`
	UseCallsignSystem  bool                `json:"useCallsignSystem"`
	Callsign           CallsignRule        `json:"callsign"`
	DispatchNac        string              `json:"dispatchNac"` // never echoed in events or views
	ACL                ACL                 `json:"acl"`
	Limits             Limits              `json:"limits"`
}

// maxAudio3DRange is in metres. The game's map is about ten kilometres wide, and
// nobody hears a loudspeaker across a tenth of it.
const maxAudio3DRange = 1000

// DefaultConfig has the documented default of every rule and no channels.
func DefaultConfig() Config {
	return Config{
		ServerName:        "Squelch",
		ResourceName:      "radio",
		Bonking:           Bonking{BlockTransmission: true, PlayBonkTone: true, BonkInterval: 750, PlayerOverride: true},
		Volumes:           Volumes{Voice: 50, SFX: 50, Audio3D: 50, Step: 5},
		PanicTimeout:      60_000,
		PTTReleaseDelay:   350,
		TimeoutTimer:      60_000,
		TalkLease:         2_000,
		ResumeWindow:      30_000,
		Audio3DRange:      25,
		UseCallsignSystem: true,
		Callsign:          CallsignRule{MinLength: 1, MaxLength: 32},
		Limits: Limits{Users: 4096, IDsPerLogin: 256, Scans: 160, Follows: 64, Patches: 64,
			PatchSize: 32, MessageRunes: 2000, AlertBytes: 16 << 10, Emergencies: defaultEmergencies},
	}
}

// Check refuses a configuration that a radio cannot work with. The error is an
// *Error of kind Invalid; its Field is the path of the first value at fault, such
// as "zones[2].channels[1].frequency". Lists count from 1.
func (c *Config) Check() error {
	if all := c.Problems(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Problems lists everything that Check refuses, one error for each value at fault.
func (c *Config) Problems() []*Error {
	var p problems
	c.checkZones(&p)
	c.checkAlerts(&p)
	c.checkTones(&p)
	c.checkGroups(&p)
	c.checkCodeplugs(&p)
	c.checkLayouts(&p)
	c.checkNumbers(&p)
	c.checkSignal(&p)
	return p
}

type problems []*Error

func (p *problems) add(field, message string) { *p = append(*p, invalid(field, message)) }

func (c *Config) checkZones(p *problems) {
	types := map[Frequency]ChannelType{}
	for i := range c.Zones {
		for j := range c.Zones[i].Channels {
			ch := &c.Zones[i].Channels[j]
			at := fmt.Sprintf("zones[%d].channels[%d].", i+1, j+1)
			ch.check(at, p)
			if !ch.tuned() || !ch.typed() {
				continue
			}
			if t, seen := types[ch.Frequency]; seen && t != ch.Type {
				p.add(at+"type", fmt.Sprintf("%stype is %s, but %s is %s elsewhere", at, ch.Type, ch.Frequency, t))
				continue
			}
			types[ch.Frequency] = ch.Type
		}
	}
}

// tuned says whether the channel's frequency is valid.
func (ch *Channel) tuned() bool { return ch.Frequency > 0 && ch.Frequency < maxFrequency }

// typed says whether the channel's type is valid.
func (ch *Channel) typed() bool {
	return ch.Type == Conventional || ch.Type == Trunked || ch.Type == Digital
}

// check adds all problems of one channel. at is its path, with a dot at the end.
func (ch *Channel) check(at string, p *problems) {
	if !ch.tuned() {
		p.add(at+"frequency", at+"frequency must be a decimal between 0 and 1000000")
	}
	if !ch.typed() {
		p.add(at+"type", at+"type must be conventional, trunked or digital")
	}
	switch {
	case ch.Low < 0 || ch.High < ch.Low || ch.High >= maxFrequency || (ch.Low == 0) != (ch.High == 0):
		p.add(at+"frequencyRange", at+"frequencyRange must be {low, high} with low not above high")
	case ch.typed() && ch.Type != Trunked && ch.Low != 0:
		p.add(at+"frequencyRange", at+"frequencyRange belongs to trunked channels only")
	}
	if !finite(ch.Coverage) || ch.Coverage < 0 {
		p.add(at+"coverage", at+"coverage must not be negative")
	}
}

func (c *Config) checkAlerts(p *problems) {
	for i := range c.Alerts {
		if strings.TrimSpace(c.Alerts[i].Name) == "" {
			p.add(fmt.Sprintf("alerts[%d].name", i+1), fmt.Sprintf("alerts[%d].name is missing", i+1))
		}
	}
}

func (c *Config) checkTones(p *problems) {
	seen := map[string]bool{}
	for i, t := range c.Tones {
		at := fmt.Sprintf("tones[%d]", i+1)
		key := strings.ToLower(t.Name)
		if t.Name == "" || t.File == "" {
			p.add(at, at+" needs a name and a file")
		} else if seen[key] {
			p.add(at+".name", at+".name "+t.Name+" occurs twice")
		}
		seen[key] = true
	}
}

func (c *Config) checkGroups(p *problems) {
	seen := map[string]bool{}
	for i, g := range c.AnnouncementGroups {
		at := fmt.Sprintf("announcementGroups[%d].", i+1)
		if g.ID == "" || seen[g.ID] {
			p.add(at+"id", at+"id is missing or occurs twice")
		}
		seen[g.ID] = true
		for _, f := range g.Frequencies {
			if !c.has(f) {
				p.add(at+"frequencies", at+"frequencies names "+f.String()+", which is not a channel")
			}
		}
	}
}

func (c *Config) checkCodeplugs(p *problems) {
	seen := map[string]bool{}
	for i, plug := range c.Codeplugs {
		at := fmt.Sprintf("codeplugs[%d].", i+1)
		if plug.ID == "" || seen[plug.ID] {
			p.add(at+"id", at+"id is missing or occurs twice")
		}
		if plug.Nac < 0 || plug.Nac > 4095 {
			p.add(at+"nac", at+"nac must be 0-4095")
		}
		if !finite(plug.AnnouncementVolume) || plug.AnnouncementVolume < 0 || plug.AnnouncementVolume > 1 {
			p.add(at+"announcementVolume", at+"announcementVolume must be 0-1")
		}
		if plug.Emergency.RevertFrequency != 0 && !c.has(plug.Emergency.RevertFrequency) {
			p.add(at+"emergency.revertFrequency", at+"emergency.revertFrequency is not a channel")
		}
		for _, z := range plug.Zones {
			if z < 1 || z > len(c.Zones) {
				p.add(at+"zones", fmt.Sprintf("%szones must be zone numbers from 1 to %d, not %d", at, len(c.Zones), z))
			}
		}
		seen[plug.ID] = true
	}
	for _, j := range c.JobCodeplugs {
		if !seen[j.Codeplug] {
			p.add("jobCodeplugs."+j.Job, "jobCodeplugs."+j.Job+" names codeplug "+j.Codeplug+", which does not exist")
		}
	}
}

func (c *Config) checkNumbers(p *problems) {
	for _, v := range []struct {
		key string
		n   int
	}{{"voiceVolume", c.Volumes.Voice}, {"sfxVolume", c.Volumes.SFX}, {"default3DVolume", c.Volumes.Audio3D}, {"volumeStep", c.Volumes.Step}} {
		if v.n < 0 || v.n > 100 {
			p.add(v.key, v.key+" must be 0-100")
		}
	}
	for _, v := range []struct {
		key string
		ms  int64
	}{{"panicTimeout", c.PanicTimeout}, {"pttReleaseDelay", c.PTTReleaseDelay}, {"timeoutTimer", c.TimeoutTimer},
		{"talkLease", c.TalkLease}, {"resumeWindow", c.ResumeWindow}, {"bonking.bonkInterval", c.Bonking.BonkInterval}} {
		if v.ms < 0 || v.ms > 7*24*3600_000 {
			p.add(v.key, v.key+" must be 0 to 604800000 ms")
		}
	}
	if !finite(c.Audio3DRange) || c.Audio3DRange < 0 || c.Audio3DRange > maxAudio3DRange {
		p.add("audio3DRange", "audio3DRange must be 0 to "+itoa(maxAudio3DRange)+" m")
	}
	if c.Callsign.MinLength < 0 || c.Callsign.MaxLength < c.Callsign.MinLength || c.Callsign.MaxLength > maxCallsignRunes {
		p.add("callsign", "callsign.minLength and maxLength must satisfy 0 <= min <= max <= "+itoa(maxCallsignRunes))
	}
	for _, v := range []struct {
		key string
		n   int
	}{{"users", c.Limits.Users}, {"scans", c.Limits.Scans}, {"follows", c.Limits.Follows}, {"patches", c.Limits.Patches},
		{"patchSize", c.Limits.PatchSize}, {"messageRunes", c.Limits.MessageRunes}, {"alertBytes", c.Limits.AlertBytes}} {
		if v.n < 1 {
			p.add("limits."+v.key, "limits."+v.key+" must be at least 1")
		}
	}
	if _, err := c.Callsign.compile(); err != nil {
		p.add("callsign.pattern", "callsign.pattern: "+err.Error())
	}
}

// compile makes the pattern match whole callsigns; nil without a pattern.
func (r CallsignRule) compile() (*regexp.Regexp, error) {
	if r.Pattern == "" {
		return nil, nil
	}
	p, err := regexp.Compile("^(?:" + r.Pattern + ")$")
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (c *Config) has(f Frequency) bool {
	for i := range c.Zones {
		for j := range c.Zones[i].Channels {
			if c.Zones[i].Channels[j].Frequency == f {
				return true
			}
		}
	}
	return false
}
