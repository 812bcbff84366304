package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/blakesmith/ar"
)

// made are two releases for linux/amd64 of the same commit, from two folders.
type made struct {
	here, there string
	version     string
}

var releases = sync.OnceValues(func() (made, error) {
	tmp, err := os.MkdirTemp("", "squelch-releases-")
	if err != nil {
		return made{}, err
	}
	m := made{here: filepath.Join(tmp, "here"), there: filepath.Join(tmp, "there")}
	ctx := context.Background()
	quiet := func(string, ...any) {}
	o := options{source: "../..", out: m.here, version: "1.2.3", allowDirty: true, targets: targets[:1], container: true, progress: quiet}
	c, err := look(ctx, o)
	if err != nil {
		return made{}, err
	}
	m.version = c.version
	copied := c
	if copied.source, err = copyOf(c, filepath.Join(tmp, "another", "folder")); err != nil {
		return made{}, err
	}
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i, from := range []checkout{c, copied} {
		both.Go(func() {
			o := o
			o.out = []string{m.here, m.there}[i]
			errs[i] = from.release(ctx, o)
		})
	}
	both.Wait()
	for _, err := range errs {
		if err != nil {
			return made{}, err
		}
	}
	return m, nil
})

func released(t *testing.T) made {
	t.Helper()
	m, err := releases()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made, err := releases(); err == nil {
		os.RemoveAll(filepath.Dir(made.here))
	}
	os.Exit(code)
}

// copyOf copies a checkout's files, with what the panel's build has made.
func copyOf(c checkout, to string) (string, error) {
	listed, err := c.git(context.Background(), "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	files := strings.Split(listed, "\n")
	for _, built := range []string{"panel/dist-parts", "server/panel/dist", "server/resource", "themes", "wasm"} {
		err := filepath.WalkDir(filepath.Join(c.source, built), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				name, _ := filepath.Rel(c.source, path)
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(c.source, name))
		if os.IsNotExist(err) { // deleted, and not committed yet
			continue
		}
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return "", err
		}
	}
	return to, os.Symlink(filepath.Join(c.source, "panel/node_modules"), filepath.Join(to, "panel/node_modules"))
}

func TestTwoReleasesFromTwoFoldersHaveTheSameBytes(t *testing.T) {
	m := released(t)
	names, err := os.ReadDir(m.here)
	if err != nil || len(names) != 6 {
		t.Fatalf("the release has %v, %v", names, err)
	}
	for _, e := range names {
		a, err := os.ReadFile(filepath.Join(m.here, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(m.there, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs: %d and %d bytes", e.Name(), len(a), len(b))
		}
		if e.Name() == sumsFile {
			continue
		}
		sums, err := os.ReadFile(filepath.Join(m.here, sumsFile))
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(a), e.Name()); err != nil || !strings.Contains(string(sums), line) {
			t.Errorf("the checksums do not have %q: %v", line, err)
		}
	}
}

// entry is one file of an archive.
type entry struct {
	tar.Header
	text []byte
}

// entries reads a gzipped tar.
func entries(t *testing.T, in io.Reader) map[string]entry {
	t.Helper()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]entry{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(h.Name, ".")] = entry{*h, text}
	}
}

func open(t *testing.T, m made, suffix string) *os.File {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(m.here, "*"+suffix))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", suffix, found, err)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestTheArchiveHasWhatAnOperatorNeeds(t *testing.T) {
	m := released(t)
	all := entries(t, open(t, m, "_linux_amd64.tar.gz"))
	at := time.Time{}
	for _, name := range []string{"squelch", "INSTALL.md", "LICENSE", "sbom.cdx.json", "THIRD-PARTY-LICENSES", "CHANGELOG.md", "config.example.lua", "permissions.example.cfg",
		"squelch.service", "squelch.default", "man/squelch.1", "completions/squelch.bash", "completions/_squelch", "completions/squelch.fish"} {
		e, ok := all["squelch_1.2.3_linux_amd64/"+name]
		if !ok || len(e.text) == 0 || e.Uid != 0 || e.Mode != 0o644 && e.Mode != 0o755 {
			t.Errorf("%s: %v, %d bytes, owner %d, mode %o", name, ok, len(e.text), e.Uid, e.Mode)
		}
		if at.IsZero() {
			at = e.ModTime
		}
		if e.ModTime != at {
			t.Errorf("%s is of %s, others of %s", name, e.ModTime, at)
		}
	}
	if install := string(all["squelch_1.2.3_linux_amd64/INSTALL.md"].text); !strings.HasPrefix(install, "# Squelch 1.2.3\n") {
		t.Errorf("INSTALL.md begins with %.30q", install)
	}
	if man := string(all["squelch_1.2.3_linux_amd64/man/squelch.1"].text); !strings.Contains(man, ".SS squelch serve [flags]") {
		t.Error("the manual page does not have serve")
	}
}

