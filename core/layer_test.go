package core_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layer is a row of the table "Packages" in ARCHITECTURE.
type layer struct {
	inside  []string // packages of this module; "/...": and those below; nil: all
	outside []string // other modules; nil: any
	used    bool
}

// layers reads the table. The keys are packages, or end in "/...".
func layers(t *testing.T) map[string]*layer {
	t.Helper()
	all := map[string]*layer{}
	for _, row := range table(t, "Packages") {
		if len(row) != 3 {
			t.Fatalf("the row %q does not have three cells", row)
		}
		for _, name := range quoted(row[0]) {
			if all[name] != nil {
				t.Errorf("%s has two rows", name)
			}
			all[name] = &layer{inside: allowed(t, row[1], "all"), outside: allowed(t, row[2], "yes")}
		}
	}
	return all
}

// allowed is what a cell names; nil: the cell allows everything.
func allowed(t *testing.T, cell, everything string) []string {
	t.Helper()
	names := quoted(cell)
	switch {
	case strings.HasPrefix(cell, everything):
		return nil
	case strings.HasPrefix(cell, "no") == (len(names) > 0):
		t.Errorf("the cell %q names nothing, and is not %q or \"no\"", cell, everything)
	}
	return slices.Concat([]string{}, names)
}

// corePackages is all that the core may use of the standard library: nothing
// that reads a clock, rolls dice, locks, logs or touches the world.
var corePackages = []string{"fmt", "math", "regexp", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8"}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists the packages of this module, as built here and for WebAssembly.
func packages(t *testing.T) []listed {
	t.Helper()
	var all []listed
	for _, env := range [][]string{nil, {"GOOS=wasip1", "GOARCH=wasm"}} {
		patterns := "./..."
		if env != nil {
			patterns = "./wasm"
		}
		cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", patterns)
		cmd.Dir, cmd.Env = "..", append(cmd.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p listed
			if err := d.Decode(&p); err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
	}
	return all
}

// layerOf finds a package's own row, or the nearest "/..." above that covers it.
func layerOf(all map[string]*layer, pkg string) *layer {
	if l := all[pkg]; l != nil {
		return l
	}
	for p := pkg; p != "."; p = path.Dir(p) {
		if l := all[p+"/..."]; l != nil {
			return l
		}
	}
	return nil
}

// TestLayers compares every import of the module with ARCHITECTURE.
func TestLayers(t *testing.T) {
	all := layers(t)
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "squelch/")
		rule := layerOf(all, name)
		if rule == nil {
			t.Errorf("%s has no row in ARCHITECTURE, \"Packages\"", name)
			continue
		}
		rule.used = true
		for _, imp := range p.Imports {
			inside, ours := strings.CutPrefix(imp, "squelch/")
			foreign := !ours && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".")
			switch {
			case ours && rule.inside != nil && !covers(rule.inside, inside),
				foreign && rule.outside != nil && !slices.ContainsFunc(rule.outside, func(m string) bool { return strings.HasPrefix(imp+"/", m+"/") }),
				name == "core" && !slices.Contains(corePackages, imp):
				t.Errorf("%s imports %s, which its row in ARCHITECTURE does not have", name, imp)
			}
		}
	}
	for name, l := range all {
		if !l.used {
			t.Errorf("ARCHITECTURE has a row for %s, which does not exist", name)
		}
	}
}

func covers(list []string, pkg string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		base, below := strings.CutSuffix(l, "/...")
		return pkg == base || (below && strings.HasPrefix(pkg, base+"/"))
	})
}

// TestCoreIsPure: the core has no goroutine, channel, clock or init.
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

// TestExportedIsDocumented: every exported function and type of the core has a
// comment.
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
