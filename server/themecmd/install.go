package themecmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"squelch/themes"
)

// typed is how much of a script's hash somebody types who has seen the source:
// characters.
const typed = 8

func installCommand() *cobra.Command {
	var data, approved string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "install PATH",
		Short: "Install a theme, or replace the one with its slug",
		Long: "Install a theme, a folder or a zip, in the data folder of a service; a running one has it\n" +
			"at once. The review is printed first. If the theme has a script, its source is printed\n" +
			"too, and on a terminal you are asked to type the beginning of its SHA-256. Elsewhere,\n" +
			"name the SHA-256 that \"squelch theme check PATH\" prints with --js-sha256. What is\n" +
			"installed is exactly what was reviewed. With --json, print what is installed then, and\n" +
			"not the source.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := themes.Read(args[0]) // once: what is reviewed is what is installed
			if err != nil {
				return err
			}
			l, err := library(data)
			if err != nil {
				return err
			}
			show := cmd.OutOrStdout()
			if asJSON {
				show = cmd.ErrOrStderr()
			}
			review := p.Review(l.Find(p.Manifest.Slug))
			showReview(show, review)
			if review.Replaces != nil && review.Replaces.BuiltIn {
				return taken(p)
			}
			if review.HasJS && !asJSON {
				showSource(show, review.JS, review.Script)
			}
			if review.HasJS && approved == "" {
				if !terminal(cmd.InOrStdin()) || asJSON {
					return &unapproved{args[0]}
				}
				if approved, err = ask(cmd.InOrStdin(), show, review); err != nil {
					return err
				}
			}
			installed, err := l.Install(p, approved, args[0])
			if refused := (*themes.NotReviewed)(nil); errors.As(err, &refused) {
				return fmt.Errorf("--js-sha256 %s is not the SHA-256 of this script: it has changed, or another one was reviewed; look at it again with \"squelch theme check --source %s\"", approved, args[0])
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), installed)
			}
			fmt.Fprintf(show, "installed %s %s\n", installed.Slug, line(installed.Version))
			return nil
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&approved, "js-sha256", "", "`hash` of the script, from its review")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON; the review goes to the standard error")
	return cmd
}

// unapproved: a theme has a script, and nobody is there to look at it.
type unapproved struct{ path string }

func (e *unapproved) Error() string {
	return fmt.Sprintf("the theme has a script, which runs as the dispatcher: read it (squelch theme check --source %s), then install it with --js-sha256 and the SHA-256 that stands there", e.path)
}

// ask has the beginning of the hash of a script typed, whose source has been shown. It
// returns the hash.
func ask(in io.Reader, out io.Writer, r themes.Review) (string, error) {
	fmt.Fprintf(out, "This script will run as the dispatcher, with everything that the dispatcher may do.\n"+
		"SHA-256 %s\nIf you have read it and trust it, type the first %d characters: ", r.ScriptSHA256, typed)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && (err != io.EOF || answer == "") {
		fmt.Fprintln(out)
		return "", errors.New("nothing was typed, so nothing is installed")
	}
	if !strings.EqualFold(strings.TrimSpace(answer), r.ScriptSHA256[:typed]) {
		return "", fmt.Errorf("these are not the first %d characters of the SHA-256, so nothing is installed", typed)
	}
	return r.ScriptSHA256, nil
}
