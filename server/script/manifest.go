package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

const manifestFile = "fxmanifest.lua"

// manifest reads fxmanifest.lua: every global is a function that notes its argument. A
// list's key loses its plural s, as in the game: server_scripts { … } is several
// server_script.
func (r *Resource) manifest() {
	chunk := r.chunk(r, manifestFile, path.Join(r.Name, manifestFile))
	if chunk == nil {
		return
	}
	L := sandbox.Bare(nil)
	defer L.Close()
	mt := L.NewTable()
	mt.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		key := L.CheckString(2)
		L.Push(L.NewFunction(func(L *lua.LState) int {
			r.note(key, L.Get(1))
			L.Push(L.NewFunction(func(*lua.LState) int { return 0 })) // key 'value' { extra }
			return 1
		}))
		return 1
	}))
	L.SetMetatable(L.G.Global, mt)
	if _, err := sandbox.Run(context.Background(), L, chunk, manifestTime); err != nil {
		r.Wrong = append(r.Wrong, err)
	}
}

func (r *Resource) note(key string, v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		key = strings.TrimSuffix(key, "s")
		if key == "dependencie" {
			key = "dependency"
		}
		v.ForEach(func(_, x lua.LValue) {
			if lua.LVCanConvToString(x) {
				r.Metadata[key] = append(r.Metadata[key], lua.LVAsString(x))
			}
		})
	default:
		r.Metadata[key] = append(r.Metadata[key], lua.LVAsString(v))
	}
}

// match finds the files of a pattern, sorted: * is anything within a folder's name, **
// any folders.
func (r *Resource) match(pattern string) ([]string, error) {
	if pattern != path.Clean(pattern) || !fs.ValidPath(pattern) {
		return nil, errors.New("must be a path inside the script's folder")
	}
	if !strings.HasSuffix(pattern, ".lua") {
		return nil, errors.New("only Lua files run in the service")
	}
	if !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}, nil
	}
	return matching(os.DirFS(r.Folder), pattern)
}

func matching(files fs.FS, pattern string) ([]string, error) {
	want := strings.Split(pattern, "/")
	var out []string
	seen := 0
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", p, inner(err))
		}
		if seen++; seen > maxEntries {
			return fmt.Errorf("the folder has more than %d files: name those that run one by one", maxEntries)
		}
		if !d.IsDir() && fits(want, strings.Split(p, "/")) {
			out = append(out, p)
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = errors.New("matches no file")
	}
	slices.Sort(out)
	return out, err
}

// fits says whether a path fits a pattern, part by part.
func fits(pattern, p []string) bool {
	if len(pattern) == 0 {
		return len(p) == 0
	}
	if pattern[0] == "**" {
		for i := range len(p) + 1 {
			if fits(pattern[1:], p[i:]) {
				return true
			}
		}
		return false
	}
	if len(p) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], p[0])
	return ok && err == nil && fits(pattern[1:], p[1:])
}
