package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"squelch/server/config"
	"squelch/server/outbound"
)

// poster sends one webhook's events.
type poster struct {
	hook   config.Webhook
	client *http.Client
	now    func() time.Time
}

func newPoster(h config.Webhook, o Options) *poster {
	return &poster{hook: h, now: o.Now, client: outbound.NewClient(outbound.Options{Guard: guardOf(h), Roots: o.Roots, Names: o.Names, Dial: attemptTime, Wait: attemptTime, Idle: 2})}
}

// verdict is what a receiver's answer means.
type verdict int

const (
	failing verdict = iota // try again
	taken                  // 2xx
	refused                // this event is not wanted, whenever it comes: 400, 413, 415, 422
	gone                   // 410: nothing is wanted any more
)

// answer is what became of one attempt.
type answer struct {
	verdict verdict
	status  int           // 0: there was no answer
	err     string        // "": it was taken
	wait    time.Duration // how long the receiver asks to wait; 0: it does not say
	took    time.Duration
}

// post makes one attempt. What counts is the status of the answer: its body is only read,
// up to a limit, for what it says of an error.
func (p *poster) post(ctx context.Context, id, event string, body []byte) (a answer) {
	began := time.Now()
	defer func() { a.took = time.Since(began) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(attemptTime, func() { cancel(errLate) })
	defer late.Stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.hook.URL, bytes.NewReader(body))
	if err != nil {
		return answer{err: "the address is no URL"}
	}
	for name, value := range p.hook.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Squelch-Webhook/1")
	r.Header.Set("Squelch-Id", id)
	r.Header.Set("Squelch-Event", event)
	r.Header.Set("Squelch-Signature", sign(p.hook.Secret, p.now(), body))
	got, err := p.client.Do(r)
	if err != nil {
		p.client.CloseIdleConnections() // one over which nothing comes any more must not serve the next attempt
		return answer{err: reason(ctx, err)}
	}
	late.Stop()
	said := read(got.Body, cancel)
	got.Status = string(p.hush([]byte(got.Status)))
	return judge(got, p.hush(said), event, p.now())
}

// hush leaves out of an answer what only the configuration may know.
func (p *poster) hush(said []byte) []byte {
	secrets := []string{p.hook.Secret}
	for _, value := range p.hook.Headers {
		secrets = append(secrets, value)
	}
	return outbound.Hush(said, p.hook.URL, secrets...)
}

var errLate = errors.New("no answer came within " + attemptTime.String())

// read reads the beginning of an answer's body, for a while.
func read(body io.ReadCloser, cancel context.CancelCauseFunc) []byte {
	late := time.AfterFunc(answerTime, func() { cancel(errLate) })
	defer late.Stop()
	said, _ := io.ReadAll(io.LimitReader(body, answerBytes)) // what came counts, however it ended
	_ = body.Close()
	return said
}

// judge says what an answer means. 401, 403, 404 and the like speak of the address, not
// of the event: somebody may repair that. What is said of a transcript may repeat it.
func judge(got *http.Response, said []byte, event string, now time.Time) answer {
	a := answer{status: got.StatusCode, wait: waitOf(got.Header, said, got.StatusCode, now)}
	if got.StatusCode/100 == 2 {
		a.verdict = taken
		return a
	}
	a.err = "the answer is " + got.Status
	if text := plain(said); text != "" && event != kindTranscript {
		a.err += ": " + text
	}
	switch got.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		a.verdict = refused
	case http.StatusGone:
		a.verdict = gone
	}
	if got.StatusCode/100 == 3 {
		a.err = fmt.Sprintf("the answer is %s: redirects are not followed", got.Status)
	}
	return a
}

// waitOf is how long a receiver asks to wait: Retry-After (RFC 9110 section 10.2.3), what
// Discord has in the body, or that the answer was the last for a while.
func waitOf(h http.Header, said []byte, status int, now time.Time) time.Duration {
	var longest time.Duration
	take := func(seconds float64) {
		if seconds > 0 && !math.IsNaN(seconds) {
			d := time.Duration(min(seconds, retryAfter.Seconds()) * float64(time.Second))
			longest = max(longest, d)
		}
	}
	if text := strings.TrimSpace(h.Get("Retry-After")); text != "" {
		if s, err := strconv.ParseFloat(text, 64); err == nil {
			take(s)
		} else if at, err := http.ParseTime(text); err == nil {
			take(at.Sub(now).Seconds())
		}
	}
	if status == http.StatusTooManyRequests {
		var discord struct {
			RetryAfter float64 `json:"retry_after"`
		}
		if json.Unmarshal(said, &discord) == nil {
			take(discord.RetryAfter)
		}
	}
	if h.Get("X-RateLimit-Remaining") == "0" {
		if s, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64); err == nil {
			take(s)
		}
	}
	return longest
}

// reason says why there was no answer, without the address.
func reason(ctx context.Context, err error) string {
	if errors.Is(context.Cause(ctx), errLate) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return errLate.Error()
	}
	var late net.Error
	if err = outbound.Plain(err); errors.As(err, &late) && late.Timeout() {
		return errLate.Error()
	}
	return plain([]byte("no answer: " + err.Error()))
}

// plain is the beginning of a text on one line, without control characters.
func plain(said []byte) string {
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(said), "\ufffd"), func(c rune) bool { return c <= ' ' || c >= 0x7f && c < 0xa0 }), " ")
	if utf8.RuneCountInString(text) > errorText {
		text = string([]rune(text)[:errorText]) + "…"
	}
	return text
}
