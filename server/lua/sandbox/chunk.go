package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Chunk is a compiled file. Stmts is its syntax tree, from which the line of a value
// can be found.
type Chunk struct {
	Name  string
	Stmts []ast.Stmt
	Proto *lua.FunctionProto
}

// Compile reads the Lua source of a configuration. name is what errors call the file.
// The error is an *Error with the line.
func Compile(src, name string) (*Chunk, error) { return compile(src, name, false) }

// Script is Compile for a script, whose text must also be right in the game: != is
// refused.
func Script(src, name string) (*Chunk, error) { return compile(src, name, true) }

// Scripts compiles the program's own scripts, which are in a folder of files.
func Scripts(files fs.FS, folder string, names []string) ([]*Chunk, error) {
	var all []*Chunk
	for _, name := range names {
		src, err := fs.ReadFile(files, path.Join(folder, name))
		if err != nil {
			return nil, err
		}
		c, err := Script(string(src), name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func compile(src, name string, strict bool) (c *Chunk, err error) {
	code, err := translate(src, name, strict)
	if err != nil {
		return nil, err
	}
	defer func() { // gopher-lua's compiler panics on what it finds too large
		if r := recover(); r != nil {
			c, err = nil, &Error{name, 0, fmt.Sprint("cannot be compiled: ", r)}
		}
	}()
	stmts, err := parse.Parse(strings.NewReader(code), name)
	if err != nil {
		return nil, slashes(parseError(err, name, code), src)
	}
	if line := guard(stmts); line != 0 {
		return nil, &Error{name, line, fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	proto, err := lua.Compile(stmts, name)
	if err != nil {
		var ce *lua.CompileError
		if errors.As(err, &ce) {
			return nil, &Error{name, ce.Line, ce.Message}
		}
		return nil, &Error{name, 0, err.Error()}
	}
	plainCalls(proto)
	return &Chunk{Name: name, Stmts: stmts, Proto: proto}, nil
}

// plainCalls turns every tail call into a call, so that it takes a place on the call
// stack. gopher-lua counts tail calls without bound and writes a line for each into
// the trace of an error: three seconds of "local function f() return f() end f()"
// made a gigabyte. A return follows every tail call in any case.
func plainCalls(proto *lua.FunctionProto) {
	const opcode = 26 // an instruction's upper six bits
	for i, inst := range proto.Code {
		if inst>>opcode == uint32(lua.OP_TAILCALL) {
			proto.Code[i] = inst&(1<<opcode-1) | uint32(lua.OP_CALL)<<opcode
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		plainCalls(inner)
	}
}

func parseError(err error, name, code string) error {
	var pe *parse.Error
	if !errors.As(err, &pe) {
		return &Error{name, 0, err.Error()}
	}
	msg := strings.TrimSpace(pe.Message)
	if pe.Pos.Line == parse.EOF {
		return &Error{name, 1 + strings.Count(strings.TrimRight(code, "\n"), "\n"), msg + " at the end of the file: something is not closed"}
	}
	return &Error{name, pe.Pos.Line, msg + " near '" + clip(firstLine(pe.Token)) + "'"}
}

// dashes is for those who write // for a comment, which is a division here.
const dashes = "(a comment starts with --, not with //)"

// slashes adds that to the error of a line with a division.
func slashes(err error, src string) error {
	src = lineEnds.Replace(src)
	tokens, _ := scan(src, "") // it has been scanned before
	var at *Error
	if errors.As(err, &at) && slices.ContainsFunc(tokens, func(t token) bool { return t.line == at.Line && src[t.from:t.to] == "//" }) {
		at.Msg += " " + dashes
	}
	return err
}

// luaPlace is the "file:12: " in front of gopher-lua's runtime errors.
var luaPlace = regexp.MustCompile(`^(.*?):(\d+): `)

// runError turns the error of a Lua call into an *Error.
func runError(err error, name string) error {
	msg := err.Error()
	var api *lua.ApiError
	if errors.As(err, &api) && api.Object != nil {
		msg = api.Object.String()
	}
	msg, _, _ = strings.Cut(msg, "\nstack traceback")
	line := 0
	if m := luaPlace.FindStringSubmatch(msg); m != nil && m[1] == name {
		line, _ = strconv.Atoi(m[2])
		msg = msg[len(m[0]):]
	} else if api != nil { // an overflow does not say where, but its trace does
		line = traced(api.StackTrace, name)
	}
	return &Error{name, line, clear(msg)}
}

// Failure turns the error of a Lua call into an *Error. The file is the one that the
// message names, else name.
func Failure(err error, name string) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	msg := err.Error()
	var api *lua.ApiError
	if errors.As(err, &api) && api.Object != nil {
		msg = api.Object.String()
	}
	msg, _, _ = strings.Cut(msg, "\nstack traceback")
	if m := luaPlace.FindStringSubmatch(msg); m != nil {
		line, _ := strconv.Atoi(m[2])
		return &Error{m[1], line, clear(msg[len(m[0]):])}
	}
	return &Error{name, 0, clear(msg)}
}

// traced is the innermost line of a file in a trace; 0 if it is not there.
func traced(trace, name string) int {
	_, rest, found := strings.Cut(trace, "\t"+name+":")
	if !found {
		return 0
	}
	line, _ := strconv.Atoi(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))])
	return line
}

// clear rewords some of gopher-lua's messages.
func clear(msg string) string {
	switch {
	case strings.HasPrefix(msg, "attempt to call a non-function object"):
		return "calls something that does not exist (the game's natives are not available in the service)"
	case strings.HasSuffix(msg, "stack overflow"):
		return fmt.Sprintf("calls go more than %d deep (stack overflow)", callStack)
	case strings.Contains(msg, "context deadline exceeded"):
		return slow
	case strings.Contains(msg, "context canceled"):
		return "was stopped"
	case strings.Contains(msg, "runtime error"):
		return broken + " (" + clip(firstLine(msg)) + ")"
	}
	return strings.ToValidUTF8(firstLine(msg), "?")
}

// slow is the message of a run that took too long.
const slow = "runs too long"

// TooSlow says whether err is the error of a run that took too long.
func TooSlow(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Msg == slow
}

// heavy begins the message of a run that needed too much memory.
const heavy = "needs more than "

// Heavy says whether err is the error of a run that needed too much memory; its state
// may still hold what it made.
func Heavy(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.HasPrefix(e.Msg, heavy)
}

// broken is the message for a failure of the interpreter itself.
const broken = "breaks the interpreter"

// Broken says whether err comes from a failure of the interpreter rather than of the
// script; the state should not be used again.
func Broken(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.HasPrefix(e.Msg, broken)
}
