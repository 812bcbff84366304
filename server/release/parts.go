package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is somebody else's work that is in the program.
type part struct {
	name, version string
	npm           bool   // in the embedded pages, by its npm name; else a Go module
	sum           string // as the lock file has it: "h1:…" of a module, "sha512-…" of npm; the toolchain has none
	folder        string // where its files are
}

// purl is the part's package URL (github.com/package-url/purl-spec).
func (p part) purl() string {
	if p.npm {
		return "pkg:npm/" + strings.Replace(p.name, "@", "%40", 1) + "@" + p.version
	}
	return "pkg:golang/" + p.name + "@" + strings.ReplaceAll(p.version, "+", "%2B")
}

// parts are those of a built program: what its build information names, the standard
// library, and what the bundler put into the pages that it embeds.
func (r *release) parts(t target) ([]part, error) {
	info, err := buildinfo.ReadFile(r.programs[t])
	if err != nil {
		return nil, err
	}
	root, err := run(exec.Command("go", "-C", r.source, "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	parts := []part{{name: "std", version: version, folder: root}}
	folders, err := r.moduleFolders()
	if err != nil {
		return nil, err
	}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		parts = append(parts, part{name: d.Path, version: d.Version, sum: d.Sum, folder: folders[d.Path+"@"+d.Version]})
	}
	npm, err := r.npmParts()
	return append(parts, npm...), err
}

// moduleFolders are the folders of the modules in the cache.
func (r *release) moduleFolders() (map[string]string, error) {
	out, err := run(exec.Command("go", "-C", r.source, "list", "-m", "-f", "{{.Path}}@{{.Version}} {{.Dir}}", "all"))
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for line := range strings.Lines(out) {
		if name, folder, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			folders[name] = folder
		}
	}
	return folders, nil
}

// npmParts reads what the bundler wrote down (panel/build/parts.mjs), with the versions of
// the lock file.
func (r *release) npmParts() ([]part, error) {
	lists, err := filepath.Glob(filepath.Join(r.source, "panel/dist-parts/*.json"))
	if err != nil || len(lists) == 0 {
		return nil, fmt.Errorf("panel/dist-parts does not say what is in the pages, run just panel")
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity string
			Dependencies       map[string]string
		}
	}
	if err := readJSON(filepath.Join(r.source, "panel/package-lock.json"), &lock); err != nil {
		return nil, err
	}
	var folders []string
	for _, list := range lists {
		var more []string
		if err := readJSON(list, &more); err != nil {
			return nil, err
		}
		folders = append(folders, more...)
	}
	inside := map[string]bool{"node_modules/linkedom": true} // it is published as one file with all that it depends on
	for i := 0; i < len(folders); i++ {
		if !inside[folders[i]] {
			continue
		}
		for name := range lock.Packages[folders[i]].Dependencies {
			folder := folders[i] + "/node_modules/" + name
			if _, nested := lock.Packages[folder]; !nested {
				folder = "node_modules/" + name
			}
			if !inside[folder] {
				inside[folder] = true
				folders = append(folders, folder)
			}
		}
	}
	slices.Sort(folders)
	var parts []part
	for _, folder := range slices.Compact(folders) {
		locked, ok := lock.Packages[folder]
		if !ok {
			return nil, fmt.Errorf("panel/package-lock.json does not have %s, which is in the pages", folder)
		}
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		parts = append(parts, part{name: name, version: locked.Version, npm: true, sum: locked.Integrity, folder: filepath.Join(r.source, "panel", folder)})
	}
	return parts, nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// noticeNames are the files in which authors put what has to go with their work.
var noticeNames = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)([.-].*)?$`)

// notices are the licences of all parts, one after the other. A part without one is an
// error: what nobody has licensed is not shipped.
func (r *release) notices(parts []part) ([]byte, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "Squelch %s contains the work of others, under the licences below. Its own is in LICENSE.\n", r.version)
	for _, p := range parts {
		entries, err := os.ReadDir(p.folder)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", p.name, p.version, err)
		}
		found := 0
		for _, e := range entries {
			if e.IsDir() || !noticeNames.MatchString(e.Name()) {
				continue
			}
			found++
			notice, err := os.ReadFile(filepath.Join(p.folder, e.Name()))
			if err != nil {
				return nil, err
			}
			of := p.name
			if of == "std" {
				of = "Go's standard library"
			}
			fmt.Fprintf(&text, "\n%s\n%s %s: %s\n%[1]s\n\n%s\n", strings.Repeat("=", 80), of, p.version, e.Name(), strings.TrimSpace(strings.ReplaceAll(string(notice), "\r\n", "\n")))
		}
		if found == 0 {
			return nil, fmt.Errorf("%s %s has no licence in %s", p.name, p.version, p.folder)
		}
	}
	return []byte(text.String()), nil
}
