package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

func made(t *testing.T) *release {
	t.Helper()
	return &release{root: "../..", out: t.TempDir(), version: "1.2.0", made: time.Unix(1_790_000_000, 0).UTC(), targets: targets}
}

// TestVersionsBetweenTags sort behind the tag.
func TestVersionsBetweenTags(t *testing.T) {
	for described, want := range map[string]string{"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0-rc.1", "1.2.0-5-gabc123": "1.2.0+5.gabc123", "1.2.0-rc.1-5-gabc": "1.2.0-rc.1+5.gabc"} {
		if got := between(described); got != want {
			t.Errorf("%s is version %s, want %s", described, got, want)
		}
	}
}

// TestSystemsAreChosen, and one that is not built for is named.
func TestSystemsAreChosen(t *testing.T) {
	some, err := chosen("windows/amd64,linux/arm")
	if err != nil || len(some) != 2 || some[0].os != "windows" || some[1].arch != "arm" {
		t.Errorf("%v %v", some, err)
	}
	if _, err := chosen("linux/mips"); err == nil || !strings.Contains(err.Error(), `"linux/mips" is not built for`) {
		t.Errorf("%v", err)
	}
}

// unpacked are the files of an archive by name, as another tool would see them.
func unpacked(t *testing.T, r *release, on target) map[string][]byte {
	t.Helper()
	program := r.out + "/squelch"
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	parts := []part{{name: "a/library", version: "v1", purl: "pkg:golang/a/library@v1", licences: []licence{{"LICENSE", "MIT of the library"}}}}
	files, err := r.files(on, program, parts)
	if err != nil {
		t.Fatal(err)
	}
	var one, two bytes.Buffer
	if err := errors.Join(r.tar(&one, "squelch", files), r.tar(&two, "squelch", files)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("an archive has other bytes the second time")
	}
	z, err := gzip.NewReader(&one)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(r.made) || h.Uname != "root" {
			t.Errorf("%s is of %v, by %s", h.Name, h.ModTime, h.Uname)
		}
		if all[strings.TrimPrefix(h.Name, "squelch/")], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnArchiveIsComplete: program, licences of all parts, an example to begin with, and
// everything that the container file copies.
func TestAnArchiveIsComplete(t *testing.T) {
	all := unpacked(t, made(t), target{"linux", "arm64"})
	for name, part := range map[string]string{"squelch": "program", "LICENSE": "MIT", "THIRD-PARTY-LICENSES": "MIT of the library", "config.example.lua": "Config.serverPort",
		"permissions.example.cfg": "add_ace", "INSTALL.txt": "squelch serve", "CHANGELOG.md": "Unreleased", "squelch.service": "ExecStart=/usr/bin/squelch serve"} {
		if !strings.Contains(string(all[name]), part) {
			t.Errorf("%s has no %q", name, part)
		}
	}
	var list struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(all["sbom.cdx.json"], &list); err != nil || list.BOMFormat != "CycloneDX" || list.Metadata.Component.Version != "1.2.0" ||
		len(list.Components) != 1 || list.Components[0].PURL != "pkg:golang/a/library@v1" {
		t.Errorf("the list of parts: %v %+v", err, list)
	}
	made := map[string]bool{"ca-certificates.crt": true, "data": true} // the handbook has the operator make them
	for _, line := range regexp.MustCompile(`(?m)^COPY (?:--chown=\S+ )?(.*) \S+$`).FindAllStringSubmatch(string(all["Containerfile"]), -1) {
		for _, name := range strings.Fields(line[1]) {
			if all[name] == nil && !made[name] {
				t.Errorf("the container file copies %s, which is not in the archive", name)
			}
		}
	}
}

// TestThePackagesScriptsAreShell.
func TestThePackagesScriptsAreShell(t *testing.T) {
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		if out, err := exec.Command("sh", "-n", "files/"+name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

// TestTheUnitIsConfined: what a service on the network should not be able to do, it cannot.
func TestTheUnitIsConfined(t *testing.T) {
	text, err := os.ReadFile("files/squelch.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"User=squelch", "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "PrivateDevices=yes", "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
		"SystemCallFilter=@system-service", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK", "UMask=0077", "StateDirectoryMode=0700", "Restart=on-failure"} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("the unit lacks %s", line)
		}
	}
}
