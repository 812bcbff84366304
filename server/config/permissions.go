package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"squelch/core"
)

// maxPermissions bounds the entries of one permissions.cfg.
const maxPermissions = 20_000

// loadPermissions reads a permissions.cfg; none is an empty list.
func loadPermissions(path string) (core.ACL, []string, error) {
	src, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return core.ACL{}, nil, nil
	}
	if err != nil {
		return core.ACL{}, nil, err
	}
	return ParsePermissions(src, filepath.Base(path))
}

// ParsePermissions reads add_ace, remove_ace, add_principal and
// remove_principal in the game server's syntax: words or "quoted words", # and
// // comments, ; between commands. Commands that it does not know are skipped
// with one warning. Names come out in lower case. Errors are an *Error.
func ParsePermissions(src, file string) (core.ACL, []string, error) {
	var acl core.ACL
	var skipped []string
	first := 0
	for n, line := range strings.Split(strings.TrimPrefix(src, "\ufeff"), "\n") {
		commands, err := splitCommands(line)
		if err != nil {
			return core.ACL{}, nil, &Error{File: file, Line: n + 1, Msg: err.Error()}
		}
		for _, words := range commands {
			known, err := permit(&acl, words)
			if err != nil {
				return core.ACL{}, nil, &Error{File: file, Line: n + 1, Msg: err.Error()}
			}
			if !known {
				if first == 0 {
					first = n + 1
				}
				if name := firstText(words[0], 40); !slices.Contains(skipped, name) {
					skipped = append(skipped, name)
				}
			}
			if len(acl.Entries)+len(acl.Inherit) > maxPermissions {
				return core.ACL{}, nil, &Error{File: file, Line: n + 1, Msg: fmt.Sprintf("has more than %d entries", maxPermissions)}
			}
		}
	}
	if len(skipped) == 0 {
		return acl, nil, nil
	}
	more := ""
	if len(skipped) > 8 {
		skipped, more = skipped[:8], " and others"
	}
	return acl, []string{fmt.Sprintf("%s:%d: commands that are no permissions are skipped: %s%s", file, first, strings.Join(skipped, ", "), more)}, nil
}

// permit carries out one command.
func permit(acl *core.ACL, words []string) (known bool, err error) {
	command := strings.ToLower(words[0])
	args := make([]string, len(words)-1)
	for i, w := range words[1:] {
		args[i] = strings.ToLower(w)
		if args[i] == "" {
			return true, fmt.Errorf("%s has an empty name", command)
		}
	}
	switch command {
	case "add_ace", "remove_ace":
		if len(args) != 3 || (args[2] != "allow" && args[2] != "deny") {
			return true, fmt.Errorf("%s needs a principal, an object, and allow or deny", command)
		}
		e := core.ACE{Principal: args[0], Object: args[1], Allow: args[2] == "allow"}
		acl.Entries = change(acl.Entries, e, command == "add_ace")
	case "add_principal", "remove_principal":
		if len(args) != 2 {
			return true, fmt.Errorf("%s needs a child and a parent principal", command)
		}
		acl.Inherit = change(acl.Inherit, core.Inheritance{Child: args[0], Parent: args[1]}, command == "add_principal")
	default:
		return false, nil
	}
	return true, nil
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

// splitCommands splits a line into commands and those into words.
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
				return nil, errors.New("a quote is not closed")
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
