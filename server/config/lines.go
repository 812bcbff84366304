package config

import (
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// lines knows on which line each key path of Config was written. Paths have no
// leading "Config.": "zones[2].channels[1].name". Values that code computes (loops,
// functions) have the line of what contains them, or none.
type lines struct {
	at     map[string]int
	tables map[string]ast.Expr // names of tables outside Config, for "Config.zones = zones"
	count  map[string]int      // entries appended so far, by path
	walked int
}

// maxLineSteps bounds the walk: a table that is used in many places is walked once
// for each.
const maxLineSteps = 200_000

func findLines(stmts []ast.Stmt) *lines {
	l := &lines{at: map[string]int{}, tables: map[string]ast.Expr{}, count: map[string]int{}}
	l.block(stmts)
	return l
}

// of returns the line of a path or of the nearest thing that contains it; 0 if
// nothing does.
func (l *lines) of(path string) int {
	for path != "" {
		if n, ok := l.at[path]; ok {
			return n
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 0
}

func (l *lines) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for i, left := range s.Lhs {
				if i < len(s.Rhs) {
					l.assign(left, s.Rhs[i], s.Line())
				}
			}
		case *ast.LocalAssignStmt:
			for i, name := range s.Names {
				if i < len(s.Exprs) {
					l.named(name, s.Exprs[i])
				}
			}
		case *ast.FuncDefStmt:
			if path, ok := l.path(s.Name.Func); ok {
				l.set(path, s.Line())
			}
		case *ast.FuncCallStmt:
			l.insert(s.Expr)
		case *ast.DoBlockStmt:
			l.block(s.Stmts)
		case *ast.IfStmt:
			l.block(s.Then)
			l.block(s.Else)
		case *ast.ReturnStmt:
			if len(s.Exprs) == 1 {
				l.value("", s.Exprs[0], 0)
			}
		}
	}
}

func (l *lines) named(name string, v ast.Expr) {
	if name == "Config" {
		l.value("", v, 0)
		return
	}
	if _, ok := v.(*ast.TableExpr); ok {
		l.tables[name] = v
	}
}

func (l *lines) assign(left, v ast.Expr, line int) {
	if id, ok := left.(*ast.IdentExpr); ok {
		l.named(id.Value, v)
		return
	}
	path, ok := l.path(left)
	if !ok {
		return
	}
	if at := left.Line(); at > 0 {
		line = at
	}
	l.set(path, line)
	l.value(path, v, 0)
}

// path returns the path of an expression such as Config.zones[2].name or
// Config.zones[#Config.zones + 1].
func (l *lines) path(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return "", e.Value == "Config"
	case *ast.AttrGetExpr:
		base, ok := l.path(e.Object)
		if !ok {
			return "", false
		}
		if add, isAdd := e.Key.(*ast.ArithmeticOpExpr); isAdd && add.Operator == "+" {
			if size, isLen := add.Lhs.(*ast.UnaryLenOpExpr); isLen {
				if of, ok := l.path(size.Expr); ok && of == base {
					l.count[base]++
					return index(base, l.count[base]), true
				}
			}
		}
		return keyed(base, e.Key)
	}
	return "", false
}

func keyed(base string, key ast.Expr) (string, bool) {
	switch k := key.(type) {
	case *ast.StringExpr:
		return field(base, k.Value), true
	case *ast.NumberExpr:
		if n, err := strconv.Atoi(k.Value); err == nil {
			return index(base, n), true
		}
	}
	return "", false
}

// insert follows table.insert(Config.zones, {…}).
func (l *lines) insert(e ast.Expr) {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || len(call.Args) != 2 {
		return
	}
	fn, ok := call.Func.(*ast.AttrGetExpr)
	if !ok {
		return
	}
	lib, _ := fn.Object.(*ast.IdentExpr)
	name, _ := fn.Key.(*ast.StringExpr)
	if lib == nil || name == nil || lib.Value != "table" || name.Value != "insert" {
		return
	}
	if path, ok := l.path(call.Args[0]); ok {
		l.count[path]++
		at := index(path, l.count[path])
		l.set(at, max(call.Line(), call.Args[1].Line()))
		l.value(at, call.Args[1], 0)
	}
}

// value notes the lines of the keys inside a table constructor.
func (l *lines) value(path string, v ast.Expr, depth int) {
	if id, ok := v.(*ast.IdentExpr); ok {
		v = l.tables[id.Value]
	}
	t, ok := v.(*ast.TableExpr)
	if !ok || depth > maxValueDepth {
		return
	}
	n := 0
	for _, f := range t.Fields {
		if l.walked++; l.walked > maxLineSteps {
			return
		}
		at, line, known := "", 0, true
		if f.Key == nil {
			n++
			at, line = index(path, n), f.Value.Line()
		} else {
			at, known = keyed(path, f.Key)
			line = f.Key.Line()
		}
		if known {
			l.set(at, line)
			l.value(at, f.Value, depth+1)
		}
	}
	l.count[path] = n
}

func (l *lines) set(path string, line int) {
	if path != "" && line > 0 {
		l.at[path] = line
	}
}

// maxPathKey: letters of a key in a path.
const maxPathKey = 64

func field(base, name string) string {
	if len(name) > maxPathKey {
		name = strings.ToValidUTF8(name[:maxPathKey], "") + "…"
	}
	if base == "" {
		return name
	}
	return base + "." + name
}

func index(base string, n int) string { return base + "[" + strconv.Itoa(n) + "]" }
