package panel_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"squelch/server/panel"
)

func TestTheAdministrationIsAPageOfItsOwn(t *testing.T) {
	both := fstest.MapFS{"index.html": {Data: []byte("console")}, "admin.html": {Data: []byte("administration")}}
	unbuilt := fstest.MapFS{}
	for _, c := range []struct {
		built fstest.MapFS
		path  string
		want  string
	}{
		{both, "/admin", "administration"},
		{both, "/admin.html", "administration"},
		{both, "/", "console"},
		{unbuilt, "/admin", "just panel"},
	} {
		h, err := panel.FromFS(c.built)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", c.path, nil))
		if w.Code != 200 || !strings.Contains(w.Body.String(), c.want) || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
	}
}
