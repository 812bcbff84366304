package core_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layer says what a package of this module may import of this module, and
// which other modules. "/..." covers the package and those below.
type layer struct {
	inside  []string
	outside []string // nil: any; empty: std only
}

var none = []string{}

// layers is the table of ARCHITECTURE ("Dependency direction"). The longest
// prefix that matches a package counts. Packages that do not exist yet are fine.
var layers = map[string]layer{
	"core":          {nil, none},
	"core/scenario": {[]string{"core"}, none},
	"core/wire":     {[]string{"core"}, none},
	"core/wire/gen": {[]string{"core", "core/wire"}, none},

	"themes":         {nil, []string{"github.com/tdewolff/parse/v2"}},
	"themes/sandbox": {[]string{"core", "core/wire", "themes", "wasm/host"}, nil},

	"sfu":      {[]string{"core", "sfu/..."}, nil},
	"sfu/imbe": {[]string{"sfu/imbe/..."}, none},
	"sfu/opus": {[]string{"sfu/opus/..."}, nil},

	"server/address": {nil, none},
	"server/engine":  {[]string{"core"}, none},
	"server/reply":   {[]string{"core"}, none},
	"server/panel":   {[]string{"core/wire", "server/reply"}, none},
	"server/keeper":  {[]string{"core", "server/audit", "server/store"}, none},
	"server/admin":   {[]string{"core", "core/wire", "server/address", "server/engine", "server/reply", "server/session", "server/audit", "server/config"}, nil},
	"server/rest":    {[]string{"core", "core/wire", "server/address", "server/engine", "server/reply", "server/session", "server/store", "server/audit", "server/config", "themes"}, nil},
	"server/socket":  {[]string{"core", "core/wire", "server/engine", "server/session", "server/store", "server/audit", "server/config", "server/sio", "server/sio/...", "sfu"}, nil},
	"server/script":  {[]string{"core", "core/wire", "server/engine", "server/session", "server/store", "server/audit", "server/config"}, nil},
	"server/sio":     {[]string{"server/address", "server/sio/..."}, nil},
	"server/store":   {[]string{"server/store/..."}, nil},
	"server/audit":   {[]string{"core", "server/audit/..."}, nil},
	"server/session": {[]string{"server/address", "server/session/..."}, nil},
	"server/config":  {[]string{"core", "server/config/..."}, nil},

	"wasm":        {[]string{"core", "core/wire", "wasm/sim"}, none},
	"wasm/sim":    {[]string{"core", "core/wire"}, none},
	"wasm/host":   {[]string{"core", "core/wire", "wasm/sim"}, []string{"github.com/tetratelabs/wazero"}},
	"wasm/build":  {[]string{"wasm/host"}, none},
	"wasm/parity": {[]string{"core", "core/scenario", "core/wire", "wasm/..."}, none},
	"wasm/bench":  {[]string{"core", "core/wire", "wasm/..."}, none},
}

// corePackages is all that the core may use of the standard library: nothing
// that reads a clock, rolls dice, locks, logs or touches the world.
var corePackages = []string{"fmt", "math", "regexp", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8"}

type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	Standard   bool
	GoFiles    []string
}

// packages lists this module.
func packages(t *testing.T) []listed {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Imports,GoFiles", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// layerOf finds the rule with the longest matching prefix.
func layerOf(pkg string) (layer, bool) {
	for p := pkg; p != "."; p = filepath.Dir(p) {
		if l, ok := layers[p]; ok {
			return l, true
		}
	}
	return layer{}, false
}

// TestLayers holds every import of the module against the table.
func TestLayers(t *testing.T) {
	checked := 0
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "squelch/")
		rule, ok := layerOf(name)
		if !ok {
			continue // the composition root, tools and test peers may import everything
		}
		checked++
		for _, imp := range p.Imports {
			inside, ours := strings.CutPrefix(imp, "squelch/")
			switch {
			case ours && inside != name && !covers(rule.inside, inside):
				t.Errorf("%s imports %s", name, inside)
			case !ours && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && rule.outside != nil && !slices.ContainsFunc(rule.outside, func(m string) bool { return strings.HasPrefix(imp, m) }):
				t.Errorf("%s imports %s", name, imp)
			case name == "core" && !slices.Contains(corePackages, imp):
				t.Errorf("core imports %s", imp)
			}
		}
	}
	if checked < 2 {
		t.Fatalf("only %d packages were checked", checked)
	}
}

func covers(list []string, pkg string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		base, below := strings.CutSuffix(l, "/...")
		return pkg == base || (below && strings.HasPrefix(pkg, base+"/"))
	})
}

// TestCoreIsPure: no goroutine, channel, clock or init in the core.
func TestCoreIsPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d files (%v)", len(files), err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt:
				t.Errorf("%s: concurrency in the core", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && !slices.Contains([]string{"Time", "UnixMilli", "Duration", "Millisecond"}, n.Sel.Name) {
					t.Errorf("%s: the core uses time.%s", fset.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.FuncDecl:
				if n.Name.Name == "init" {
					t.Errorf("%s: init in the core", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// TestExportedIsDocumented: every exported name says what it is.
func TestExportedIsDocumented(t *testing.T) {
	fset := token.NewFileSet()
	files, _ := filepath.Glob("*.go")
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				obvious := d.Name.Name == "String" || d.Name.Name == "Error"
				if d.Name.IsExported() && !obvious {
					seen++
					if d.Doc == nil {
						t.Errorf("%s: %s has no comment", fset.Position(d.Pos()), d.Name)
					}
				}
			case *ast.GenDecl:
				documented := d.Doc != nil
				for _, s := range d.Specs {
					ts, ok := s.(*ast.TypeSpec)
					if !ok || !ts.Name.IsExported() {
						continue
					}
					seen++
					// In a group one comment may speak for its neighbours.
					if documented = documented || ts.Doc != nil; !documented {
						t.Errorf("%s: %s has no comment", fset.Position(ts.Pos()), ts.Name)
					}
				}
			}
		}
	}
	if seen < 100 {
		t.Fatalf("only %d exported names were seen", seen)
	}
}
