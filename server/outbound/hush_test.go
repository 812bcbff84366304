package outbound_test

import (
	"testing"

	"squelch/server/outbound"
)

func TestHushLeavesOutWhatOnlyTheConfigurationMayKnow(t *testing.T) {
	const address = "https://user:pass-phrase@hooks.example.org/in/very%2Dsecret-token/short?key=open+sesame&n=1"
	for said, want := range map[string]string{
		"Cannot POST /in/very%2Dsecret-token/short?key=open+sesame&n=1": "Cannot POST …",
		"no /in/very-secret-token/short here":                           "no … here",
		`{"path":"in\/very-secret-token\/short"}`:                       `{"path":"in\/…\/short"}`,
		"very%2Dsecret-token, open+sesame, open sesame":                 "…, …, …",
		"Bearer quite-secret, quite-secret; pass-phrase":                "…, …; …",
		"in short, n=1, Bearer":                                         "in short, n=1, Bearer",
		"hooks.example.org":                                             "hooks.example.org",
	} {
		if got := string(outbound.Hush([]byte(said), address, "Bearer quite-secret", "")); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
	if got := string(outbound.Hush([]byte("a long-secret"), "://", "long-secret")); got != "a …" {
		t.Errorf("without an address: %q", got)
	}
}
