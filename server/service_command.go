package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	svc "github.com/kardianos/service"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"squelch/server/checkcmd"
)

// serviceDesk is what the subcommands of service work with; tests replace it.
type serviceDesk struct {
	kind       serviceKind // of this machine; "": none that is supported
	platform   string      // the system's service manager, for messages
	privileged func() bool
	open       func(svc.Interface, *svc.Config) (svc.Service, error)
	executable func() (string, error)
	packaged   func(name string) string // the unit of an installed package; "": none
}

func theServiceDesk() serviceDesk {
	return serviceDesk{kind: kindOf(svc.Platform()), platform: svc.Platform(), privileged: privileged,
		open: svc.New, executable: os.Executable, packaged: packagedUnit}
}

// serviceName is the form of the name of a service, for all managers.
var serviceName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,79}$`)

// serviceCommand registers serve with the system's service manager.
func serviceCommand(desk serviceDesk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Start the radio with the machine: Windows service, launchd, systemd",
		Long: "Register squelch serve with the service manager of this machine: the service control\n" +
			"manager of Windows, launchd of macOS, systemd of Linux. The packages for Debian and RPM\n" +
			"systems bring a unit of their own and do not need it.",
	}
	cmd.AddCommand(serviceInstall(desk),
		serviceAction(desk, "uninstall", "Stop the service and remove it; configuration and data stay", func(s svc.Service, out io.Writer, name string) error {
			_ = s.Stop() // it may be stopped already
			if err := s.Uninstall(); err != nil {
				return err
			}
			_, err := fmt.Fprintf(out, "the service %s is removed; its configuration and data are still there\n", name)
			return err
		}),
		serviceAction(desk, "start", "Start the installed service", func(s svc.Service, out io.Writer, name string) error {
			if err := s.Start(); err != nil {
				return err
			}
			_, err := fmt.Fprintf(out, "the service %s is started; see squelch health\n", name)
			return err
		}),
		serviceAction(desk, "stop", "Stop the service until the machine starts again", func(s svc.Service, out io.Writer, name string) error {
			if err := s.Stop(); err != nil {
				return err
			}
			_, err := fmt.Fprintf(out, "the service %s is stopped\n", name)
			return err
		}),
		serviceAction(desk, "status", "Tell whether the service is installed and runs", func(s svc.Service, out io.Writer, name string) error {
			status, err := s.Status()
			if err != nil {
				return err
			}
			word := map[svc.Status]string{svc.StatusRunning: "running", svc.StatusStopped: "stopped"}[status]
			if word == "" {
				word = "in a state that the service manager does not tell"
			}
			_, err = fmt.Fprintf(out, "the service %s is %s\n", name, word)
			return err
		}))
	return cmd
}

// serviceAction is a subcommand that needs the name of a service only.
func serviceAction(desk serviceDesk, use, short string, act func(svc.Service, io.Writer, string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, _ := cmd.Flags().GetString("name")
			if err := desk.ready(name, use != "status"); err != nil {
				return err
			}
			if unit := desk.packaged(name); unit != "" && use == "uninstall" {
				return fmt.Errorf("--name: a package has installed %s; remove the package (dpkg -r, rpm -e), or stop it with systemctl disable --now %s", unit, name)
			}
			s, err := desk.open(&managed{}, &svc.Config{Name: name})
			if err != nil {
				return err
			}
			return desk.explain(use, name, act(s, cmd.OutOrStdout(), name))
		},
	}
	cmd.Flags().String("name", "squelch", "`name` of the service")
	return cmd
}

// serviceInstall takes the flags of serve, and passes them on.
func serviceInstall(desk serviceDesk) *cobra.Command {
	var f serveFlags
	var name, account, manager string
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install squelch serve as a service that starts with the machine",
		Long: "Install squelch serve as a service that starts with the machine, with the flags of serve\n" +
			"that are given here. The configuration is checked first, as squelch check does. Paths\n" +
			"become absolute. The data folder must exist and belong to the account of the service.\n" +
			"With --print nothing is changed: what would be registered is printed.",
		Example: "  squelch service install --config config.lua --data data --listen 0.0.0.0:7777\n" +
			"  squelch service install --config config.lua --data data --print",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kind := desk.kind
			if manager != "" {
				kind = serviceKind(manager)
				if !slices.Contains(serviceKinds, kind) {
					return usageError{fmt.Errorf("--manager: %q is none; it is windows, launchd or systemd", manager)}
				}
				if kind != desk.kind && !printOnly {
					return usageError{fmt.Errorf("--manager: %s is not the service manager of this machine; add --print to see what would be registered there", manager)}
				}
			}
			if !serviceName.MatchString(name) {
				return usageError{badServiceName(name)}
			}
			if kind == "" {
				return desk.unsupported()
			}
			if err := checkServe(f); err != nil {
				return err
			}
			if kind == desk.kind {
				if err := f.makeAbsolute(); err != nil {
					return err
				}
				if err := f.exist(); err != nil {
					return err
				}
				checked, warnings, err := checkcmd.Examine(cmd.Context(), f.config, checkcmd.Terms{Listen: f.checkedAddress(cmd.Flags()), AllowDefault: f.allowDefaultSecrets, Over: f.override})
				if err != nil {
					return fmt.Errorf("the configuration has mistakes, and nothing was installed (squelch check shows them again):\n%w", err)
				}
				checked.Callbacks.Close()
				for _, w := range warnings {
					fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
				}
			}
			program, err := desk.executable()
			if err != nil {
				return err
			}
			if f.logFile == "" {
				f.logFile = logBeside(kind, f.data, name)
			}
			if account, err = accountFor(kind, account, f.data, kind == desk.kind); err != nil {
				return err
			}
			job := serviceJob{kind: kind, name: name, account: account, program: program, args: f.arguments(cmd.Flags(), kind), log: f.logFile}
			text, err := job.text()
			if err != nil {
				return err
			}
			if printOnly {
				_, err := io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			return desk.install(job, text, cmd.OutOrStdout())
		},
	}
	addServeFlags(cmd.Flags(), &f)
	cmd.Flags().StringVar(&name, "name", "squelch", "`name` of the service")
	cmd.Flags().StringVar(&account, "user", "", "`account` that runs the service; default: the owner of the data folder, on Windows LocalService")
	cmd.Flags().StringVar(&manager, "manager", "", "service `manager` for --print: windows, launchd or systemd; default: that of this machine")
	cmd.Flags().BoolVar(&printOnly, "print", false, "print what would be registered, and change nothing")
	completeServe(cmd)
	return cmd
}

// install registers the job.
func (d serviceDesk) install(job serviceJob, text string, out io.Writer) error {
	if err := d.ready(job.name, true); err != nil {
		return err
	}
	if unit := d.packaged(job.name); unit != "" {
		return fmt.Errorf("--name: a package has installed %s; use it (systemctl enable --now %s), or choose another name", unit, job.name)
	}
	s, err := d.open(&managed{}, job.config(text))
	if err != nil {
		return err
	}
	if err := d.explain("install", job.name, s.Install()); err != nil {
		return err
	}
	if job.log != "" {
		if err := makeLog(job.log, job.account); err != nil {
			return fmt.Errorf("--log-file: the service is installed, but %s cannot write it: %w", job.account, err)
		}
	}
	start := "squelch service start"
	if job.name != "squelch" {
		start += " --name " + job.name
	}
	_, err = fmt.Fprintf(out, "the service %s is installed and starts with the machine, as %s\nstart it now:  %s\nits log:       %s\nthe login:     squelch secrets, with the data folder of the service, once it runs\n", job.name, job.account, start, job.where())
	return err
}

// ready says why a subcommand cannot work here, nil: it can.
func (d serviceDesk) ready(name string, changes bool) error {
	switch {
	case !serviceName.MatchString(name):
		return usageError{badServiceName(name)}
	case d.kind == "":
		return d.unsupported()
	case changes && !d.privileged():
		return d.needsRights()
	}
	return nil
}

func badServiceName(name string) error {
	return fmt.Errorf("--name: %q is no name of a service: it begins with a letter and has up to 80 letters, digits, '.', '_' and '-', such as squelch", name)
}

func (d serviceDesk) unsupported() error {
	have := "none was found"
	if d.platform != "" {
		have = "it has " + d.platform
	}
	return fmt.Errorf("this machine's service manager is not supported (%s): service knows the Windows service control manager, launchd and systemd; let what there is run squelch serve", have)
}

func (d serviceDesk) needsRights() error {
	if d.kind == onWindows {
		return errors.New("services are for administrators: open PowerShell with \"Run as administrator\" and run the command there")
	}
	return errors.New("services are for root: run the command with sudo in front")
}

// explain adds to an error of the service manager what to do.
func (d serviceDesk) explain(use, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w (%w)", d.needsRights(), err)
	case errors.Is(err, svc.ErrNotInstalled), strings.Contains(err.Error(), "is not installed"), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the service %s is not installed; squelch service install does that", name)
	case use == "install" && strings.Contains(err.Error(), "already exists"):
		return fmt.Errorf("the service %s is installed already; squelch service uninstall removes it, or choose another --name (%w)", name, err)
	}
	return fmt.Errorf("service %s: %w", use, err)
}

// pathFlags are the flags of serve that name files and folders.
func (f *serveFlags) pathFlags() map[string]*string {
	return map[string]*string{"config": &f.config, "data": &f.data, "tls-cert": &f.cert, "tls-key": &f.key, "journal": &f.journal, "log-file": &f.logFile}
}

// makeAbsolute: a service starts in a folder of the system.
func (f *serveFlags) makeAbsolute() (err error) {
	for flag, path := range f.pathFlags() {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return nil
}

// exist checks that what the flags name is there.
func (f *serveFlags) exist() error {
	for _, flag := range []string{"config", "tls-cert", "tls-key"} {
		path := *f.pathFlags()[flag]
		if path == "" {
			continue
		}
		if info, err := os.Stat(path); err != nil {
			return usageError{fmt.Errorf("--%s: %w", flag, err)}
		} else if info.IsDir() {
			return usageError{fmt.Errorf("--%s: %s is a folder, a file was expected", flag, path)}
		}
	}
	info, err := os.Stat(f.data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usageError{fmt.Errorf("--data: the folder %s is not there: make it, for the account that runs the service", f.data)}
	case err != nil:
		return usageError{fmt.Errorf("--data: %w", err)}
	case !info.IsDir():
		return usageError{fmt.Errorf("--data: %s is a file, a folder was expected", f.data)}
	}
	return nil
}

// checkedAddress is the address that the configuration is checked for.
func (f *serveFlags) checkedAddress(flags *pflag.FlagSet) string {
	if flags.Changed("listen") {
		return f.listen
	}
	return ""
}

// arguments are the command line of serve: every flag of serve that was given.
func (f *serveFlags) arguments(flags *pflag.FlagSet, kind serviceKind) []string {
	args := []string{"serve"}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	addServeFlags(own, &serveFlags{})
	own.VisitAll(func(flag *pflag.Flag) {
		given := flags.Lookup(flag.Name)
		value := given.Value.String()
		switch {
		case flag.Name == "data": // the default is relative
		case flag.Name == "log-file":
			if kind == onSystemd && !given.Changed { // the journal has it
				return
			}
		case !given.Changed || value == "" || flag.Hidden:
			return
		}
		if given.Value.Type() == "bool" {
			args = append(args, "--"+flag.Name+"="+value)
			return
		}
		args = append(args, "--"+flag.Name, value)
	})
	return args
}

// logBeside is the log of a service where no journal takes it: beside the data folder, which
// is the store's own.
func logBeside(kind serviceKind, data, name string) string {
	if kind == onSystemd {
		return ""
	}
	at := strings.LastIndexAny(data, `/\`)
	return data[:at+1] + name + ".log"
}

// accountFor is the account that runs the service. here: on this machine, so that it can be
// looked up.
func accountFor(kind serviceKind, name, data string, here bool) (string, error) {
	if kind == onWindows {
		return windowsAccount(name)
	}
	if name == "" && here {
		owner, err := folderOwner(data)
		if err != nil {
			return "", fmt.Errorf("--user: %w", err)
		}
		if owner == "root" {
			return "", usageError{fmt.Errorf("--user is missing: %s belongs to root; give the folder to an account for the service (chown), or say --user root", data)}
		}
		return owner, nil
	}
	if name == "" {
		return "squelch", nil
	}
	if here {
		if _, err := user.Lookup(name); err != nil {
			return "", usageError{fmt.Errorf("--user: %w; make the account first", err)}
		}
	}
	return name, nil
}

// managed is serve under the Windows service control manager.
type managed struct {
	serve func(context.Context) int // with the exit code
	exit  func(int)                 // ends the process
	stop  context.CancelFunc
	ended chan struct{}
}

// Start begins to serve, and returns.
func (m *managed) Start(svc.Service) error {
	ctx, stop := context.WithCancel(context.Background())
	m.stop, m.ended = stop, make(chan struct{})
	go func() {
		code := m.serve(ctx)
		close(m.ended)
		if ctx.Err() == nil { // by itself: the manager sees a failure, and starts it again
			m.exit(code)
		}
	}()
	return nil
}

// Stop ends the service as SIGTERM does elsewhere, and waits for it: the process ends when
// Stop returns.
func (m *managed) Stop(svc.Service) error {
	m.stop()
	<-m.ended
	return nil
}

// underManager runs the command line under the Windows service control manager. Signals are
// not listened to: a service is sent one whenever somebody logs off.
func underManager(args []string, open func(svc.Interface, *svc.Config) (svc.Service, error)) int {
	m := &managed{exit: os.Exit}
	s, err := open(m, &svc.Config{Name: "squelch"}) // of a process with one service the name is not looked at
	if err == nil {
		m.serve = func(ctx context.Context) int { return serveLogged(ctx, args, s) }
		err = s.Run()
	}
	if err != nil {
		return exitFailed
	}
	return 0
}

// serveLogged runs the command line. If that fails, what it has said last goes to the
// system's log of events: a start that fails before it has a log file leaves no other trace.
func serveLogged(ctx context.Context, args []string, s svc.Service) int {
	var said tail
	code := run(ctx, args, io.Discard, &said)
	if code == 0 || ctx.Err() != nil {
		return code
	}
	if log, err := s.SystemLogger(nil); err == nil {
		_ = log.Error(strings.TrimSpace(said.text()))
	}
	return code
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// maxTail is how many bytes an entry of the log of events has at most; Windows takes 31,839
// characters.
const maxTail = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.kept), "")
}

// managedHere says whether the Windows service control manager has started this process.
// launchd and systemd send SIGTERM, as anybody does.
func managedHere(goos string, interactive bool) bool { return goos == "windows" && !interactive }

func startedByManager() bool { return managedHere(runtime.GOOS, svc.Interactive()) }
