package themecmd

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"squelch/themes"
)

// start is the theme to begin with.
//
//go:embed start
var start embed.FS

func newCommand() *cobra.Command {
	var script bool
	cmd := &cobra.Command{
		Use:   "new NAME [DIR]",
		Short: "Write a small theme to begin with",
		Long: "Write a small theme that works, as a folder in DIR (default: here) with the name's slug:\n" +
			"a style sheet with comments, and with --js a script, its test and the declarations for\n" +
			"editors. A folder that is there is left alone.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 1 {
				folder = args[1]
			}
			made, err := begin(args[0], folder, script)
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), made)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&script, "js", false, "with a script and its test")
	return cmd
}

// begin writes the folder of a new theme and returns its path.
func begin(name, in string, script bool) (string, error) {
	name = strings.TrimSpace(name)
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return "", fmt.Errorf("the name is %q; it needs a letter or a digit", name)
	}
	m := themes.Manifest{Name: name, Slug: themes.SlugOf(name), Version: "0.1", Author: author(), Description: "A theme to begin with.", CSS: "style.css"}
	if script {
		m.JS = "theme.js"
	}
	folder := filepath.Join(in, m.Slug)
	if err := os.MkdirAll(in, 0o755); err != nil {
		return "", err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s is there already; choose another name, or another folder", folder)
		}
		return "", err
	}
	if err := fill(folder, m, script); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}

func fill(folder string, m themes.Manifest, script bool) error {
	var manifest bytes.Buffer
	e := json.NewEncoder(&manifest)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return err
	}
	files := map[string][]byte{themes.ManifestFile: manifest.Bytes()}
	names := []string{"style.css"}
	if script {
		names = append(names, "theme.js", themes.TestFile)
	}
	for _, name := range names {
		text, err := start.ReadFile("start/" + name)
		if err != nil {
			return err
		}
		if name == "style.css" && !script {
			text, _, _ = bytes.Cut(text, []byte("\n/* The script"))
			text = append(text, '\n')
		}
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	if script {
		if _, err := writeTypes(folder); err != nil {
			return err
		}
	}
	_, err := themes.ReadFolder(folder) // a name may be too long, or have letters that none may have
	return err
}

// author is whoever is logged in here.
func author() string {
	u, err := user.Current()
	if err != nil {
		return "Somebody"
	}
	name := u.Name
	if name == "" {
		name = u.Username
	}
	if name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, name)); name == "" || len(name) > 50 {
		return "Somebody"
	}
	return name
}
