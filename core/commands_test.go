package core

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryCommandIsSimulated compares the simulation's list of commands with the
// source, so that a new command is simulated too.
func TestEveryCommandIsSimulated(t *testing.T) {
	var known, found []string
	for _, c := range everyCommand {
		known = append(known, strings.TrimPrefix(fmt.Sprintf("%T", c), "core."))
	}
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "apply" && fn.Recv != nil {
				found = append(found, fn.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(known)
	slices.Sort(found)
	if !slices.Equal(known, found) {
		t.Fatalf("simulated %v\nof %v", known, found)
	}
}
