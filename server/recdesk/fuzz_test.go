package recdesk_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzRequests: whatever is asked for, the answer is a refusal with a reason or a success,
// and nothing is deleted that no condition names.
func FuzzRequests(f *testing.F) {
	f.Add("", "from=1&to=2&frequency=154.755&pauses=keep", `{"unitId":"x"}`)
	f.Add("tx-1-1772600767000.ogg", "before=tx-1-1&limit=5", `{"ids":["tx-1-1"]}`)
	f.Add("..%2f..%2fx1", "frequency=%00&unit=%ff", `{"to":-1}`)
	f.Add("1.json", "from=9007199254740991&to=9007199254740991", `{"serverId":0,"preview":true}`)
	f.Fuzz(func(t *testing.T, file, query, body string) {
		s := open(t)
		s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 5})
		for _, path := range []string{"", "/mix", "/export", "/" + file} {
			r := httptest.NewRequest("GET", "/api/recordings", nil)
			r.URL = &url.URL{Path: "/api/recordings" + path, RawQuery: query}
			if a := s.ask(r); a.status != 200 && (a.status < 400 || a.status >= 500 || !strings.Contains(string(a.body), `"success":false,"error":"`)) {
				t.Fatalf("GET %q ? %q: %d %.200s", path, query, a.status, a.body)
			}
		}
		if a := s.do("/delete", body); a.status != 200 && a.status != 400 {
			t.Fatalf("%q: %d %s", body, a.status, a.body)
		}
	})
}
