package main

import (
	"encoding/xml"
	"fmt"
	"path"
	"slices"
	"strings"

	svc "github.com/kardianos/service"
)

// serviceKind is a service manager.
type serviceKind string

const (
	onWindows serviceKind = "windows"
	onLaunchd serviceKind = "launchd"
	onSystemd serviceKind = "systemd"
)

var serviceKinds = []serviceKind{onWindows, onLaunchd, onSystemd}

// kindOf is the kind of a platform as the library names it, "": not supported.
func kindOf(platform string) serviceKind {
	switch {
	case platform == "windows-service":
		return onWindows
	case platform == "darwin-launchd":
		return onLaunchd
	case strings.HasSuffix(platform, "-systemd"):
		return onSystemd
	}
	return ""
}

// localService is the account of services on Windows that has few rights and no password.
const localService = `NT AUTHORITY\LocalService`

// windowsAccount accepts the accounts that have no password: none passes through a command
// line.
func windowsAccount(name string) (string, error) {
	for _, known := range []string{"LocalService", "NetworkService"} {
		if full := `NT AUTHORITY\` + known; strings.EqualFold(name, known) || strings.EqualFold(name, full) {
			return full, nil
		}
	}
	switch {
	case name == "":
		return localService, nil
	case strings.EqualFold(name, "LocalSystem"):
		return "LocalSystem", nil
	case len(name) > len(`NT SERVICE\`) && strings.EqualFold(name[:len(`NT SERVICE\`)], `NT SERVICE\`), strings.HasSuffix(name, "$") && strings.Contains(name, `\`):
		return name, nil
	}
	return "", usageError{fmt.Errorf(`--user: %q needs a password, which this command does not take: install with LocalService and set the account in services.msc, Log On; without one there are LocalService, NetworkService, LocalSystem, NT SERVICE\NAME and managed accounts (DOMAIN\NAME$)`, name)}
}

// serviceJob is what is registered.
type serviceJob struct {
	kind    serviceKind
	name    string
	account string
	program string
	args    []string
	log     string // "": the journal
}

const serviceTitle = "Squelch, radio channels for game servers"

// where is where the log can be read.
func (j serviceJob) where() string {
	if j.log == "" {
		return "journalctl -u " + j.name
	}
	return j.log
}

// config is the job for the library. text is the unit or the property list.
func (j serviceJob) config(text string) *svc.Config {
	c := &svc.Config{Name: j.name, DisplayName: "Squelch (" + j.name + ")", Description: serviceTitle, UserName: j.account,
		Executable: j.program, Arguments: j.args, Option: svc.KeyValue{}}
	switch j.kind {
	case onWindows:
		c.Option["OnFailure"], c.Option["OnFailureDelayDuration"], c.Option["OnFailureResetPeriod"] = "restart", "2s", 60
	case onLaunchd:
		c.Option["LaunchdConfig"] = text
	case onSystemd:
		c.Option["SystemdScript"] = text
	}
	return c
}

// text is the unit, the property list, or what is told to Windows.
func (j serviceJob) text() (string, error) {
	for _, word := range append([]string{j.program, j.account}, j.args...) {
		if strings.ContainsAny(word, "\n\r\x00") || strings.Contains(word, "{{") {
			return "", usageError{fmt.Errorf("%q cannot be part of a service: it has a line break or {{", word)}
		}
	}
	switch j.kind {
	case onWindows:
		return j.windowsText(), nil
	case onLaunchd:
		return j.propertyList()
	}
	return j.unit(), nil
}

func (j serviceJob) windowsText() string {
	line := make([]string, 0, len(j.args)+1)
	for _, word := range append([]string{j.program}, j.args...) {
		line = append(line, windowsQuote(word))
	}
	rows := [][2]string{{"name", j.name}, {"display name", j.config("").DisplayName}, {"description", serviceTitle}, {"command line", strings.Join(line, " ")},
		{"account", j.account}, {"start", "automatic, with the machine"}, {"on failure", "restart after 2s"}, {"log", j.log}}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-13s %s\n", row[0]+":", row[1])
	}
	return b.String()
}

// windowsQuote quotes a word of a command line as programs on Windows read it.
func windowsQuote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\"") {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(word) {
		switch c := word[i]; c {
		case '\\':
			slashes++
			b.WriteByte(c)
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1))
		}
		slashes = 0
		b.WriteByte(word[i])
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	b.WriteByte('"')
	return b.String()
}

func (j serviceJob) propertyList() (string, error) {
	var b strings.Builder
	var failed error
	text := func(s string) string {
		var e strings.Builder
		if err := xml.EscapeText(&e, []byte(s)); err != nil {
			failed = err
		}
		return "<string>" + e.String() + "</string>"
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	` + text(j.name) + `
	<key>ProgramArguments</key>
	<array>
`)
	for _, word := range append([]string{j.program}, j.args...) {
		b.WriteString("\t\t" + text(word) + "\n")
	}
	b.WriteString(`	</array>
	<key>UserName</key>
	` + text(j.account) + `
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ExitTimeOut</key>
	<integer>30</integer>
	<key>Umask</key>
	<integer>63</integer>
	<key>SoftResourceLimits</key>
	<dict>
		<key>NumberOfFiles</key>
		<integer>65536</integer>
	</dict>
</dict>
</plist>
`)
	return b.String(), failed
}

// unit is that of the packages, with the paths and the account of this machine, and the
// restrictions that do not depend on where data and recordings are.
func (j serviceJob) unit() string {
	line := []string{}
	for _, word := range append([]string{j.program}, j.args...) {
		line = append(line, systemdQuote(word))
	}
	account := "User=" + strings.ReplaceAll(j.account, "%", "%%")
	return `[Unit]
Description=` + serviceTitle + `
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
` + account + `
ExecStart=` + strings.Join(line, " ") + `
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=2
TimeoutStopSec=30
UMask=0077
LimitNOFILE=65536
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=full
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`
}

// systemdQuote quotes a word of ExecStart.
func systemdQuote(word string) string {
	word = strings.NewReplacer("%", "%%", "$", "$$").Replace(word)
	if word != "" && !strings.ContainsAny(word, " \t\"'\\;") {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// unitFolders are where packages put units.
var unitFolders = []string{"/usr/lib/systemd/system", "/lib/systemd/system"}

// unitPaths are where the unit of a package would be.
func unitPaths(name string) (paths []string) {
	for _, folder := range slices.Clone(unitFolders) {
		paths = append(paths, path.Join(folder, name+".service"))
	}
	return paths
}
