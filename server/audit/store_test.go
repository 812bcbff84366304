package audit_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"squelch/server/audit"
	"squelch/server/store"
)

func TestTheStoreKeepsTheLog(t *testing.T) {
	dir := t.TempDir()
	const entries = 40
	for round := range 2 {
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		log := audit.New(s.Audit(), time.Now)
		results := make(chan error)
		for n := range entries {
			go func() {
				results <- log.Append(t.Context(), audit.Entry{Surface: audit.Lua, Action: "setUserChannel", Target: fmt.Sprint(n)})
			}()
		}
		for range entries {
			err = errors.Join(err, <-results)
		}
		report, verifyErr := log.Verify(t.Context())
		if err = errors.Join(err, verifyErr, s.Close()); err != nil {
			t.Fatal(err)
		}
		if report.First != 1 || report.Last != uint64(entries*(round+1)) {
			t.Errorf("round %d: %+v", round, report)
		}
	}
}
