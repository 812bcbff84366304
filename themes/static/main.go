// Command static writes the built-in themes as files of any web server, as the service
// serves them: for the panel's simulation, which needs no service.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"squelch/themes"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "panel/dist/themes", "the `folder` to write; what is in it is removed")
	flag.Parse()
	if err := write(*out); err != nil {
		log.Fatal(err)
	}
}

// write asks a library that has only the built-in themes for all that it serves.
func write(out string) error {
	empty, err := os.MkdirTemp("", "squelch-themes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(empty)
	library, err := themes.Open(empty, time.Now)
	if err != nil {
		return err
	}
	all, err := themes.BuiltIn()
	if err != nil {
		return err
	}
	paths := []string{themes.Path + "index.json"}
	for _, p := range all {
		at := themes.Path + p.Manifest.Slug + "/" + p.Build() + "/"
		paths = append(paths, at+themes.RunFile)
		for name := range p.Files {
			paths = append(paths, at+name)
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	for _, path := range paths {
		answer := httptest.NewRecorder()
		library.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusOK {
			continue // sources are not served, nor is a script that is not there
		}
		file := filepath.Join(out, filepath.FromSlash(strings.TrimPrefix(path, themes.Path)))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, answer.Body.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
