package recdesk

import (
	"errors"
	"net/http"
	"strings"

	"squelch/core"
	"squelch/server/recordings"
	"squelch/server/reply"
)

var (
	errOff    = &reply.Refusal{Status: http.StatusNotFound, Message: "The recorder is off and there are no recordings: Config.recording switches it on"}
	errNoPath = &reply.Refusal{Status: http.StatusNotFound, Message: "No such path"}
	errBusy   = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Too many files are being read; try again later", Retry: busyRetry}
	errMixing = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Other listening files are being made; try again later", Retry: busyRetry}
	errExport = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Other incidents are being exported; try again later", Retry: busyRetry}
	errShort  = &core.Error{Kind: core.Invalid, Message: "The body ended too early"}
)

func invalid(field, message string) error {
	return &core.Error{Kind: core.Invalid, Field: field, Message: message}
}

func missing(field, message string) error {
	return &core.Error{Kind: core.NotFound, Field: field, Message: message}
}

// refused turns an error of the shelf into a refusal.
func refused(err error) error {
	var disk *recordings.DiskError
	switch {
	case errors.Is(err, recordings.ErrNotFound):
		return missing("", "There is no such recording")
	case errors.As(err, &disk):
		return core.ErrStorage(disk.Reason)
	}
	return err
}

// nearest is what of all was most likely meant by text; "": nothing is near.
func nearest(text string, all []string) string {
	best, least := "", len(text)/3+1
	for _, s := range all {
		if d := distance(strings.ToLower(text), strings.ToLower(s), least); d <= least {
			best, least = s, d-1
		}
	}
	return best
}

// distance is how many letters have to be changed, put in or taken out (Levenshtein); more
// than most is not counted.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