func TestTheDebianPackage(t *testing.T) {
	parts := map[string][]byte{}
	for r := ar.NewReader(open(t, released(t), "_linux_amd64.deb")); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if parts[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	control := entries(t, bytes.NewReader(parts["control.tar.gz"]))
	data := entries(t, bytes.NewReader(parts["data.tar.gz"]))
	for name, mode := range map[string]int64{"/usr/bin/squelch": 0o755, "/usr/lib/systemd/system/squelch.service": 0o644, "/etc/squelch/config.lua": 0o644,
		"/etc/squelch/permissions.cfg": 0o644, "/etc/default/squelch": 0o644, "/usr/share/doc/squelch/copyright": 0o644, "/usr/share/doc/squelch/THIRD-PARTY-LICENSES": 0o644,
		"/usr/share/man/man1/squelch.1": 0o644, "/usr/share/bash-completion/completions/squelch": 0o644} {
		if e, ok := data[name]; !ok || e.Mode&0o777 != mode || e.Uid != 0 {
			t.Errorf("%s: %v, mode %o, owner %d", name, ok, e.Mode, e.Uid)
		}
	}
	if got := string(control["/conffiles"].text); got != "/etc/default/squelch\n/etc/squelch/config.lua\n/etc/squelch/permissions.cfg\n" {
		t.Errorf("what the operator changes, and an upgrade leaves: %q", got)
	}
	for _, line := range []string{"Package: squelch\n", "Version: 1.2.3-1\n", "Architecture: amd64\n", "Recommends: ca-certificates\n"} {
		if !strings.Contains(string(control["/control"].text), line) {
			t.Errorf("no %q in %s", line, control["/control"].text)
		}
	}
	for _, script := range []string{"/postinst", "/prerm", "/postrm"} {
		check := exec.Command("sh", "-n")
		check.Stdin = bytes.NewReader(control[script].text)
		if out, err := check.CombinedOutput(); err != nil || len(control[script].text) == 0 {
			t.Errorf("%s: %v, %s", script, err, out)
		}
	}
}

func TestTheBillOfMaterialsNamesEveryPartAndItsLicence(t *testing.T) {
	m := released(t)
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(open(t, m, ".sbom.cdx.json"), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	if bom.SpecVersion != cdx.SpecVersion1_6 || bom.Metadata.Component.Version != "1.2.3" || len(*bom.Metadata.Component.Hashes) != 1 {
		t.Errorf("%v, %+v", bom.SpecVersion, bom.Metadata.Component)
	}
	notices := string(entries(t, open(t, m, "_linux_amd64.tar.gz"))["squelch_1.2.3_linux_amd64/THIRD-PARTY-LICENSES"].text)
	refs := map[string]bool{}
	for _, c := range *bom.Components {
		if c.Version == "" || c.PackageURL == "" || refs[c.BOMRef] {
			t.Errorf("%+v has no version or package URL, or stands twice", c)
		}
		refs[c.BOMRef] = true
		name := strings.TrimPrefix(c.Group+"/"+c.Name, "/")
		if name == "std" {
			name = "Go's standard library"
		}
		if !strings.Contains(notices, "\n"+name+" "+c.Version+": ") {
			t.Errorf("THIRD-PARTY-LICENSES does not have %s %s", name, c.Version)
		}
	}
	for _, dep := range *(*bom.Dependencies)[0].Dependencies {
		if !refs[dep] {
			t.Errorf("the program depends on %s, which is no component", dep)
		}
	}
	for _, part := range []string{"pkg:golang/github.com/go-chi/chi/v5@", "pkg:golang/std@", "pkg:npm/svelte@", "pkg:npm/socket.io-client@", "pkg:npm/%40socket.io/component-emitter@", "pkg:npm/css-select@"} {
		if !slices.ContainsFunc(*bom.Components, func(c cdx.Component) bool { return strings.HasPrefix(c.PackageURL, part) }) {
			t.Errorf("%s is missing", part)
		}
	}
}

// TestTheUnitIsConfined: what a service on the network should not be able to do, it cannot.
func TestTheUnitIsConfined(t *testing.T) {
	text, err := embedded.ReadFile("files/squelch.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"User=squelch", "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "PrivateDevices=yes", "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
		"SystemCallFilter=@system-service", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK", "MemoryDenyWriteExecute=yes", "UMask=0077", "StateDirectoryMode=0700", "Restart=on-failure"} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("the unit lacks %s", line)
		}
	}
}
