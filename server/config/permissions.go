package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"squelch/core"
	"squelch/server/nearest"
)

// maxPermissions bounds the entries of one permissions.cfg.
const maxPermissions = 20_000

// Permissions is what a permissions.cfg says. A mistake in it is a warning: the file
// belongs to the game server, and must not keep the radio off the air.
type Permissions struct {
	ACL      core.ACL
	Warnings []string // in the order of the file
	file     string
	at       map[core.ACE]int // the line of each entry
	warned   []warning
	foreign  []string // commands that are not permissions
	first    int      // the line of the first of them
}

type warning struct {
	line int
	msg  string
}

// loadPermissions reads a permissions.cfg; none is an empty list.
func loadPermissions(path string) (*Permissions, error) {
	src, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &Permissions{}, nil
	}
	if err != nil {
		return nil, err
	}
	return ParsePermissions(src, filepath.Base(path))
}

// ParsePermissions reads add_ace, remove_ace, add_principal and remove_principal in
// the game server's syntax: words or "quoted words", # and // comments, ; between
// commands. What it does not understand is skipped with a warning. Names come out in
// lower case. The only error, an *Error, is a file with too many entries.
func ParsePermissions(src, file string) (*Permissions, error) {
	p := &Permissions{file: file, at: map[core.ACE]int{}}
	for n, line := range strings.Split(strings.TrimPrefix(src, "\ufeff"), "\n") {
		commands, err := splitCommands(line)
		if err != nil {
			p.warn(n+1, "%v: the line is skipped", err)
			continue
		}
		for _, words := range commands {
			p.permit(words, n+1)
			if len(p.ACL.Entries)+len(p.ACL.Inherit) > maxPermissions {
				return nil, &Error{File: file, Line: n + 1, Msg: fmt.Sprintf("has more than %d entries", maxPermissions)}
			}
		}
	}
	if len(p.foreign) > 0 {
		p.warn(p.first, "commands other than permissions are skipped: %s", some(p.foreign))
	}
	p.tell()
	return p, nil
}

func (p *Permissions) warn(line int, format string, args ...any) {
	p.warned = append(p.warned, warning{line, fmt.Sprintf(format, args...)})
}

// tell appends the collected warnings to Warnings.
func (p *Permissions) tell() {
	slices.SortStableFunc(p.warned, func(a, b warning) int { return a.line - b.line })
	p.Warnings = nil
	for i, w := range p.warned {
		if i == maxWarnings {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %d more warnings", p.file, len(p.warned)-i))
			break
		}
		p.Warnings = append(p.Warnings, (&Error{File: p.file, Line: w.line, Msg: w.msg}).Error())
	}
}

// some returns a part of a list as one line.
func some(list []string) string {
	const most = 8
	if len(list) > most {
		return strings.Join(list[:most], ", ") + " and others"
	}
	return strings.Join(list, ", ")
}

var (
	permissionCommands = []string{"add_ace", "remove_ace", "add_principal", "remove_principal"}
	verdicts           = []string{"allow", "deny"}
)

// permit applies one command, or warns of it.
func (p *Permissions) permit(words []string, line int) {
	command := strings.ToLower(words[0])
	args := make([]string, len(words)-1)
	empty := false
	for i, w := range words[1:] {
		args[i] = strings.ToLower(w)
		empty = empty || w == ""
	}
	add := strings.HasPrefix(command, "add_")
	switch {
	case !slices.Contains(permissionCommands, command):
		p.skip(words[0], line)
	case empty:
		p.warn(line, "%s has an empty name: it is skipped", command)
	case strings.HasSuffix(command, "_ace"):
		if len(args) == 3 && !slices.Contains(verdicts, args[2]) {
			p.warn(line, "%q is neither allow nor deny: the %s is skipped%s", firstText(args[2], 40), command, perhaps(nearest.Name(args[2], verdicts)))
			return
		}
		if len(args) != 3 {
			p.warn(line, "%s needs a principal, an object, and allow or deny: it is skipped", command)
			return
		}
		e := core.ACE{Principal: args[0], Object: args[1], Allow: args[2] == "allow"}
		p.ACL.Entries = change(p.ACL.Entries, e, add)
		if add && p.at[e] == 0 {
			p.at[e] = line
		} else if !add {
			delete(p.at, e)
		}
	case len(args) != 2:
		p.warn(line, "%s needs a child and a parent principal: it is skipped", command)
	default:
		p.ACL.Inherit = change(p.ACL.Inherit, core.Inheritance{Child: args[0], Parent: args[1]}, add)
	}
}

// skip warns of a command that is not known here: one warning for all that belong to
// the game server, and one for each that looks misspelt.
func (p *Permissions) skip(command string, line int) {
	command = firstText(command, 40)
	if near := nearest.Name(command, permissionCommands); near != "" {
		p.warn(line, "%s is unknown: it is skipped%s", command, perhaps(near))
		return
	}
	if p.first == 0 {
		p.first = line
	}
	if !slices.Contains(p.foreign, command) {
		p.foreign = append(p.foreign, command)
	}
}

// perhaps is the question that follows an unknown name; "" if no known name is near.
func perhaps(near string) string {
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

// change adds e, once, or removes it.
func change[E comparable](list []E, e E, add bool) []E {
	i := slices.Index(list, e)
	switch {
	case add && i < 0:
		return append(list, e)
	case !add && i >= 0:
		return slices.Delete(list, i, i+1)
	}
	return list
}

// splitCommands splits a line into commands, and each command into words.
func splitCommands(line string) ([][]string, error) {
	var out [][]string
	var words []string
	end := func() {
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == ';':
			end()
			i++
		case c == '#' || strings.HasPrefix(line[i:], "//"):
			end()
			return out, nil
		case c == '"':
			n := strings.IndexByte(line[i+1:], '"')
			if n < 0 {
				return nil, errors.New("a quote is missing its end")
			}
			words = append(words, line[i+1:i+1+n])
			i += n + 2
		default:
			n := strings.IndexAny(line[i:], " \t\r;\"")
			if n < 0 {
				n = len(line) - i
			}
			words = append(words, line[i:i+n])
			i += n
		}
	}
	end()
	return out, nil
}
