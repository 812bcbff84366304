package themecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
)

const (
	// devListen is where "theme dev" serves by default.
	devListen = "127.0.0.1:7787"
	// devEnding is how long answers that are under way may take when it ends.
	devEnding = 2 * time.Second
)

func devCommand() *cobra.Command {
	var listen string
	var open bool
	cmd := &cobra.Command{
		Use:   "dev PATH",
		Short: "Show a theme while it is written, in every state of the console",
		Long: "Serve the panel with the theme in the folder PATH, on this machine alone, and watch\n" +
			"the folder. The theme lab, whose address is printed, shows every state of the console\n" +
			"at once, without a radio. A change of a stylesheet is seen at once, any other change\n" +
			"loads the scenes anew. What would be removed from the stylesheet at an install, what\n" +
			"is wrong with theme.json, and texts with too little contrast are listed there.\n" +
			"/?simulate at the same address is a whole radio with the theme on.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return dev(cmd.Context(), cmd.OutOrStdout(), args[0], listen, open)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", devListen, "`address` of this machine, such as 127.0.0.1:7787")
	cmd.Flags().BoolVar(&open, "open", false, "open the theme lab in the browser")
	return cmd
}

func dev(ctx context.Context, out io.Writer, path, listen string, open bool) error {
	folder, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(folder); err != nil {
		return fmt.Errorf("the theme's folder: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a folder; want the folder that theme.json is in", path)
	}
	if err := onThisMachine(listen); err != nil {
		return err
	}
	w, err := newWatcher(folder)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen: %w; another port such as 127.0.0.1:0, which takes a free one, may do", err)
	}
	at := (&url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}).String() + labQuery(w.state().Slug)
	fmt.Fprintf(out, "The theme lab is at %s\n%s is watched; Ctrl+C ends.\n", at, path)
	told(out, w.state())

	// The events of the pages that listen end with ctx.
	server := &http.Server{Handler: devHandler(w), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if open {
		if err := openBrowser(ctx, at); err != nil {
			fmt.Fprintln(out, "The browser cannot be opened:", err)
		}
	}
	go w.watch(ctx, func(s devState) { told(out, s) })
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), devEnding)
		defer cancel()
		if server.Shutdown(ending) != nil {
			return server.Close()
		}
		return nil
	}
}

// told says in one line how the folder is.
func told(out io.Writer, s devState) {
	at := time.UnixMilli(s.At).Format("15:04:05")
	switch {
	case s.Error != "":
		fmt.Fprintf(out, "%s  %s\n", at, plain(s.Error))
	case len(s.Removed) > 0:
		fmt.Fprintf(out, "%s  read; %d removed from the stylesheet, see the lab\n", at, len(s.Removed))
	default:
		fmt.Fprintf(out, "%s  read\n", at)
	}
}

// labQuery is the lab's address behind the host. The lab listens to the folder if it has
// "dev".
func labQuery(slug string) string {
	if slug == "" {
		return "?theme-lab&dev"
	}
	return "?theme-lab&theme=" + url.QueryEscape(slug) + "&dev"
}

// onThisMachine refuses an address that others can reach: what is served runs a script
// that nobody has approved.
func onThisMachine(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen is %q; want an address and a port, such as %s", listen, devListen)
	}
	if !loopback(host) {
		return fmt.Errorf("--listen is %q, which others could reach; want an address of this machine alone, such as %s", listen, devListen)
	}
	return nil
}

// loopback says whether a host is this machine, by a name that no name server is asked for.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func openBrowser(ctx context.Context, address string) error {
	var name string
	var args []string
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler"}
	default:
		name = "xdg-open"
	}
	cmd := exec.CommandContext(ctx, name, append(args, address)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		var failed *exec.ExitError
		if err := cmd.Wait(); errors.As(err, &failed) {
			return // the browser's own business
		}
	}()
	return nil
}
