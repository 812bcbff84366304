// Command release builds what operators install: for each system an archive, for Linux
// packages too, with licences, a list of what is in it (SBOM) and checksums. It runs in the
// root of the project ("just release"), after the panel was built. Two runs on the same
// commit give the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system that is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// targets is every system. arm is version 7, as on a Raspberry Pi 2 and later.
var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "arm"}, {"windows", "amd64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// release is what is made, and of what.
type release struct {
	root    string // of the project
	out     string
	version string    // such as 1.2.0, or 1.2.0+5.gabc… five commits later
	made    time.Time // of the commit: the time of every file
	targets []target
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("just release", flag.ContinueOnError)
	out := fs.String("out", "build/release", "`folder` of the release; what is in it is removed")
	only := fs.String("only", "", "build for these `systems` only, such as linux/amd64,windows/amd64; default: all")
	dirty := fs.Bool("allow-dirty", false, "build although files differ from the last commit")
	check := fs.Bool("verify", false, "build twice, in fresh clones of the last commit, compare every byte, and start the arm64 and arm archives under qemu (minutes)")
	version := fs.String("version", "", "`version` of the release; default: that of the git tag")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unknown argument %q: see --help", fs.Arg(0))
	}
	r := &release{out: *out, version: *version, targets: targets}
	var err error
	if r.root, err = os.Getwd(); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	if *only != "" {
		if r.targets, err = chosen(*only); err != nil {
			return err
		}
	}
	if err := r.place(ctx, *dirty); err != nil {
		return err
	}
	if *check {
		return r.verify(ctx)
	}
	return r.make(ctx)
}

// chosen reads a list of targets.
func chosen(list string) (some []target, err error) {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("--only: %q is not built for; known are %v", name, targets)
		}
		some = append(some, targets[i])
	}
	return some, nil
}

// place finds out where the checkout is in the history, and that the panel was built.
func (r *release) place(ctx context.Context, dirty bool) error {
	changed, err := r.git(ctx, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changed != "" && !dirty {
		return fmt.Errorf("files differ from the last commit (--allow-dirty builds all the same):\n%s", changed)
	}
	at, err := r.git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return err
	}
	r.made = time.Unix(seconds, 0).UTC()
	if r.version == "" {
		if r.version, err = r.described(ctx); err != nil {
			return err
		}
	}
	for _, built := range []string{"server/panel/dist/index.html", "server/resource/radio/nui/index.html"} {
		if _, err := os.Stat(filepath.Join(r.root, built)); err != nil {
			return fmt.Errorf("the panel is not built: run 'just panel' first (%w)", err)
		}
	}
	return nil
}

// described is the version: the tag without its v or, on a commit without one, the last tag
// and how many commits ago it was.
func (r *release) described(ctx context.Context) (string, error) {
	if tag, err := r.git(ctx, "describe", "--tags", "--match", "v[0-9]*"); err == nil {
		return between(strings.TrimPrefix(tag, "v")), nil
	}
	count, err := r.git(ctx, "rev-list", "--count", "HEAD")
	if err != nil {
		return "", err
	}
	head, err := r.git(ctx, "rev-parse", "--short=12", "HEAD")
	return "0.0.0+" + count + ".g" + head, err
}

// between makes "1.2.0-5-gabc", five commits after 1.2.0, a version that packages sort
// behind 1.2.0 and before the next.
func between(described string) string {
	parts := regexp.MustCompile(`^(.*)-(\d+)-(g[0-9a-f]+)$`).FindStringSubmatch(described)
	if parts == nil {
		return described
	}
	return parts[1] + "+" + parts[2] + "." + parts[3]
}

func (r *release) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// make builds everything, and says what it does.
func (r *release) make(ctx context.Context) error {
	began := time.Now()
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	work := filepath.Join(r.out, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	fmt.Printf("Squelch %s, %s\n", r.version, r.made.Format(time.RFC3339))
	for i, t := range r.targets {
		say := func(what string) {
			fmt.Printf("[%d/%d] %-14s %s (%d s)\n", i+1, len(r.targets), t, what, int(time.Since(began).Seconds()))
		}
		say("program")
		program, err := r.build(ctx, t, work)
		if err != nil {
			return err
		}
		say("licences and list of parts")
		parts, err := r.parts(ctx, program, t)
		if err != nil {
			return err
		}
		say("archive")
		files, err := r.files(t, program, parts)
		if err != nil {
			return err
		}
		if err := r.archive(t, files); err != nil {
			return err
		}
		if t.os == "linux" {
			say("deb and rpm")
			if err := r.packages(ctx, t, program, parts, work); err != nil {
				return err
			}
		}
	}
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := r.checksums(); err != nil {
		return err
	}
	fmt.Printf("%s is complete (%d s)\n", r.out, int(time.Since(began).Seconds()))
	return nil
}

// build compiles the program: nothing of this machine or folder is in it.
func (r *release) build(ctx context.Context, t target, work string) (string, error) {
	program := filepath.Join(work, t.os+"-"+t.arch, "squelch")
	if t.os == "windows" {
		program += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.build="+r.version, "-o", program, "./server")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOARM=7", "GOAMD64=v1", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building for %s: %w\n%s", t, err, out)
	}
	return program, nil
}
