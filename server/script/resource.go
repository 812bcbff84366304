package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"squelch/server/lua/sandbox"
)

// Resource is a script as it is on disk: a folder with a fxmanifest.lua, or one file.
type Resource struct {
	Name     string
	Folder   string // absolute; of a single file, the folder that it is in
	Files    []File // in the order in which they run
	Needs    []string
	Provides []string
	Metadata map[string][]string // of fxmanifest.lua
	Wrong    []error             // why it cannot run; *sandbox.Error where a file is at fault
	single   bool
}

// File is one Lua file, compiled.
type File struct {
	Path  string // as errors name it: "roster/server/main.lua"
	Chunk *sandbox.Chunk
}

// resourceName is what exports['…'] and events can name.
var resourceName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Read reads the scripts at these paths, which are absolute, in the order in which they
// start: each after those that it depends on. radio is the name of the radio's own
// resource. What is wrong with a script is in its Wrong.
func Read(paths []string, radio string) []*Resource {
	var all []*Resource
	byName := map[string]*Resource{}
	for i, p := range paths {
		r := find(p)
		switch {
		case i >= maxScripts:
			r.wrong("Config.scripts has more than %d scripts", maxScripts)
		case r.Name == radio:
			r.wrong("%q is the name of the radio's own resource", radio)
		case byName[r.Name] != nil:
			r.wrong("there is another script of this name")
		default:
			byName[r.Name] = r
		}
		all = append(all, r)
	}
	for _, r := range all {
		if len(r.Wrong) == 0 {
			r.compile(byName)
		}
	}
	return ordered(all, radio)
}

// Mistakes are what is wrong with scripts.
func Mistakes(all []*Resource) (errs []error) {
	for _, r := range all {
		errs = append(errs, r.Wrong...)
	}
	return errs
}

// find reads what is at a path, but no script yet.
func find(p string) *Resource {
	r := &Resource{Name: strings.TrimSuffix(filepath.Base(p), ".lua"), Folder: p, Metadata: map[string][]string{}}
	info, err := os.Stat(p)
	switch {
	case err != nil:
		r.wrong("there is no file or folder %s", p)
	case !resourceName.MatchString(r.Name):
		r.wrong("%q cannot be the name of a script: use letters, digits, - and _", r.Name)
	case info.IsDir():
		r.manifest()
	case !strings.HasSuffix(p, ".lua"):
		r.wrong("must be a .lua file, or a folder with a fxmanifest.lua")
	default:
		r.Folder, r.single = filepath.Dir(p), true
		r.Metadata["server_script"] = []string{filepath.Base(p)}
	}
	r.Needs, r.Provides = r.Metadata["dependency"], r.Metadata["provide"]
	return r
}

// compile reads the script's files: the shared ones first, as the game does.
func (r *Resource) compile(others map[string]*Resource) {
	for _, pattern := range slices.Concat(r.Metadata["shared_script"], r.Metadata["server_script"]) {
		from, inside := r, pattern
		if rest, is := strings.CutPrefix(pattern, "@"); is { // a file of another resource
			name, file, _ := strings.Cut(rest, "/")
			if from, inside = others[name], file; from == nil {
				r.wrong("%s: %s is not among Config.scripts", pattern, name)
				continue
			}
		}
		files, err := from.match(inside)
		if err != nil {
			r.wrong("%s: %v", pattern, err)
		}
		for _, f := range files {
			r.take(from, f)
		}
	}
	if len(r.Wrong) == 0 && len(r.Files) == 0 {
		r.wrong("names no server_scripts or shared_scripts")
	}
}

// take compiles a file, once.
func (r *Resource) take(from *Resource, file string) {
	name := path.Join(from.Name, file)
	if from.single {
		name = file
	}
	if slices.ContainsFunc(r.Files, func(have File) bool { return have.Path == name }) {
		return
	}
	if len(r.Files) >= maxFiles {
		if len(r.Wrong) == 0 {
			r.wrong("has more than %d files", maxFiles)
		}
		return
	}
	if chunk := r.chunk(from, file, name); chunk != nil {
		r.Files = append(r.Files, File{name, chunk})
	}
}

// chunk compiles a file, which errors call name; nil: it cannot, and Wrong says why.
func (r *Resource) chunk(from *Resource, file, name string) *sandbox.Chunk {
	text, err := from.read(file, sandbox.MaxSource)
	if err != nil {
		r.Wrong = append(r.Wrong, &sandbox.Error{File: name, Msg: err.Error()})
		return nil
	}
	chunk, err := sandbox.Script(text, name)
	if err != nil {
		r.Wrong = append(r.Wrong, err)
	}
	return chunk
}

// wrong notes a mistake that is not in a file of the script.
func (r *Resource) wrong(format string, args ...any) {
	file := r.Name
	if _, is := r.Metadata["fx_version"]; is {
		file += "/" + manifestFile
	}
	r.Wrong = append(r.Wrong, &sandbox.Error{File: file, Msg: fmt.Sprintf(format, args...)})
}

// read reads a file of the folder; nothing leads out of it.
func (r *Resource) read(name string, most int64) (string, error) {
	root, err := os.OpenRoot(r.Folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", errors.New("cannot be read: " + inner(err).Error())
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return "", fmt.Errorf("must be a file of at most %d bytes", most)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	return string(b), err
}

// inner is an error without the path that its message begins with.
func inner(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// ordered puts each script behind those that it depends on, and leaves the order as it
// is otherwise. One that needs what is not there cannot run, as in the game.
func ordered(all []*Resource, radio string) (out []*Resource) {
	placed := map[*Resource]bool{}
	provider := func(name string) *Resource {
		for _, r := range all {
			if r.Name == name || slices.Contains(r.Provides, name) {
				return r
			}
		}
		return nil
	}
	var place func(r *Resource, way []string)
	place = func(r *Resource, way []string) {
		if placed[r] {
			return
		}
		if slices.Contains(way, r.Name) {
			r.wrong("depends on itself: %s", strings.Join(append(way, r.Name), ", "))
			return
		}
		for _, need := range r.Needs {
			if need == radio || strings.HasPrefix(need, "/") { // "/server:5848", "/onesync": of the game server
				continue
			}
			other := provider(need)
			if other != nil {
				place(other, append(way, r.Name))
			}
			if other == nil || len(other.Wrong) > 0 {
				r.wrong("dependency %q is not among the Config.scripts that run", need)
			}
		}
		if !placed[r] {
			placed[r] = true
			out = append(out, r)
		}
	}
	for _, r := range all {
		place(r, nil)
	}
	return out
}
