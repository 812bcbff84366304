package admin_test

import (
	"archive/zip"
	"net/http"
	"testing"
)

func TestTheResourceHasTheAddressByWhichTheBrowserCame(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	got := b.send("GET", "resource.zip", nil)
	if got.status != 200 || got.header.Get("Content-Type") != "application/zip" || got.header.Get("Content-Disposition") != `attachment; filename="radio.zip"` {
		t.Fatalf("%d %v", got.status, got.header)
	}
	if want := "zip for http://radio.test"; string(got.body) != want {
		t.Errorf("%q, want %q", got.body, want)
	}
	b.change = func(r *http.Request) { r.Host = "10.0.0.2:7777" }
	if got := b.send("GET", "resource.zip", nil); string(got.body) != "zip for http://10.0.0.2:7777" {
		t.Errorf("%q", got.body)
	}
}

func TestNoResourceWithoutALoginOrAPage(t *testing.T) {
	s := onAir(t)
	(&browser{s: s}).send("GET", "resource.zip", nil).refused(401, "", "Authentication required")
	b := s.logIn()
	s.zip = func(string) ([]byte, error) { return nil, nil }
	b.send("GET", "resource.zip", nil).refused(404, "", "just panel")
	s.zip = func(string) ([]byte, error) { return nil, zip.ErrFormat }
	b.send("GET", "resource.zip", nil).refused(500, "", "")
}
