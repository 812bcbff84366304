package address

import (
	"strings"
	"testing"
)

func TestWhoCountsAsOne(t *testing.T) {
	for _, c := range []struct{ text, host, counted string }{
		{"203.0.113.9", "203.0.113.9", "203.0.113.9"},
		{"203.0.113.9:4000", "203.0.113.9", "203.0.113.9"},
		{"::ffff:203.0.113.9", "203.0.113.9", "203.0.113.9"},
		{"[2001:db8:0:1::7]:443", "2001:db8:0:1::7", "2001:db8:0:1::/64"},
		{"[2001:db8:0:1::8]", "2001:db8:0:1::8", "2001:db8:0:1::/64"},
		{" 2001:db8:0:2::1 ", "2001:db8:0:2::1", "2001:db8:0:2::/64"},
		{"fe80::1%eth0", "fe80::1", "fe80::/64"},
		{"@", "@", "@"}, // a Unix socket
		{"", "", ""},
	} {
		if host, counted := Host(c.text), Counted(c.text); host != c.host || counted != c.counted {
			t.Errorf("%q is %q, and counts as %q", c.text, host, counted)
		}
	}
	if n := len(Counted(strings.Repeat("x", 5000))); n > maxOther {
		t.Errorf("what is no address counts as %d bytes", n)
	}
}
