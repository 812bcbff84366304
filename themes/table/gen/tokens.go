package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var declaration = regexp.MustCompile(`--sq-([a-z0-9-]+):\s*([^;]+);`)

// defaultsIn are the values of the panel's variables at night, by name.
func defaultsIn(path string) (map[string]string, error) {
	css, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, m := range declaration.FindAllStringSubmatch(string(css), -1) {
		if _, twice := values[m[1]]; twice {
			return nil, fmt.Errorf("%s sets --sq-%s twice", path, m[1])
		}
		values[m[1]] = strings.Join(strings.Fields(m[2]), " ")
	}
	return values, nil
}
