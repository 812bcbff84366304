package clientcmd

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
)

// event takes everything that the radio sends, in order.
func (s *session) event(e sio.Event) {
	arg := json.RawMessage("null")
	if len(e.Args) > 0 {
		arg = e.Args[0]
	}
	if s.script != nil {
		s.script.event(e.Name, arg)
	}
	switch e.Name {
	case "voice":
		s.voice(arg)
		return
	case "heartbeat_response":
		return
	case "identity":
		var id wire.Identity
		if json.Unmarshal(arg, &id) == nil {
			s.mu.Lock()
			s.me = id.ServerID
			s.mu.Unlock()
		}
	case wire.NodesEvent:
		var n wire.Nodes
		if json.Unmarshal(arg, &n) == nil {
			s.mu.Lock()
			s.several = len(n.URLs()) > 0
			s.mu.Unlock()
			s.socket.Elsewhere(n.URLs(), n.Leaving)
		}
	case "channelState":
		var c wire.ChannelState
		if json.Unmarshal(arg, &c) == nil {
			s.remember(c.UserData)
		}
	case "talkingState":
		var t wire.TalkingState
		if json.Unmarshal(arg, &t) == nil {
			s.talking(t)
			if !t.State && s.recorder != nil {
				s.recorder.burstEnded(t.ServerID)
			}
		}
	case "ptt:denied":
		var d wire.PTTDenied
		if json.Unmarshal(arg, &d) == nil {
			s.denied(d)
		}
	}
	s.out.event(e.Name, arg)
}

// remember notes the names of users, to name the one who keeps a channel busy.
func (s *session) remember(users map[string]wire.UserData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, u := range users {
		if id, err := strconv.ParseInt(text, 10, 32); err == nil && len(s.names) < maxUsers {
			s.names[core.UserID(id)] = u.Name
		}
	}
}

// voice records a packet that came over Socket.IO.
func (s *session) voice(arg json.RawMessage) {
	var v wire.Voice
	if json.Unmarshal(arg, &v) != nil {
		return
	}
	s.out.voice(v)
	if s.recorder == nil || v.Encoding == "imbe" {
		return
	}
	packet, err := base64.StdEncoding.DecodeString(v.Data)
	if err != nil {
		return
	}
	s.heard(v.ServerID, packet)
}

// heard writes a packet; a file that cannot be written ends the run.
func (s *session) heard(talker core.UserID, packet []byte) {
	if s.recorder == nil {
		return
	}
	if err := s.recorder.write(talker, packet); err != nil {
		s.fail(err)
	}
}
