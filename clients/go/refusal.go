package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
)

// Refusal is what the service does not do, and why, in its own words.
type Refusal struct {
	Status int    // of HTTP; 0: an event or a connect was refused
	Text   string // for people; it names the field at fault
	Code   string // of a connect: bad_token, bad_session, bad_id, bad_scope, locked_out, full
	// Talker has the floor that a key-up asked for; 0: that is not the reason.
	Talker core.UserID
	// RetryAfter is how long to wait before trying again; 0: the service does not say.
	RetryAfter time.Duration
}

// Error is the text, with the status if there is one.
func (r *Refusal) Error() string {
	text := r.Text
	if r.Talker != 0 {
		text += fmt.Sprintf(": user %s has the floor", r.Talker)
	}
	if r.Status != 0 {
		text += fmt.Sprintf(" (%d)", r.Status)
	}
	return text
}

// Busy says whether a key-up was refused because somebody else talks.
func Busy(err error) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Talker != 0
}

// refusalOf reads the answer of a call that did not succeed.
func refusalOf(reply *http.Response) *Refusal {
	b, _ := io.ReadAll(io.LimitReader(reply.Body, MaxRefusal)) // what came is text enough
	r := &Refusal{Status: reply.StatusCode}
	var f wire.Failure
	if json.Unmarshal(b, &f) == nil && f.Error != "" {
		r.Text = f.Error
	} else if r.Text = strings.TrimSpace(string(b)); r.Text == "" {
		r.Text = http.StatusText(reply.StatusCode)
	}
	if s, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && s > 0 {
		r.RetryAfter = time.Duration(s) * time.Second
	}
	return r
}

// connectRefusal makes a Refusal of one of Socket.IO; other errors it leaves.
func connectRefusal(err error) error {
	var e *sio.ConnectError
	if !errors.As(err, &e) {
		return err
	}
	r := &Refusal{Text: e.Message}
	var data wire.ConnectRefusal
	if json.Unmarshal(e.Data, &data) == nil {
		r.Code, r.RetryAfter = data.Code, time.Duration(data.RetryAfter)*time.Second
	}
	return r
}

// ackRefusal is the refusal in an acknowledgement; nil: there is none.
func ackRefusal(ack json.RawMessage) error {
	var a wire.AckDenied
	if json.Unmarshal(ack, &a) == nil && a.Error != "" {
		return &Refusal{Text: a.Error, Talker: a.CurrentTalker}
	}
	return nil
}
