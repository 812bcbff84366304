package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/reply"
)

// ErrNoFile: the radio was started without a configuration file.
var ErrNoFile = &reply.Refusal{Status: http.StatusConflict, Message: "This radio runs on the built-in demo configuration: there is no file to read again. Start it with squelch serve --config FILE"}

// reload reads the configuration file again.
func (h *Handler) reload(w http.ResponseWriter, r *http.Request) error {
	if h.o.Reload == nil {
		return ErrNoFile
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), reloadTime)
	defer cancel()
	out, err := h.o.Reload(ctx, actor(r.Context()))
	if wrong := mistakesOf(err); wrong != nil {
		text := fmt.Sprintf("The configuration has %d mistakes; nothing has changed", len(wrong))
		if len(wrong) == 1 {
			text = "The configuration has a mistake; nothing has changed"
		}
		reply.JSON(w, http.StatusConflict, wire.AdminFailure{Error: text, Mistakes: wrong})
		return nil
	}
	if late := (*LateError)(nil); errors.As(err, &late) {
		return &reply.Refusal{Status: http.StatusServiceUnavailable, Message: "The configuration was read and is in force, or will be in a moment, but the radio has not confirmed it: " + late.Err.Error()}
	}
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// mistakesOf are the mistakes of a file that an error lists; nil: it is another error.
func mistakesOf(err error) (all []wire.AdminMistake) {
	var wrong *config.Mistakes
	if errors.As(err, &wrong) {
		for _, e := range wrong.All {
			all = append(all, wire.AdminMistake{File: e.File, Line: e.Line, Key: e.Key, Message: e.Msg})
		}
	}
	return all
}
