package config

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"squelch/core"
)

// server reads everything that does not belong to the core. folder is where the file
// is.
func (r *reader) server(c value, folder string) ServerConfig {
	s := defaultServer()
	s.Port = int(c.get("serverPort").whole(int64(s.Port), 1, maxPort))
	s.Address = c.get("serverAddress").address()
	s.LogLevel = int(c.get("logLevel").whole(int64(s.LogLevel), 0, maxLogLevel))
	for _, secret := range []struct {
		key string
		to  *string
	}{{"authToken", &s.AuthToken}, {"dispatchNacId", &s.DispatchNacID}, {"adminPassword", &s.AdminPassword}} {
		v := c.get(secret.key)
		if v.none() {
			s.Missing = append(s.Missing, secret.key)
		}
		*secret.to = strings.TrimSpace(v.text(""))
	}
	s.UseDiscordAuth = c.get("useDiscordAuth").flag(false)
	r.discord(c.get("discord"), &s)
	r.webRTC(c.get("webrtc"), &s.WebRTC)
	r.tls(c.get("tls"), &s.TLS, folder)
	r.themes(c.get("themes"), &s.Themes)
	s.Cluster = r.cluster(c.get("cluster"), folder)
	for _, v := range c.get("trustedProxies").scalars() {
		if p, ok := v.prefix(); ok {
			s.TrustedProxies = append(s.TrustedProxies, p)
		}
	}
	for _, v := range c.get("scripts").scalars() {
		path := strings.TrimSpace(v.text(""))
		switch {
		case path == "":
			v.wrong("a file or folder such as scripts/roster")
		case folder != "":
			s.Scripts = append(s.Scripts, filepath.Clean(beside(folder, filepath.FromSlash(path))))
		}
	}
	if folder != "" {
		s.ToneFolder = beside(folder, c.get("toneFolder").text("tones"))
	}
	return s
}

// beside resolves a file name of the configuration against its folder.
func beside(folder, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// address reads a base URL; "" if there is none.
func (v value) address() string {
	given := strings.TrimSpace(v.text(""))
	s := strings.TrimRight(given, "/")
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		v.wrong("a base URL such as https://radio.example.org")
	} else if s != given {
		v.r.note(Changed, v.path, "is %s, without the slash at its end", s)
	}
	return s
}

// scalars returns a list, or a single value as a list of one.
func (v value) scalars() []value {
	if v.none() {
		return nil
	}
	switch v.v.Type().String() {
	case "string", "number":
		return []value{v}
	}
	return v.list()
}

// prefix reads a CIDR or a single address.
func (v value) prefix() (netip.Prefix, bool) {
	s := strings.TrimSpace(v.text(""))
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Masked(), true
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	v.wrong("an address range such as 10.0.0.0/8")
	return netip.Prefix{}, false
}

func (r *reader) discord(v value, s *ServerConfig) {
	d := &s.Discord
	if v.table() {
		v.known("clientId", "clientSecret", "authorizeUrl", "tokenUrl", "userInfoUrl", "memberUrl", "guildId", "scopes",
			"redirectUrl", "allowedRoles", "allowedUsers", "httpOnlyCookies", "only")
	}
	for _, f := range []struct {
		key string
		to  *string
	}{{"clientId", &d.ClientID}, {"clientSecret", &d.ClientSecret}, {"guildId", &d.GuildID}} {
		*f.to = v.get(f.key).text("")
	}
	for _, f := range []struct {
		key string
		to  *string
	}{{"authorizeUrl", &d.AuthorizeURL}, {"tokenUrl", &d.TokenURL}, {"userInfoUrl", &d.UserInfoURL}, {"memberUrl", &d.MemberURL}, {"redirectUrl", &d.RedirectURL}} {
		*f.to = v.get(f.key).text(*f.to)
		u, err := url.Parse(*f.to)
		if *f.to != "" && (err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http")) {
			v.get(f.key).wrong("a URL")
		}
	}
	if scopes := v.get("scopes"); !scopes.none() {
		d.Scopes = nil
		for _, t := range scopes.texts() {
			d.Scopes = append(d.Scopes, strings.Fields(t)...)
		}
	}
	d.AllowedRoles = v.get("allowedRoles").texts()
	d.AllowedUsers = v.get("allowedUsers").texts()
	d.HTTPOnlyCookies = v.get("httpOnlyCookies").flag(false)
	d.Only = v.get("only").flag(false)
	if !s.UseDiscordAuth {
		if d.Only { // nobody could log in
			d.Only = false
			r.warnAs(Ignored, "discord.only", "discord.only", "has no effect because useDiscordAuth is not true")
		}
		return
	}
	for _, f := range []struct{ key, is string }{{"clientId", d.ClientID}, {"clientSecret", d.ClientSecret}} {
		if f.is == "" {
			r.fail("discord."+f.key, "is required when useDiscordAuth is true")
		}
	}
	if len(d.AllowedRoles) > 0 && d.GuildID == "" && strings.Contains(d.MemberURL, "{guild}") {
		r.fail("discord.guildId", "is required when discord.allowedRoles is set")
	}
}

func (r *reader) webRTC(v value, w *WebRTC) {
	if v.table() {
		v.known("udpPort", "tcpPort", "publicAddress", "engine")
	}
	udp := v.get("udpPort")
	w.UDPPort, w.UDPChosen = int(udp.whole(int64(w.UDPPort), 0, maxPort)), !udp.none()
	w.TCPPort = int(v.get("tcpPort").whole(int64(w.TCPPort), 0, maxPort))
	for _, a := range v.get("publicAddress").scalars() {
		if name := a.host(); name != "" && !slices.Contains(w.PublicAddresses, name) {
			w.PublicAddresses = append(w.PublicAddresses, name)
		}
	}
	w.Engine = v.get("engine").text("")
	if w.Engine != "" && !slices.Contains(engines, w.Engine) {
		r.fail("webrtc.engine", "must be %s, not %q", strings.Join(engines, " or "), w.Engine)
	}
}

