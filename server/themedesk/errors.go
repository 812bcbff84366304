package themedesk

import (
	"errors"
	"net/http"
	"strings"
	"syscall"

	"squelch/core"
	"squelch/server/reply"
	"squelch/themes"
)

var (
	errBusy    = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Too many themes are being uploaded; try again later", Retry: busyRetry}
	errShort   = &core.Error{Kind: core.Invalid, Message: "The body ended too early"}
	errMarket  = &reply.Refusal{Status: http.StatusNotFound, Message: "There is no marketplace: set Config.themes.marketplace to the address of one"}
	errPicture = &reply.Refusal{Status: http.StatusNotFound, Message: "This theme of the marketplace has no picture", Field: "slug"}
	errNoPath  = &reply.Refusal{Status: http.StatusNotFound, Message: "No such path"}
	errChanged = &reply.Refusal{Status: http.StatusConflict, Message: "The theme is not the one that the review showed (build); review it again", Field: "build"}
)

// refused turns an error of package themes into a refusal.
func refused(err error) error {
	var review *themes.NotReviewed
	var wrong *themes.Wrong
	var disk syscall.Errno
	refuse := func(status int, field string) error {
		return &reply.Refusal{Status: status, Message: sentence(err), Field: field}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &review):
		return refuse(http.StatusConflict, "js")
	case errors.As(err, &wrong):
		return refuse(http.StatusBadRequest, "")
	case errors.Is(err, themes.ErrUnknown):
		return refuse(http.StatusNotFound, "slug")
	case errors.Is(err, themes.ErrBuiltIn), errors.Is(err, themes.ErrTooMany):
		return refuse(http.StatusConflict, "")
	case errors.Is(err, themes.ErrNoFolder), errors.As(err, &disk):
		return core.ErrStorage(err.Error())
	}
	return err
}

// badGateway is the refusal for what a marketplace has done wrong.
func badGateway(err error) error {
	return &reply.Refusal{Status: http.StatusBadGateway, Message: "The marketplace: " + err.Error()}
}

// sentence is an error as a person reads it.
func sentence(err error) string {
	text := err.Error()
	word, _, _ := strings.Cut(text, " ")
	if c := text[0]; 'a' <= c && c <= 'z' && !strings.Contains(word, ".") { // the name of a file stays as it is
		return string(c-'a'+'A') + text[1:]
	}
	return text
}
