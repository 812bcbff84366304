package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// packages writes the .deb and the .rpm of a Linux target.
func (r *release) packages(t target, about []file) error {
	stage := filepath.Join(r.work, "stage-"+t.arch)
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	var err error
	scripts := map[string]string{}
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		if scripts[name], err = r.stage(stage, r.own(name+".sh", name)); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		packager nfpm.Packager
		format   string
		users    string // what makes the user
		zsh      string // where it looks for completions
	}{{deb.Default, "deb", "passwd", "vendor-completions"}, {rpm.DefaultRPM, "rpm", "shadow-utils", "site-functions"}} {
		contents, err := r.contents(t, about, stage, p.zsh)
		if err != nil {
			return err
		}
		arch := t.arch
		if arch == "arm" {
			arch = "arm7"
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "squelch", Arch: arch, Platform: "linux", Version: r.packageVersion(), VersionSchema: "none", Release: "1",
			Section: "net", Priority: "optional", Maintainer: "The maintainers of Squelch <maintainers@squelch.example>", License: "MIT", MTime: r.time,
			Description: "Radio channels for game servers\nPlayers talk on frequencies with push-to-talk, dispatchers work from a web\nconsole, bots use REST and Socket.IO, operators configure it in Lua.",
			Overridables: nfpm.Overridables{
				Depends:    []string{p.users},
				Recommends: []string{"ca-certificates"},
				Contents:   contents,
				Umask:      0o022,
				Scripts:    nfpm.Scripts{PostInstall: scripts["postinst"], PreRemove: scripts["prerm"], PostRemove: scripts["postrm"]},
				RPM:        nfpm.RPM{BuildHost: "localhost", Summary: "Radio channels for game servers", Compression: "gzip:6"},
				Deb:        nfpm.Deb{Compression: "gzip:6"},
			},
		})
		if err := nfpm.PrepareForPackager(info, p.format); err != nil {
			return err
		}
		if err := r.write(r.name(t, "."+p.format), func(w io.Writer) error { return p.packager.Package(info, w) }); err != nil {
			return fmt.Errorf("%s: %w", p.format, err)
		}
	}
	return nil
}

// contents is what the packages put where.
func (r *release) contents(t target, about []file, stage, zsh string) (nfpmfiles.Contents, error) {
	var all nfpmfiles.Contents
	put := func(f file, to, kind string, mode os.FileMode) error {
		path, err := r.stage(stage, f)
		if err != nil {
			return err
		}
		all = append(all, &nfpmfiles.Content{Source: path, Destination: to, Type: kind,
			FileInfo: &nfpmfiles.ContentFileInfo{Mode: mode, MTime: r.time}})
		return nil
	}
	type place struct {
		file
		to, kind string
		mode     os.FileMode
	}
	doc := "/usr/share/doc/squelch/"
	places := []place{
		{file{name: "squelch", path: r.programs[t], exec: true}, "/usr/bin/squelch", nfpmfiles.TypeFile, 0o755},
		{r.own("squelch.service", "squelch.service"), "/usr/lib/systemd/system/squelch.service", nfpmfiles.TypeFile, 0o644},
		{r.own("squelch.default", "squelch.default"), "/etc/default/squelch", nfpmfiles.TypeConfigNoReplace, 0o644},
		{file{name: "config.lua", path: filepath.Join(r.source, "server/config/default.lua")}, "/etc/squelch/config.lua", nfpmfiles.TypeConfigNoReplace, 0o644},
		{r.own("permissions.example.cfg", "permissions.cfg"), "/etc/squelch/permissions.cfg", nfpmfiles.TypeConfigNoReplace, 0o644},
	}
	for _, f := range slices.Concat(about, r.examples()) {
		to := f.name
		if to == "LICENSE" {
			to = "copyright" // where Debian looks for it
		}
		places = append(places, place{f, doc + to, nfpmfiles.TypeFile, 0o644})
	}
	for _, f := range r.manual {
		if to := map[string]string{
			"man/squelch.1":            "/usr/share/man/man1/squelch.1",
			"completions/squelch.bash": "/usr/share/bash-completion/completions/squelch",
			"completions/_squelch":     "/usr/share/zsh/" + zsh + "/_squelch",
			"completions/squelch.fish": "/usr/share/fish/vendor_completions.d/squelch.fish",
		}[f.name]; to != "" {
			places = append(places, place{f, to, nfpmfiles.TypeFile, 0o644})
		}
	}
	for _, p := range places {
		if err := put(p.file, p.to, p.kind, p.mode); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// stage puts a file where the packagers, which want paths, can read it.
func (r *release) stage(folder string, f file) (string, error) {
	if f.path != "" {
		return f.path, nil
	}
	path := filepath.Join(folder, filepath.Base(f.name))
	return path, os.WriteFile(path, f.text, 0o644)
}
