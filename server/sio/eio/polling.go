package eio

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Payloads of one packet.
var (
	payloadClose = []byte{packetClose}
	payloadNoop  = []byte{packetNoop}
)

// pollState is the polling transport. The session's mutex guards it.
type pollState struct {
	polling bool                     // a GET waits
	posting *http.ResponseController // of the POST that is being read
	probed  bool                     // an upgrade is about to happen: polls are answered at once
	wake    chan struct{}            // something changed for the GET that waits
	last    []byte                   // the final payload of a closing session, which goes into a poll of its own
	ended   bool                     // that poll has its payload: there is nothing for another one
}

func (s *Session) wakePollLocked() {
	if s.polls.wake != nil {
		select {
		case s.polls.wake <- struct{}{}:
		default:
		}
	}
}

// servePoll answers a GET as soon as there is something to send.
func (s *Session) servePoll(w http.ResponseWriter, r *http.Request) {
	wake, overlap := s.beginPoll()
	switch {
	case overlap:
		w.WriteHeader(http.StatusBadRequest)
		return
	case wake == nil:
		s.refusePoll(w, r)
		return
	}
	for {
		payload, final := s.takePayload()
		if payload != nil {
			err := writePayload(w, payload, s.server.opts.WriteTimeout)
			s.endPoll(final, err)
			return
		}
		select {
		case <-wake:
		case <-r.Context().Done():
			s.Fail("transport close")
			return
		}
	}
}

// refusePoll answers a poll of a session that has ended since it was looked up as
// that of an unknown session. A session on a websocket does not poll.
func (s *Session) refusePoll(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	over := s.state == closed || s.polls.ended
	s.mu.Unlock()
	if over {
		unknownSession.answer(w, r)
		return
	}
	badRequest.answer(w, r)
}

// beginPoll reserves the session's one poll. A second poll at the same time
// ends the session.
func (s *Session) beginPoll() (wake chan struct{}, overlap bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state == closed || s.polls.ended || s.ws != nil:
		return nil, false
	case s.polls.polling:
		s.server.stats.malformed.Add(1)
		s.failLocked("transport error")
		return nil, true
	}
	s.polls.polling = true
	if s.polls.wake == nil {
		s.polls.wake = make(chan struct{}, 1)
	}
	return s.polls.wake, false
}

// takePayload returns what the poll is answered with; nil: wait. final says that
// nothing follows. A payload ends the poll: the next one may come in on another
// connection before this answer has been written.
func (s *Session) takePayload() (payload []byte, final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	payload, final = s.payloadLocked()
	if payload != nil {
		s.polls.polling, s.polls.ended = false, final
	}
	return payload, final
}

func (s *Session) payloadLocked() (payload []byte, final bool) {
	switch {
	case s.state == closed:
		return payloadClose, true
	case s.ws != nil:
		return payloadNoop, false
	case !s.out.empty():
		return s.drainLocked(), false
	case s.state == closing:
		return s.polls.last, true
	case s.polls.probed:
		return payloadNoop, false
	}
	return nil, false
}

// drainLocked joins all waiting frames, in the order of sending.
func (s *Session) drainLocked() []byte {
	payload := make([]byte, 0, s.out.bytes())
	s.backlog(-s.out.bytes())
	for !s.out.empty() {
		if len(payload) > 0 {
			payload = append(payload, separator)
		}
		payload = append(payload, s.out.inOrder().frame.poll...)
	}
	return payload
}

func (s *Session) endPoll(final bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case final:
		s.releaseLocked()
	case err != nil:
		s.failLocked("transport close")
	}
}

// writePayload answers with a text body within the timeout. It then removes the
// deadline, because the connection may serve other requests.
func writePayload(w http.ResponseWriter, payload []byte, timeout time.Duration) error {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(timeout))
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=UTF-8")
	h.Set("Content-Length", strconv.Itoa(len(payload)))
	h.Set("Cache-Control", "no-store")
	_, err := w.Write(payload)
	if flushErr := control.Flush(); err == nil && !errors.Is(flushErr, http.ErrNotSupported) {
		err = flushErr
	}
	_ = control.SetWriteDeadline(time.Time{})
	return err
}

// servePost takes the packets of a POST body.
func (s *Session) servePost(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/octet-stream") {
		s.broken(errors.New("eio: binary POST body"))
		badRequest.answer(w, r)
		return
	}
	if r.ContentLength > int64(s.server.opts.MaxPayload) {
		tooLarge(w)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	if !s.beginPost(control) {
		badRequest.answer(w, r)
		return
	}
	defer s.endPost()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.server.opts.MaxPayload)))
	_ = control.SetReadDeadline(time.Time{})
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		tooLarge(w)
		return
	case err != nil:
		s.Fail("transport error")
		badRequest.answer(w, r)
		return
	}
	s.heard()
	if err := eachPacket(body, s.take); err != nil {
		s.broken(err)
		badRequest.answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Length", "2")
	_, _ = io.WriteString(w, "ok")
}

func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusRequestEntityTooLarge)
}

// beginPost reserves the session's one POST. A second one at the same time
// ends the session.
func (s *Session) beginPost(control *http.ResponseController) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state == closed || s.ws != nil:
		return false
	case s.polls.posting != nil:
		s.server.stats.malformed.Add(1)
		s.failLocked("transport error")
		return false
	}
	s.polls.posting = control
	return true
}

func (s *Session) endPost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls.posting = nil
}

// farewell handles a close packet of the client: the poll that waits, or that arrives
// later on another connection, ends with a noop.
func (s *Session) farewell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ws != nil:
		s.failLocked("transport close")
		return
	case s.state == open:
		s.endLocked("transport close", true)
	case s.state == closed:
		return
	}
	s.out.clear(s)
	s.polls.last = payloadNoop
	s.wakePollLocked()
	s.lingerLocked(farewellLinger)
}
