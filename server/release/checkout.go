package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// checkout is what is released.
type checkout struct {
	source  string // folder
	version string // 1.2.3; 1.2.3+4.gabc is four commits after it
	time    time.Time
}

// look reads the state of the checkout. A changed one is an error unless it is allowed.
func look(ctx context.Context, o options) (checkout, error) {
	source, err := filepath.Abs(o.source)
	if err != nil {
		return checkout{}, err
	}
	c := checkout{source: source, version: o.version}
	seconds, err := c.git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return checkout{}, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return checkout{}, fmt.Errorf("git's time of the commit: %w", err)
	}
	c.time = time.Unix(unix, 0).UTC()
	changed, err := c.git(ctx, "status", "--porcelain")
	if err != nil {
		return checkout{}, err
	}
	if changed != "" && !o.allowDirty {
		return checkout{}, fmt.Errorf("the checkout has changes that are not committed (--allow-dirty releases them all the same):\n%s", changed)
	}
	if c.version == "" {
		described, err := c.git(ctx, "describe", "--tags", "--long", "--match", "v[0-9]*")
		if err != nil { // no tag yet
			count, err := c.git(ctx, "rev-list", "--count", "HEAD")
			if err != nil {
				return checkout{}, err
			}
			commit, err := c.git(ctx, "rev-parse", "--short=12", "HEAD")
			if err != nil {
				return checkout{}, err
			}
			described = "v0.0.0-" + count + "-g" + commit
		}
		if c.version, err = versionOf(described, changed != ""); err != nil {
			return checkout{}, err
		}
	}
	if !versionForm.MatchString(c.version) {
		return checkout{}, fmt.Errorf("the version %q is not of the form 1.2.3, 1.2.3-rc.1 or 1.2.3+4.gabc", c.version)
	}
	return c, nil
}

var (
	describedForm = regexp.MustCompile(`^v(.+)-([0-9]+)-(g[0-9a-f]+)$`)
	versionForm   = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?(\+[0-9A-Za-z.]+)?$`)
)

// versionOf makes a version of what git describe --long prints.
func versionOf(described string, changed bool) (string, error) {
	m := describedForm.FindStringSubmatch(described)
	if m == nil {
		return "", fmt.Errorf("git describe printed %q", described)
	}
	version, after := m[1], []string{}
	if m[2] != "0" {
		after = append(after, m[2], m[3])
	}
	if changed {
		after = append(after, "dirty")
	}
	if len(after) > 0 {
		version += "+" + strings.Join(after, ".")
	}
	return version, nil
}

// packageVersion is the version as package managers order it: before its release a
// candidate has a tilde.
func (c checkout) packageVersion() string { return strings.Replace(c.version, "-", "~", 1) }

func (c checkout) git(ctx context.Context, args ...string) (string, error) {
	return run(exec.CommandContext(ctx, "git", append([]string{"-C", c.source}, args...)...))
}

// run gives a program's output, or an error with what it said.
func run(cmd *exec.Cmd) (string, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}
