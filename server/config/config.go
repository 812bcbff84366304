// Package config reads an operator's config.lua and the permissions.cfg beside
// it. The Lua runs in a sandbox; mistakes are reported with file, line and key.
package config

import (
	"fmt"
	"strings"

	"squelch/core"
)

// Loaded is a configuration that works.
type Loaded struct {
	Core      core.Config  // the rules of the radio, checked
	Server    ServerConfig // everything around it
	Callbacks *Callbacks   // never nil; Close it
	Warnings  []string     // for the start log, one line each
	Extra     []Extra      // keys without a meaning here, kept
	Account   Account      // what becomes of each line

	permissions *Permissions // nil: there is no file
}

// Where gives the file and line of an entry of permissions.cfg; 0: it is not from there.
func (l *Loaded) Where(e core.ACE) (file string, line int) {
	if l.permissions == nil || l.permissions.at[e] == 0 {
		return "", 0
	}
	return l.permissions.file, l.permissions.at[e]
}

// SetDispatchNac fills in a generated NAC id if the file gives none.
func (l *Loaded) SetDispatchNac(nac string) {
	l.Server.DispatchNacID, l.Core.DispatchNac = nac, nac
}

// Error is a mistake in a configuration file. Line is 0 and Key empty where
// they are not known.
type Error struct {
	File string
	Line int
	Key  string // "zones[2].channels[1].frequency"
	Msg  string
}

func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, e.Line)
	}
	if e.Key != "" {
		s += ": " + e.Key
	}
	return strings.TrimPrefix(s+": "+e.Msg, ": ")
}
