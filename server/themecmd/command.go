// Package themecmd is "squelch theme": themes are written, checked, tested and packed
// with it, and installed in the data folder of a service, which may be running.
package themecmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"squelch/server/filelock"
	"squelch/themes"
)

// themeFolder is where a service has its themes, in its data folder.
const themeFolder = "themes"

// Command is the subcommand.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "theme",
		Short: "Write, test, pack and install themes of the console",
		Long: "Write, test, pack and install themes of the console. A theme is a folder, or a zip of\n" +
			"it; \"squelch theme new\" writes one to begin with. A theme with a script runs as the\n" +
			"dispatcher, so it is installed only by somebody who has seen its source.",
	}
	cmd.AddCommand(newCommand(), devCommand(), checkCommand(), testCommand(), sandboxedCommand(), packCommand(), typesCommand(),
		installCommand(), listCommand(), removeCommand(), defaultCommand())
	return cmd
}

// dataFlag adds the flag for the data folder of a service.
func dataFlag(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", "./data", "data `folder` of a service; it may be running")
}

// library opens the themes of a service.
func library(data string) (*themes.Library, error) {
	info, err := os.Stat(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no data folder %s: name that of the service with --data", data)
	case err != nil:
		return nil, fmt.Errorf("the data folder: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("the data folder %s is a file", data)
	}
	if err := filelock.AsOwner(data); err != nil {
		return nil, err
	}
	l, err := themes.Open(filepath.Join(data, themeFolder), time.Now)
	if err != nil {
		return nil, err
	}
	return l, l.Trouble()
}

// usage is an error of arguments that only belong together in some ways.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return cmd.FlagErrorFunc()(cmd, fmt.Errorf(format, args...))
}

func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// terminal says whether somebody sits at the other end; tests have their own.
var terminal = func(of any) bool {
	f, ok := of.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
