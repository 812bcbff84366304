package themedesk

import (
	"context"
	"errors"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/internal/testtheme"
	"squelch/themes"
)

// TestAnInstallationWaitsForAPlace: the library checks and cleans a theme once more,
// which takes as much as reading it.
func TestAnInstallationWaitsForAPlace(t *testing.T) {
	library, err := themes.Open(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(Options{Library: library})
	if err != nil {
		t.Fatal(err)
	}
	p, err := themes.ReadZip(testtheme.New("night", "1.0", ""))
	if err != nil {
		t.Fatal(err)
	}
	for range maxReaders {
		d.readers <- struct{}{}
	}
	who := asker{by: core.Actor{Surface: core.ByREST}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.install(ctx, who, p, approval{}, "a test"); !errors.Is(err, context.Canceled) || library.Find("night") != nil {
		t.Fatalf("installed without a place: %v", err)
	}
	<-d.readers
	for range maxReaders { // the one place is given back each time
		if _, err := d.install(t.Context(), who, p, approval{}, "a test"); err != nil || library.Find("night") == nil {
			t.Fatalf("not installed: %v", err)
		}
	}
	if n := len(d.readers); n != maxReaders-1 {
		t.Errorf("%d places are taken", n)
	}
}
