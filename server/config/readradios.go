package config

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// RadioFile is another radio of the same host.
type RadioFile struct {
	Name  string
	File  string   // its configuration, absolute or beside the main file
	Hosts []string // host names in lower case, without a port, that mean this radio
}

// MainRadio is the name of the radio of the main file.
const MainRadio = "default"

// maxRadios is how many other radios one host may have: a process with 1000 silent radios
// takes some 100 MB.
const maxRadios = 1000

var radioName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,30}$`)

const radioNameForm = "a name of a-z, 0-9 and -, at most 31 of them, that begins with a letter or digit"

// radios reads Config.radios: a table of files by name, or the name of a folder.
func (r *reader) radios(v value, folder string) (all []RadioFile) {
	switch x := v.v.(type) {
	case lua.LString:
		if folder == "" || strings.TrimSpace(string(x)) == "" {
			v.wrong("a folder such as radios, or a table of files by the names of their radios")
			return nil
		}
		all = r.radioFolder(v, beside(folder, filepath.FromSlash(strings.TrimSpace(string(x)))))
	default:
		if !v.table() {
			return nil
		}
		for _, e := range v.entries() {
			if one, ok := r.radioFile(e, folder); ok {
				all = append(all, one)
			}
		}
	}
	if len(all) > maxRadios {
		r.fail(v.path, "has %d radios; one host takes %d", len(all), maxRadios)
	}
	r.hostsOnce(all)
	return all
}

// radioFile reads one entry of the table.
func (r *reader) radioFile(e entry, folder string) (one RadioFile, ok bool) {
	v := e.value
	switch {
	case e.name == MainRadio:
		r.fail(v.path, "is the name of the radio of this file: choose another")
		return one, false
	case !radioName.MatchString(e.name):
		r.fail(v.path, "must have %s", radioNameForm)
		return one, false
	}
	one.Name = e.name
	file := v
	if _, is := v.v.(*lua.LTable); is {
		v.known("file", "hosts")
		file = v.get("file")
		for _, h := range v.get("hosts").scalars() {
			if name := h.host(); name != "" {
				one.Hosts = append(one.Hosts, hostKey(name))
			}
		}
	}
	path := strings.TrimSpace(file.text(""))
	if path == "" || folder == "" {
		file.wrong("a file such as " + e.name + ".lua, beside this one")
		return one, false
	}
	one.File = filepath.Clean(beside(folder, filepath.FromSlash(path)))
	return one, true
}

// radioFolder lists the radios of a folder: NAME.lua, or NAME/config.lua.
func (r *reader) radioFolder(v value, folder string) (all []RadioFile) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		why := err
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			why = at.Err
		}
		r.fail(v.path, "the folder %s cannot be read: %v", folder, why)
		return nil
	}
	for _, e := range entries {
		name, isFile := strings.CutSuffix(e.Name(), ".lua")
		file := filepath.Join(folder, e.Name())
		if !isFile {
			file = filepath.Join(file, "config.lua")
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // a permissions.cfg, a folder of scripts
		}
		switch {
		case name == MainRadio:
			r.fail(v.path, "%s: %s is the name of the radio of this file: choose another", file, MainRadio)
		case !radioName.MatchString(name):
			r.fail(v.path, "%s: a radio must have %s", file, radioNameForm)
		case slices.ContainsFunc(all, func(o RadioFile) bool { return o.Name == name }):
			r.fail(v.path, "%s: there is a file %s.lua for the same radio", file, name)
		default:
			all = append(all, RadioFile{Name: name, File: file})
		}
	}
	slices.SortFunc(all, func(a, b RadioFile) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// hostsOnce reports host names that mean two radios.
func (r *reader) hostsOnce(all []RadioFile) {
	of := map[string]string{}
	for _, one := range all {
		for _, h := range one.Hosts {
			if other, is := of[h]; is && other != one.Name {
				r.fail(field("radios", one.Name)+".hosts", "%s is the host name of the radio %s already", h, other)
			}
			of[h] = one.Name
		}
	}
}

// hostKey is a host name in the form in which requests are compared with it.
func hostKey(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// hostsOnly are keys that only the main file of a host has: they are the host's.
var hostsOnly = []string{"serverPort", "webrtc", "tls", "trustedProxies", "logLevel", "cluster", "radios"}

// ofHost warns of the keys of the host in the file of another radio.
func (r *reader) ofHost(c value) {
	for _, key := range hostsOnly {
		if !c.get(key).none() {
			r.warnAs(Ignored, key, key, "has no effect here: it is the host's, in the main file")
		}
	}
}

// OpenRadio reads the config file of another radio of a host than the main one. Its
// permissions are in permissions.cfg beside a file called config.lua, which has a folder of
// its own, and in NAME.permissions.cfg beside NAME.lua.
func OpenRadio(path string) (*Loaded, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(abs); err != nil {
		return nil, &Error{File: abs, Msg: "cannot be read: " + reason(err)}
	}
	return loadFiles(abs, PermissionsOf(abs), true)
}

// PermissionsOf is the file of the permissions of another radio's configuration.
func PermissionsOf(file string) string {
	folder, name := filepath.Split(file)
	if name == "config.lua" {
		return filepath.Join(folder, "permissions.cfg")
	}
	return filepath.Join(folder, strings.TrimSuffix(name, ".lua")+".permissions.cfg")
}

// reason is an error of the file system without the path.
func reason(err error) string {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// Join gives the configuration of another radio what is the host's: what its own file says
// of the port, certificates, proxies and the log has no effect. A radio without a
// serverAddress has the host's, with its name.
func (l *Loaded) Join(main *Loaded, name string) {
	s, host := &l.Server, &main.Server
	s.Port, s.WebRTC, s.TLS, s.TrustedProxies, s.LogLevel, s.Cluster, s.Radios = host.Port, host.WebRTC, host.TLS, host.TrustedProxies, host.LogLevel, host.Cluster, nil
	if s.Address == "" && host.Address != "" {
		s.Address = host.Address + "/r/" + name
	}
}

// OwnHost is the host name of a serverAddress that has no path: requests for it mean this
// radio. "": there is none.
func (l *Loaded) OwnHost() string {
	u, err := url.Parse(l.Server.Address)
	if err != nil || strings.Trim(u.Path, "/") != "" {
		return ""
	}
	return hostKey(u.Hostname())
}
