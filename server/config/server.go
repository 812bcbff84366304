package config

import (
	"net/netip"
	"time"
)

// ServerConfig is what the file says about the service around the radio.
type ServerConfig struct {
	Port           int    // serverPort: REST, Socket.IO and panel
	Address        string // serverAddress: public base URL without a trailing slash; "" when not behind a proxy
	LogLevel       int    // logLevel: 0 errors only … 5 everything; package logs has their names
	AuthToken      string // master token
	DispatchNacID  string // login of the dispatch panel; also core.Config.DispatchNac
	AdminPassword  string
	Missing        []string // secrets that the file does not give ("authToken", "dispatchNacId", "adminPassword"): to be generated
	UseDiscordAuth bool
	Discord        Discord
	WebRTC         WebRTC
	TLS            TLS
	TrustedProxies []netip.Prefix // whose X-Forwarded-For counts
	Limits         Limits
	Scripts        []string    // files and folders of scripts that run in the service, absolute or beside the config file
	Radios         []RadioFile // the other radios of this host, by name; of the main file only
	Themes         Themes
	Recording      Recording
	Webhooks       []Webhook
	ToneFolder     string       // folder of tone files, absolute or beside the config file; "" when there is no file
	Cluster        *Cluster     // nil: this service is alone
	Transcriber    *Transcriber // nil: what is recorded is not turned into text
}

// Discord is the external login: any OAuth 2 provider with these endpoints.
type Discord struct {
	ClientID        string
	ClientSecret    string
	AuthorizeURL    string
	TokenURL        string
	UserInfoURL     string
	MemberURL       string // "{guild}" is replaced by GuildID; gives the member's roles
	GuildID         string
	Scopes          []string
	RedirectURL     string   // "" is serverAddress + /radio/dispatch/callback
	AllowedRoles    []string // role ids; empty: any
	AllowedUsers    []string // user ids; empty: any
	HTTPOnlyCookies bool
	Only            bool // nobody can log in with the dispatch NAC id
}

// WebRTC is the media port.
type WebRTC struct {
	UDPPort   int
	UDPChosen bool // the file names udpPort
	TCPPort   int  // ICE-TCP; 0 is off
	// PublicAddresses are IP addresses and host names that browsers are told; none: the
	// machine's own addresses.
	PublicAddresses []string
	Engine          string // what carries connections: onesocket, pion, or "" for the default, onesocket
}

// TLS is a certificate from files or an automatic one; all empty is plain HTTP.
type TLS struct {
	Cert, Key string
	Auto      string // host name; needs port 443
	HSTS      bool   // tell browsers to use nothing but TLS on this host, on every port
}

// Limits of the service. Keys of Config.limits have the name in the comment;
// durations are milliseconds there.
type Limits struct {
	FailedLogins           int           // failedLogins: wrong guesses (NAC ids, passwords, what is no token) per address within the window
	FailedLoginWindow      time.Duration // failedLoginWindow
	LockOut                time.Duration // lockOut: 429 with Retry-After
	RestPerSecond          int           // restPerSecond: per session
	RestBurst              int           // restBurst
	LoginsPerSecond        int           // loginsPerSecond: new logins per address
	LoginBurst             int           // loginBurst
	ReauthsPerSecond       int           // reauthsPerSecond: new sessions for one login
	ReauthBurst            int           // reauthBurst
	MasterReauthsPerSecond int           // masterReauthsPerSecond: logins with the master token per address
	MasterReauthBurst      int           // masterReauthBurst
	BodyBytes              int           // bodyBytes: a REST body
	ThemeBytes             int           // themeBytes: a theme's zip; a theme of more than 5 MB is refused in any case
	VoiceBytes             int           // voiceBytes: the data of one voice event
	MessageBytes           int           // messageBytes: one Socket.IO message
	SessionLifetime        time.Duration // sessionLifetime
	Sessions               int           // sessions: at once; a login beyond it ends the one that was idle longest, never one with an open socket
	SessionsPerLogin       int           // sessionsPerLogin: at once, those that reauth gave; the oldest without an open socket ends
	Sockets                int           // sockets: at once
	SocketsPerAddress      int           // socketsPerAddress
	EventsPerSecond        int           // eventsPerSecond: control events of one socket, voice not counted
	PingInterval           time.Duration // pingInterval
	PingTimeout            time.Duration // pingTimeout
	WebRTCPeers            int           // webrtcPeers: at once
	TransmissionLog        int           // transmissionLog: records of the timeline, of which a transmission takes two; the oldest go first; 0: as many as 128 MiB hold
	RecordingBytes         int64         // recordingBytes: all recordings together; the oldest go first; 0: as much as the disk holds
}

// Every default and range of the service in one place.
const (
	defaultPort    = 7777
	defaultUDPPort = 7778
	maxPort        = 65535
)

// DefaultLimits are the documented defaults.
func DefaultLimits() Limits {
	return Limits{
		FailedLogins:           10,              // a person mistypes a few times
		FailedLoginWindow:      2 * time.Minute, // then a guesser gets 10 per 7 minutes
		LockOut:                5 * time.Minute,
		RestPerSecond:          50,  // a CAD that polls status once a second for 50 views
		RestBurst:              100, // a page load
		LoginsPerSecond:        5,   // a dispatch centre at the start of a shift
		LoginBurst:             20,
		ReauthsPerSecond:       1, // all windows of a dispatcher after a cut
		ReauthBurst:            10,
		MasterReauthsPerSecond: 20, // the bots of one host after a restart of the service
		MasterReauthBurst:      300,
		BodyBytes:              64 << 10,       // the largest alert config is 16 KiB
		ThemeBytes:             5<<20 + 64<<10, // the format's 5 MB, and room for names
		VoiceBytes:             64 << 10,       // a 300 ms WebM blob in base64 is under 10 KiB
		MessageBytes:           1 << 20,        // Engine.IO's own maxHttpBufferSize
		SessionLifetime:        24 * time.Hour,
		Sessions:               4096,
		SessionsPerLogin:       16,   // some windows, each with a new session now and then
		Sockets:                4096, // as many as the core holds users
		SocketsPerAddress:      256,  // a whole dispatch centre behind one address
		EventsPerSecond:        200,  // joining 160 channels at once, and heartbeats
		PingInterval:           5 * time.Second,
		PingTimeout:            5 * time.Second,
		WebRTCPeers:            512,
		RecordingBytes:         10 << 30, // three months of 24 channels that talk an hour a day each at 16 kbit/s take 15 GB
	}
}

// Config.logLevel: its default (info) and the most (verbose).
const defaultLogLevel, maxLogLevel = 3, 5

func defaultServer() ServerConfig {
	return ServerConfig{
		Port:     defaultPort,
		LogLevel: defaultLogLevel,
		WebRTC:   WebRTC{UDPPort: defaultUDPPort},
		Limits:   DefaultLimits(),
		Discord: Discord{
			// Origin: Discord's developer documentation, OAuth2 and Guild resource.
			AuthorizeURL: "https://discord.com/oauth2/authorize",
			TokenURL:     "https://discord.com/api/oauth2/token",
			UserInfoURL:  "https://discord.com/api/users/@me",
			MemberURL:    "https://discord.com/api/users/@me/guilds/{guild}/member",
			Scopes:       []string{"identify", "guilds.members.read"},
		},
	}
}
