package script

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// A script of which some files are missing is worse than none.
func TestAPatternLooksAtAllFilesOrSaysThatItDoesNot(t *testing.T) {
	folder := fstest.MapFS{"server/main.lua": {}}
	if got, err := matching(folder, "server/*.lua"); err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range maxEntries {
		folder[fmt.Sprint("page/", i)] = &fstest.MapFile{}
	}
	if got, err := matching(folder, "server/*.lua"); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("%v, %v", got, err)
	}
}
