package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packages writes .deb and .rpm of a program.
func (r *release) packages(ctx context.Context, t target, program string, parts []part, work string) error {
	dir := filepath.Join(work, "package-"+t.arch)
	list, err := r.sbom(t, parts)
	if err != nil {
		return err
	}
	made := map[string][]byte{"THIRD-PARTY-LICENSES": notices(parts), "sbom.cdx.json": list}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if made["completion."+shell], err = r.completion(ctx, shell); err != nil {
			return err
		}
	}
	var manual bytes.Buffer
	z, _ := gzip.NewWriterLevel(&manual, gzip.BestCompression)
	_, _ = z.Write(manPage(r))
	if err := z.Close(); err != nil {
		return err
	}
	made["squelch.1.gz"] = manual.Bytes()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range made {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	ours := filepath.Join(r.root, "server/release/files")
	plain := func(from, to string) *files.Content { return r.content(from, to, "", 0o644) }
	contents := files.Contents{
		r.content(program, "/usr/bin/squelch", "", 0o755),
		r.content(filepath.Join(r.root, "server/config/default.lua"), "/etc/squelch/config.lua", files.TypeConfigNoReplace, 0o640),
		r.content(filepath.Join(ours, "permissions.cfg"), "/etc/squelch/permissions.cfg", files.TypeConfigNoReplace, 0o640),
		r.content(filepath.Join(ours, "squelch.default"), "/etc/default/squelch", files.TypeConfigNoReplace, 0o644),
		plain(filepath.Join(ours, "squelch.service"), "/usr/lib/systemd/system/squelch.service"),
		plain(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/squelch/copyright"),
		plain(filepath.Join(r.root, "CHANGELOG.md"), "/usr/share/doc/squelch/CHANGELOG.md"),
		plain(filepath.Join(r.root, "server/config/default.lua"), "/usr/share/doc/squelch/config.example.lua"),
		plain(filepath.Join(dir, "THIRD-PARTY-LICENSES"), "/usr/share/doc/squelch/THIRD-PARTY-LICENSES"),
		plain(filepath.Join(dir, "sbom.cdx.json"), "/usr/share/doc/squelch/sbom.cdx.json"),
		plain(filepath.Join(dir, "completion.bash"), "/usr/share/bash-completion/completions/squelch"),
		plain(filepath.Join(dir, "completion.zsh"), "/usr/share/zsh/vendor-completions/_squelch"),
		plain(filepath.Join(dir, "completion.fish"), "/usr/share/fish/vendor_completions.d/squelch.fish"),
		plain(filepath.Join(dir, "squelch.1.gz"), "/usr/share/man/man1/squelch.1.gz"),
		r.folder("/etc/squelch", 0o750),
	}
	for _, kind := range []string{"deb", "rpm"} {
		arch := t.arch
		if arch == "arm" {
			arch = "arm7"
		}
		info := nfpm.WithDefaults(&nfpm.Info{Name: "squelch", Arch: arch, Platform: "linux", Version: r.version, Section: "net", Priority: "optional",
			Maintainer: "The maintainers of Squelch <maintainers@squelch.example>", Vendor: "Squelch", Homepage: "https://squelch.example/", License: "MIT", MTime: r.made,
			Description: "Radio for game servers\nPush-to-talk channels for players, a web console for dispatchers, REST and\nSocket.IO for bots, scripts in Lua.",
			Overridables: nfpm.Overridables{Contents: contents, Recommends: []string{"ca-certificates"},
				Scripts: nfpm.Scripts{PostInstall: filepath.Join(ours, "postinst"), PreRemove: filepath.Join(ours, "prerm"), PostRemove: filepath.Join(ours, "postrm")}}})
		info.RPM.BuildHost, info.RPM.Group = "squelch.example", "Applications/Internet"
		if kind == "deb" {
			info.Depends = []string{"passwd"}
		} else {
			info.Depends = []string{"shadow-utils"}
		}
		if err := nfpm.PrepareForPackager(info, kind); err != nil {
			return fmt.Errorf("%s for %s: %w", kind, t, err)
		}
		packager, err := nfpm.Get(kind)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := packager.Package(info, &out); err != nil {
			return fmt.Errorf("%s for %s: %w", kind, t, err)
		}
		if err := os.WriteFile(filepath.Join(r.out, r.name(t)+"."+kind), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) content(from, to, kind string, mode os.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, Type: kind, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.made, Owner: "root", Group: "root"}}
}

func (r *release) folder(path string, mode os.FileMode) *files.Content {
	return &files.Content{Destination: path, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.made, Owner: "root", Group: "root"}}
}

// completion is the script of a shell. The program of this machine writes it: it is the same
// for all.
func (r *release) completion(ctx context.Context, shell string) ([]byte, error) {
	out, err := r.ours(ctx, "completion", shell)
	if err != nil {
		return nil, fmt.Errorf("completion of %s: %w", shell, err)
	}
	return out, nil
}

// ours runs the program as it is built for this machine.
func (r *release) ours(ctx context.Context, args ...string) ([]byte, error) {
	program := filepath.Join(r.out, "work", runtime.GOOS+"-"+runtime.GOARCH, "squelch")
	if _, err := os.Stat(program); err != nil {
		if program, err = r.build(ctx, target{runtime.GOOS, runtime.GOARCH}, filepath.Join(r.out, "work")); err != nil {
			return nil, err
		}
	}
	return exec.CommandContext(ctx, program, args...).Output()
}

// manPage says where to look: the program explains itself.
func manPage(r *release) []byte {
	return fmt.Appendf(nil, `.TH SQUELCH 1 "%s" "Squelch %s"
.SH NAME
squelch \- radio for game servers
.SH SYNOPSIS
.B squelch
.I command
[flags]
.SH DESCRIPTION
Squelch carries push-to-talk radio: players and dispatchers talk on channels, bots use REST
and Socket.IO, operators configure it in Lua.
.B squelch --help
lists the commands,
.B squelch
.I command
.B --help
their flags. Each flag is also an environment variable: --log-level is SQUELCH_LOG_LEVEL.
.SH FILES
.TP
.I /etc/squelch/config.lua, /etc/squelch/permissions.cfg
configuration and permissions
.TP
.I /etc/default/squelch
flags of the service, as environment variables
.TP
.I /var/lib/squelch
data; only the service may read it
.SH EXIT STATUS
0: success; 1: failure; 2: wrong command, flags or arguments.
`, r.made.Format("2006-01-02"), r.version)
}
