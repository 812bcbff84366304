package recdesk

import (
	"errors"
	"net/http"

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
	errLooks  = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Others look through the recordings; try again later", Retry: lookRetry}
	errDelete = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Other recordings are being deleted; try again later", Retry: busyRetry}
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