// engines are the values of webrtc.engine.
var engines = []string{"onesocket", "pion"}

// host reads an IP address or a host name; "" if there is none.
func (v value) host() string {
	s := strings.TrimSpace(v.text(""))
	if _, err := netip.ParseAddr(s); err == nil || s == "" {
		return s
	}
	if name, _, err := net.SplitHostPort(s); err == nil {
		v.r.fail(v.path, "must be an IP address or a host name without a port, such as %q (the ports are udpPort and tcpPort)", name)
		return ""
	}
	if !hostName.MatchString(s) || endsInNumber.MatchString(s) {
		v.wrong("an IP address or a host name such as radio.example.org")
		return ""
	}
	return s
}

// endsInNumber is a misspelt IPv4 address: no domain ends in a number (RFC 3696 section 2).
var endsInNumber = regexp.MustCompile(`(^|\.)[0-9]+\.?$`)

// hostName is what DNS takes (RFC 1123 section 2.1).
var hostName = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?$`)

func (r *reader) tls(v value, t *TLS, folder string) {
	if v.table() {
		v.known("cert", "key", "auto", "hsts")
	}
	t.Cert = beside(folder, v.get("cert").text(""))
	t.Key = beside(folder, v.get("key").text(""))
	t.Auto = strings.TrimSpace(v.get("auto").text(""))
	t.HSTS = v.get("hsts").flag(false)
	switch {
	case t.Cert == "" && t.Key != "":
		r.fail("tls.cert", "is missing: tls needs both cert and key")
	case t.Cert != "" && t.Key == "":
		r.fail("tls.key", "is missing: tls needs both cert and key")
	}
	if t.Auto != "" && t.Cert != "" {
		r.fail("tls.auto", "cannot be combined with tls.cert")
	}
}

// limits reads Config.limits into the service's and the core's limits.
func (r *reader) limits(v value, s *Limits, c *core.Limits) {
	const day = int64(24 * time.Hour / time.Millisecond)
	var names []string
	v.table()
	for _, f := range []struct {
		key         string
		to          *int
		least, most int64
	}{
		{"failedLogins", &s.FailedLogins, 1, 1_000_000}, {"restPerSecond", &s.RestPerSecond, 1, 1_000_000},
		{"restBurst", &s.RestBurst, 1, 1_000_000},
		{"loginsPerSecond", &s.LoginsPerSecond, 1, 1_000_000}, {"loginBurst", &s.LoginBurst, 1, 1_000_000},
		{"reauthsPerSecond", &s.ReauthsPerSecond, 1, 1_000_000}, {"reauthBurst", &s.ReauthBurst, 1, 1_000_000},
		{"masterReauthsPerSecond", &s.MasterReauthsPerSecond, 1, 1_000_000}, {"masterReauthBurst", &s.MasterReauthBurst, 1, 1_000_000},
		{"sessionsPerLogin", &s.SessionsPerLogin, 1, 1000}, {"bodyBytes", &s.BodyBytes, 1 << 10, 64 << 20},
		{"themeBytes", &s.ThemeBytes, 1 << 10, 256 << 20},
		{"voiceBytes", &s.VoiceBytes, 1 << 10, 1 << 20}, {"messageBytes", &s.MessageBytes, 64 << 10, 64 << 20},
		{"sessions", &s.Sessions, 1, 1_000_000}, {"sockets", &s.Sockets, 1, 1_000_000},
		{"socketsPerAddress", &s.SocketsPerAddress, 1, 1_000_000}, {"eventsPerSecond", &s.EventsPerSecond, 1, 1_000_000},
		{"webrtcPeers", &s.WebRTCPeers, 0, 100_000}, {"transmissionLog", &s.TransmissionLog, 50, 100_000_000},
		{"users", &c.Users, 1, 100_000}, {"idsPerLogin", &c.IDsPerLogin, 0, 100_000}, {"scans", &c.Scans, 1, 10_000}, {"follows", &c.Follows, 0, 10_000},
		{"patches", &c.Patches, 0, 10_000}, {"patchSize", &c.PatchSize, 2, 1000},
		{"messageRunes", &c.MessageRunes, 1, 60_000}, {"alertBytes", &c.AlertBytes, 256, 60_000}, {"emergencies", &c.Emergencies, 1, 10_000},
	} {
		*f.to = int(v.get(f.key).whole(int64(*f.to), f.least, f.most))
		names = append(names, f.key)
	}
	for _, f := range []struct {
		key         string
		to          *time.Duration
		least, most int64
	}{
		{"failedLoginWindow", &s.FailedLoginWindow, 1000, day}, {"lockOut", &s.LockOut, 1000, day},
		{"sessionLifetime", &s.SessionLifetime, 60_000, 366 * day},
		{"pingInterval", &s.PingInterval, 100, 300_000}, {"pingTimeout", &s.PingTimeout, 100, 300_000},
	} {
		*f.to = time.Duration(v.get(f.key).whole(int64(*f.to/time.Millisecond), f.least, f.most)) * time.Millisecond
		names = append(names, f.key)
	}
	s.RecordingBytes = v.get("recordingBytes").whole(s.RecordingBytes, 0, 1<<50)
	names = append(names, "recordingBytes")
	for _, u := range unusedLimits {
		names = append(names, u.key)
	}
	v.known(names...)
}
