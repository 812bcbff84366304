package outbound

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

// leastSecret is the shortest secret that Hush leaves out, in bytes: shorter ones are in
// every text.
const leastSecret = 8

// Hush leaves out of what a server says what only the configuration may know: path and
// query of its address, and other secrets, whole or by their words. Many web servers repeat
// the request that they do not understand. What is shorter than 8 bytes stays.
func Hush(said []byte, address string, secrets ...string) []byte {
	var all []string
	for _, s := range secrets {
		all = append(append(all, s), strings.Fields(s)...)
	}
	if u, err := url.Parse(address); err == nil {
		all = append(all, u.RequestURI(), u.Path, u.EscapedPath(), u.RawQuery)
		all = append(append(all, strings.Split(u.EscapedPath(), "/")...), strings.Split(u.Path, "/")...)
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			_, value, _ := strings.Cut(pair, "=")
			all = append(all, value)
		}
		for _, values := range u.Query() {
			all = append(all, values...)
		}
		if password, is := u.User.Password(); is {
			all = append(all, password)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // the whole before its parts
	for _, s := range all {
		if len(s) >= leastSecret {
			said = bytes.ReplaceAll(said, []byte(s), []byte("…"))
		}
	}
	return said
}
