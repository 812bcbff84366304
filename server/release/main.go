// Command release makes what operators install: archives, packages for Linux, a
// container's build folder, checksums and a bill of materials.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := options{progress: func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}
	only := flag.String("only", "", "make these `targets` only, such as linux/amd64,windows/amd64; default: all, and the container")
	flag.StringVar(&o.source, "source", ".", "`folder` of the checkout; the panel is built there")
	flag.StringVar(&o.out, "out", "build/release", "`folder` of the release; what is in it goes")
	flag.StringVar(&o.version, "version", "", "`version` instead of the one that git tags give")
	flag.BoolVar(&o.allowDirty, "allow-dirty", false, "release a checkout with changes that are not committed; its version says so")
	twice := flag.Bool("verify", false, "make the release twice, in fresh clones of the commit, compare every byte, and start what is for other processors under qemu (minutes)")
	lookOnly := flag.Bool("look", false, "only say what would be released, or why not")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "Makes a release of the checkout.\n\nUsage:\n  just release [flags]\n\nFlags:\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		usage("unexpected argument %q", flag.Arg(0))
	}
	var err error
	if o.targets, o.container, err = choose(*only); err != nil {
		usage("--only: %v", err)
	}
	make := produce
	switch {
	case *lookOnly:
		make = show
	case *twice:
		make = verify
	}
	if err := make(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func usage(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "release: "+format+" (see just release --help)\n", args...)
	os.Exit(2)
}

// options say what is made of which checkout.
type options struct {
	source, out string
	version     string // "": as git says
	allowDirty  bool
	targets     []target
	container   bool
	progress    func(format string, args ...any)
}

// produce makes a release of a checkout.
func produce(ctx context.Context, o options) error {
	c, err := look(ctx, o)
	if err != nil {
		return err
	}
	return c.release(ctx, o)
}

// show says what would be released.
func show(ctx context.Context, o options) error {
	c, err := look(ctx, o)
	if err == nil {
		o.progress("Squelch %s of %s is to be released for %s", c.version, c.time.Format(time.RFC3339), strings.Trim(fmt.Sprint(o.targets), "[]"))
	}
	return err
}

// release writes a release. Its bytes depend on the commit, the version and the toolchain
// only: two runs give the same, wherever the checkout is.
func (c checkout) release(ctx context.Context, o options) error {
	began := time.Now()
	o.progress("Squelch %s of %s", c.version, c.time.Format(time.RFC3339))
	work, err := os.MkdirTemp("", "squelch-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{checkout: c, work: work, out: o.out, progress: o.progress, programs: map[target]string{}}
	if err := emptyFolder(o.out); err != nil {
		return err
	}
	if err := r.build(ctx, o.targets); err != nil {
		return err
	}
	if r.manual, err = r.describe(ctx); err != nil {
		return err
	}
	for _, t := range o.targets {
		if err := r.pack(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if o.container {
		if err := r.packContainer(o.targets); err != nil {
			return fmt.Errorf("container: %w", err)
		}
	}
	if err := r.sums(); err != nil {
		return err
	}
	o.progress("%s is ready after %s", filepath.Clean(o.out), time.Since(began).Round(time.Second))
	return nil
}

// emptyFolder makes a folder, or empties the one of an earlier release. One with other
// things in it stays as it is.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "squelch") && e.Name() != sumsFile {
			return fmt.Errorf("%s has %s in it, which is not of a release: choose another folder with --out", dir, e.Name())
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// release is one that is being made.
type release struct {
	checkout
	work, out string
	progress  func(format string, args ...any)
	programs  map[target]string // path of each built program
	manual    []file            // manual page and shell completions
}

// pack makes everything of one target.
func (r *release) pack(t target) error {
	parts, err := r.parts(t)
	if err != nil {
		return err
	}
	notices, err := r.notices(parts)
	if err != nil {
		return err
	}
	bill, err := r.bill(t, parts)
	if err != nil {
		return err
	}
	about := []file{
		{name: "LICENSE", path: filepath.Join(r.source, "LICENSE")},
		{name: "CHANGELOG.md", path: filepath.Join(r.source, "CHANGELOG.md")},
		{name: "THIRD-PARTY-LICENSES", text: notices},
		{name: "sbom.cdx.json", text: bill},
	}
	if err := r.archive(t, about); err != nil {
		return err
	}
	if t.os == "linux" {
		return r.packages(t, about)
	}
	return nil
}

// name is the name of a file of the release.
func (r *release) name(t target, suffix string) string {
	return filepath.Join(r.out, folderName(r.version, t)+suffix)
}

// folderName is the one folder of an archive, and its name without the ending.
func folderName(version string, t target) string {
	return fmt.Sprintf("squelch_%s_%s_%s", version, t.os, t.arch)
}
