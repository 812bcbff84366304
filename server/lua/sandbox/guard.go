package sandbox

import (
	"github.com/yuin/gopher-lua/ast"
)

// concatName is the global that replaces the operator "..". No program can
// spell it, and without it programs cannot concatenate at all.
const concatName = "\x00concat"

// guard walks a syntax tree, replaces every a .. b by a call that bounds the
// result, and returns the line at which the tree is nested too deeply (0: fine).
func guard(stmts []ast.Stmt) int {
	g := &guarded{}
	g.block(stmts, 0)
	return g.line
}

type guarded struct{ line int }

func (g *guarded) tooDeep(depth int, at ast.PositionHolder) bool {
	if depth > maxDepth && g.line == 0 {
		g.line = max(at.Line(), 1)
	}
	return g.line != 0
}

func (g *guarded) block(stmts []ast.Stmt, depth int) {
	for _, s := range stmts {
		if g.tooDeep(depth, s) {
			return
		}
		g.stmt(s, depth+1)
	}
}

func (g *guarded) stmt(s ast.Stmt, depth int) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		g.list(s.Lhs, depth)
		g.list(s.Rhs, depth)
	case *ast.LocalAssignStmt:
		g.list(s.Exprs, depth)
	case *ast.FuncCallStmt:
		g.expr(&s.Expr, depth)
	case *ast.DoBlockStmt:
		g.block(s.Stmts, depth)
	case *ast.WhileStmt:
		g.expr(&s.Condition, depth)
		g.block(s.Stmts, depth)
	case *ast.RepeatStmt:
		g.expr(&s.Condition, depth)
		g.block(s.Stmts, depth)
	case *ast.IfStmt:
		g.expr(&s.Condition, depth)
		g.block(s.Then, depth)
		g.block(s.Else, depth)
	case *ast.NumberForStmt:
		g.expr(&s.Init, depth)
		g.expr(&s.Limit, depth)
		g.expr(&s.Step, depth)
		g.block(s.Stmts, depth)
	case *ast.GenericForStmt:
		g.list(s.Exprs, depth)
		g.block(s.Stmts, depth)
	case *ast.FuncDefStmt:
		g.expr(&s.Name.Func, depth)
		g.expr(&s.Name.Receiver, depth)
		g.block(s.Func.Stmts, depth)
	case *ast.ReturnStmt:
		g.list(s.Exprs, depth)
	}
}

func (g *guarded) list(list []ast.Expr, depth int) {
	for i := range list {
		g.expr(&list[i], depth)
	}
}

func (g *guarded) expr(p *ast.Expr, depth int) {
	if *p == nil || g.tooDeep(depth, *p) {
		return
	}
	depth++
	switch e := (*p).(type) {
	case *ast.AttrGetExpr:
		g.expr(&e.Object, depth)
		g.expr(&e.Key, depth)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			g.expr(&f.Key, depth)
			g.expr(&f.Value, depth)
		}
	case *ast.FuncCallExpr:
		g.expr(&e.Func, depth)
		g.expr(&e.Receiver, depth)
		g.list(e.Args, depth)
	case *ast.LogicalOpExpr:
		g.expr(&e.Lhs, depth)
		g.expr(&e.Rhs, depth)
	case *ast.RelationalOpExpr:
		g.expr(&e.Lhs, depth)
		g.expr(&e.Rhs, depth)
	case *ast.ArithmeticOpExpr:
		g.expr(&e.Lhs, depth)
		g.expr(&e.Rhs, depth)
	case *ast.UnaryMinusOpExpr:
		g.expr(&e.Expr, depth)
	case *ast.UnaryNotOpExpr:
		g.expr(&e.Expr, depth)
	case *ast.UnaryLenOpExpr:
		g.expr(&e.Expr, depth)
	case *ast.FunctionExpr:
		g.block(e.Stmts, depth)
	case *ast.StringConcatOpExpr:
		*p = g.concat(e, depth)
	}
}

// concat makes one call of a chain a .. b .. c (which nests to the right). A call
// takes registers for all its operands, so long chains are joined piece by piece;
// only a metamethod in a chain of more than 50 could notice.
func (g *guarded) concat(e *ast.StringConcatOpExpr, depth int) ast.Expr {
	const piece = 50
	args := []ast.Expr{e.Lhs}
	var last ast.Expr = e.Rhs
	for {
		next, ok := last.(*ast.StringConcatOpExpr)
		if !ok {
			args = append(args, last)
			break
		}
		args = append(args, next.Lhs)
		last = next.Rhs
	}
	for i, a := range args { // a piece's last string may not spread into several values
		if c, ok := a.(*ast.FuncCallExpr); ok {
			c.AdjustRet = true
		}
		if c, ok := a.(*ast.Comma3Expr); ok {
			c.AdjustRet = true
		}
		g.expr(&args[i], depth)
	}
	for len(args) > piece {
		var groups []ast.Expr
		for from := 0; from < len(args); from += piece {
			groups = append(groups, concatCall(e.Line(), args[from:min(from+piece, len(args))]))
		}
		args = groups
	}
	return concatCall(e.Line(), args)
}

func concatCall(line int, args []ast.Expr) *ast.FuncCallExpr {
	name := &ast.IdentExpr{Value: concatName}
	name.SetLine(line)
	call := &ast.FuncCallExpr{Func: name, Args: args, AdjustRet: true}
	call.SetLine(line)
	call.SetLastLine(line)
	return call
}
