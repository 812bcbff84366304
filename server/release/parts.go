package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// part is something of others that is in the program.
type part struct {
	name, version string
	purl          string // package URL, ECMA-427
	sum           string // Go's checksum; "" of others
	licences      []licence
}

type licence struct{ file, text string }

// parts lists what is in a program: Go's modules by its own build information, and the
// packages of npm that are in the panel.
func (r *release) parts(ctx context.Context, program string, t target) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	folders, err := r.moduleFolders(ctx)
	if err != nil {
		return nil, err
	}
	all := []part{{name: "Go standard library", version: strings.TrimPrefix(info.GoVersion, "go"), purl: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	if all[0].licences, err = licencesIn(folders["std"]); err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p := part{name: m.Path, version: m.Version, sum: m.Sum, purl: "pkg:golang/" + m.Path + "@" + m.Version}
		if p.licences, err = licencesIn(folders[m.Path]); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	packages, err := r.npm()
	if err != nil {
		return nil, err
	}
	all = append(all, packages...)
	for _, p := range all {
		if len(p.licences) == 0 {
			return nil, fmt.Errorf("%s %s has no licence in its folder: it cannot be given on", p.name, p.version)
		}
	}
	slices.SortFunc(all, func(a, b part) int { return cmp.Compare(a.purl, b.purl) })
	return all, nil
}

// moduleFolders says where the modules are on this machine.
func (r *release) moduleFolders(ctx context.Context) (map[string]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all")
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m all: %w", err)
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[path] = dir
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	folders["std"] = strings.TrimSpace(string(root))
	return folders, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licencesIn reads the licences of a folder.
func licencesIn(dir string) (all []licence, err error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, licence{e.Name(), strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))})
	}
	return all, nil
}

// npm lists the packages that the panel is built with and that are in it: those that it
// needs at run time, and Svelte, whose own code is in every page.
func (r *release) npm() ([]part, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "panel/package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version      string
			Dev          bool
			Dependencies map[string]string
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	wanted := map[string]bool{"node_modules/svelte": true, "node_modules/esm-env": true, "node_modules/clsx": true}
	for name, p := range lock.Packages {
		if name != "" && !p.Dev {
			wanted[name] = true
		}
	}
	var all []part
	for _, folder := range slices.Sorted(maps.Keys(wanted)) {
		p, there := lock.Packages[folder]
		if !there {
			continue
		}
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		one := part{name: name, version: p.Version, purl: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version}
		if one.licences, err = licencesIn(filepath.Join(r.root, "panel", folder)); err != nil {
			return nil, err
		}
		if len(one.licences) == 0 { // some name it in package.json only
			about, err := os.ReadFile(filepath.Join(r.root, "panel", folder, "package.json"))
			if err != nil {
				return nil, err
			}
			var pkg struct {
				License string
				Author  any
			}
			if err := json.Unmarshal(about, &pkg); err != nil || pkg.License == "" {
				return nil, fmt.Errorf("%s names no licence: %w", name, err)
			}
			one.licences = []licence{{"package.json", fmt.Sprintf("%s, by %v", pkg.License, pkg.Author)}}
		}
		all = append(all, one)
	}
	return all, nil
}

// notices are the licences of all parts in one text.
func notices(all []part) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Squelch contains the following works of others, under their own licences.\n")
	for _, p := range all {
		fmt.Fprintf(&out, "\n%s\n%s %s\n", strings.Repeat("=", 78), p.name, p.version)
		for _, l := range p.licences {
			fmt.Fprintf(&out, "\n--- %s\n\n%s\n", l.file, l.text)
		}
	}
	return out.Bytes()
}

// sbom lists the parts as CycloneDX 1.5 (ECMA-424), without anything that differs from one
// run to the next.
func (r *release) sbom(t target, all []part) ([]byte, error) {
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
		Ref     string `json:"bom-ref"`
	}
	var components []component
	refs := []string{}
	for _, p := range all {
		components = append(components, component{"library", p.name, p.version, p.purl, p.purl})
		refs = append(refs, p.purl)
	}
	self := component{Type: "application", Name: "squelch", Version: r.version, PURL: "pkg:generic/squelch@" + r.version + "?os=" + t.os + "&arch=" + t.arch, Ref: "squelch"}
	out, err := json.MarshalIndent(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":     map[string]any{"timestamp": r.made.Format(time.RFC3339), "component": self},
		"components":   components,
		"dependencies": []any{map[string]any{"ref": "squelch", "dependsOn": refs}},
	}, "", "  ")
	return append(out, '\n'), err
}
